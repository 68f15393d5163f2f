import { zoneNames } from '../../language/inventory/zone-names.js';
import type { Inventory } from '../../terms/inventory.js';
import type { Hello } from '../../zones/messages.js';
import type { OpenedZones, ZonesRequest } from '../../zones/open-zones.js';
import { StoreUnavailable } from '../../store/run-store.js';
import { EXIT, invalid, refusal } from '../options/exit.js';
import { VERSION } from '../options/version.js';
import { natsOptions, noStore, teamSettings } from './settings.js';

/** The zones of an inventory, where it has any; without them nothing of NATS is loaded. */
export async function zonesOf(
  inventory: Inventory,
  { onSilence, isRun }: Pick<ZonesRequest, 'onSilence' | 'isRun'>,
): Promise<OpenedZones | undefined> {
  const [zone] = zoneNames(inventory);
  if (zone === undefined) return undefined;
  const file = inventory.files[0]?.file ?? '';
  const settings = await teamSettings(file, process.env);
  if (settings === undefined)
    throw noStore(
      file,
      `hosts of zone ${zone} are reached by workers, over the servers of a store, and no store is configured`,
    );
  if ('mistake' in settings) throw invalid(settings.mistake);
  const { openZones } = await import('../../zones/open-zones.js');
  return openZones(natsOptions(settings), { version: VERSION, hosts: inventory.hosts, onSilence, isRun });
}

/** Instead of them, where the servers of the store cannot be used. Throws any other error. */
export async function zonesWithoutStore(error: unknown): Promise<OpenedZones> {
  if (!(error instanceof StoreUnavailable)) throw error;
  const { zonesAway } = await import('../../zones/zones-away.js');
  return zonesAway(error);
}

/** What keeps a zone from being worked in. */
export interface ZoneProblem {
  readonly zone: string;
  readonly found: string;
  readonly fix: string;
}

/** Zones that no worker of this version is in, and workers of other versions. */
export async function zoneProblems(inventory: Inventory, zones: OpenedZones): Promise<readonly ZoneProblem[]> {
  const all = await Promise.all(
    zoneNames(inventory).map(async (zone) => problemsOf(zone, await zones.workersOf(zone))),
  );
  return all.flat();
}

function problemsOf(zone: string, workers: readonly Hello[]): readonly ZoneProblem[] {
  if (workers.length === 0)
    return [{ zone, found: 'no worker answers', fix: `on a machine in the zone: runbook worker --zone ${zone}` }];
  return workers
    .filter(({ version }) => version !== VERSION)
    .map(({ machine, version }) => ({
      zone,
      found: `the worker on ${machine} has version ${version}, and this is ${VERSION}`,
      fix: 'install the same version on both',
    }));
}

/** Refuses to begin where hosts of a zone that are to be worked on could not be reached. */
export async function refuseZones(hosts: Inventory['hosts'], zones: OpenedZones): Promise<void> {
  for (const zone of zoneNames({ hosts })) {
    const workers = await zones.workersOf(zone);
    // Beside a worker of this version another one does no harm: it is sent no work.
    if (workers.some(({ version }) => version === VERSION)) continue;
    const [problem] = problemsOf(zone, workers);
    if (problem !== undefined) throw refusal(EXIT.unreachable, `zone ${zone}: ${problem.found}`, problem.fix);
  }
}
