import type { Recorded } from '../terms/event.js';
import { taskKey } from '../terms/task.js';
import { predictedOn } from './predicted.js';

/** A version that a run began to install. */
export interface Put {
  readonly version: string;
  /** False: whether it is installed is not known (the controller ended, or the step failed). */
  readonly finished: boolean;
}

/** By package, by host. */
export type PackagesPut = ReadonlyMap<string, ReadonlyMap<string, Put>>;

/** Packages that a run installed or began to install; not one that was only locked, which has a version that was found there. */
export function packagesPut(
  past: readonly Recorded[],
  { from }: { readonly from: ReadonlyMap<string, Readonly<Record<string, string | null>>> },
): PackagesPut {
  const intents = new Map<string, Extract<Recorded['event'], { e: 'intent' }>>();
  const put = new Map<string, Map<string, Put>>();
  for (const { event } of past) {
    if (event.e !== 'intent' && !(event.e === 'settled' && event.as === 'done')) continue;
    const key = taskKey(event.task);
    if (event.e === 'intent') intents.set(key, event);
    const change = intents.get(key)?.change;
    for (const { host, name, value } of change === undefined ? [] : predictedOn(change, 'package')) {
      const version = value['installed'];
      if (typeof version !== 'string' || Object.values(from.get(host) ?? {}).includes(version)) continue;
      const finished = event.e === 'settled';
      put.set(host, (put.get(host) ?? new Map<string, Put>()).set(name, { version, finished }));
    }
  }
  return put;
}
