import { findCopy, type OpenRun } from '../../journal/run-folder.js';
import { serviceKey, stoppedUnits, type KeptStopped } from '../../report/end/kept-stopped.js';
import { resolveFacts } from '../../run/facts/resolve-facts.js';
import type { Run } from '../../run/run.js';
import { nameOf } from '../../run/facts/text-of.js';
import type { Flags } from '../options/flags.js';
import { whereOfRun } from './unfinished.js';

/** What the unfinished run of this inventory keeps stopped. */
export async function keptStopped(run: Run, unfinished: OpenRun, flags: Flags): Promise<KeptStopped> {
  const units = stoppedUnits(unfinished.past);
  const { inventory, platform } = run.project;
  const services = await resolveFacts(run, (lookup) =>
    inventory.hosts.flatMap(({ name: host }) =>
      platform.components.flatMap((component) => {
        const unit = nameOf(run, component, 'service', lookup, host);
        const is = unit === undefined ? undefined : units.get(serviceKey(host, unit));
        return is === undefined ? [] : [[serviceKey(host, component), is] as const];
      }),
    ),
  );
  return {
    run: unfinished.folder.id,
    services: new Map(services),
    where: whereOfRun(findCopy(unfinished.folder), flags),
  };
}
