import type { Event, Recorded } from '../../terms/event.js';
import { isObject } from '../../terms/json.js';
import { taskKey } from '../../terms/task.js';
import { predictedOn } from './predicted.js';

/** A version that a run began to install. */
export interface Put {
  readonly version: string;
  /** What was installed before; null: nothing, or not known. */
  readonly from: string | null;
  /** False: whether it is installed is not known (the controller ended, or the step failed). */
  readonly finished: boolean;
}

/** By package, by host. */
export type PackagesPut = ReadonlyMap<string, ReadonlyMap<string, Put>>;

type Intent = Extract<Event, { e: 'intent' }>;
type Versions = Readonly<Record<string, string | null>>;

/** Packages that a run installed or began to install; not one that was only locked, which has a version that was found there. */
export function packagesPut(
  past: readonly Recorded[],
  { from }: { readonly from: ReadonlyMap<string, Versions> },
): PackagesPut {
  const intents = new Map<string, Intent>();
  const put = new Map<string, Map<string, Put>>();
  for (const { event } of past) {
    if (event.e !== 'intent' && !(event.e === 'settled' && event.as === 'done')) continue;
    const key = taskKey(event.task);
    if (event.e === 'intent') intents.set(key, event);
    const intent = intents.get(key);
    for (const { host, name, value } of intent === undefined ? [] : predictedOn(intent.change, 'package')) {
      const version = value['installed'];
      if (typeof version !== 'string') continue;
      const known = put.get(host)?.get(name);
      const before = intent === undefined ? undefined : foundBefore(intent);
      // The end of a lock on what was installed here, or the files that the same step puts back: it is installed as it was before.
      if (event.e === 'intent' && before === undefined && known !== undefined) continue;
      const isThere = before === undefined ? Object.values(from.get(host) ?? {}).includes(version) : before === version;
      if (isThere && known === undefined) continue;
      const finished = event.e === 'settled';
      const first = known === undefined ? (before ?? null) : known.from;
      put.set(host, (put.get(host) ?? new Map<string, Put>()).set(name, { version, from: first, finished }));
    }
  }
  return put;
}

/** What was installed as a package was about to be installed; undefined of an intent that installs none. */
function foundBefore({ marks }: Intent): string | null | undefined {
  const before = marks['before'];
  const installed = before !== undefined && isObject(before) ? before['installed'] : undefined;
  return typeof installed === 'string' || installed === null ? installed : undefined;
}
