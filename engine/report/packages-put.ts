import type { Recorded } from '../terms/event.js';
import { isObject } from '../terms/json.js';
import { taskKey } from '../terms/task.js';

/** Versions by package, by host. */
export type PackagesPut = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Packages that a run put on hosts, as its settled steps said; not one that was only held, which has a version that was found there. */
export function packagesPut(
  past: readonly Recorded[],
  { from }: { readonly from: ReadonlyMap<string, Readonly<Record<string, string | null>>> },
): PackagesPut {
  const intents = new Map<string, Extract<Recorded['event'], { e: 'intent' }>>();
  const put = new Map<string, Map<string, string>>();
  for (const { event } of past) {
    if (event.e === 'intent') intents.set(taskKey(event.task), event);
    if (event.e !== 'settled' || event.as !== 'done') continue;
    for (const p of intents.get(taskKey(event.task))?.change.predicts ?? []) {
      if (p.ref.fact !== 'package' || !('host' in p.ref.of) || !('value' in p) || !isObject(p.value)) continue;
      const version = p.value['installed'];
      const { host } = p.ref.of;
      if (typeof version !== 'string' || Object.values(from.get(host) ?? {}).includes(version)) continue;
      put.set(host, (put.get(host) ?? new Map<string, string>()).set(p.ref.key, version));
    }
  }
  return put;
}
