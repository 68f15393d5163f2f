import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { zoneNames } from '../../language/inventory/zone-names.js';
import { count } from '../../lib/count.js';
import { createFleet } from '../../machines/fleet.js';
import { createSecrets } from '../../machines/secrets.js';
import type { Inventory } from '../../terms/inventory.js';
import { didYouMean } from '../options/did-you-mean.js';
import { EXIT, invalid, refusal } from '../options/exit.js';
import { parseFlags } from '../options/flags.js';
import { loadPlatform } from '../options/project.js';
import { VERSION } from '../options/version.js';
import { platform } from '../platforms.js';
import { knowSecrets } from '../run/known-secrets.js';
import type { OpenedWorker } from '../../zones/open-worker.js';
import type { Worker } from '../../zones/worker.js';
import { natsOptions, noStore, storeName, teamSettings, type TeamSettings } from '../team/settings.js';

/**
 * `runbook worker --zone NAME`: reaches the hosts of a zone for controllers elsewhere, until SIGTERM. It connects to the servers of
 * the store, and listens on no port. Host names, addresses, keys and secrets are those of its own inventory.
 */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('worker', argv);
  const { zone } = flags;
  if (zone === undefined) throw invalid('worker needs the name of its zone: runbook worker --zone NAME');
  if (flags.positionals.length > 0) throw invalid('worker takes no playbook: it does what controllers send');
  // Mistakes in what only playbooks read are warnings here.
  const loaded = await loadPlatform(flags, 'true');
  const { inventory } = loaded.value;
  const zones = zoneNames(inventory);
  if (!zones.includes(zone))
    throw invalid(`no host of the inventory is in zone ${zone}${didYouMean(zone, zones) || ''}`);
  const file = inventory.files[0]?.file ?? '';
  const settings = await teamSettings(file, process.env);
  if (settings === undefined) throw noStore(file, 'a worker needs the servers of a store, and none is configured');
  if ('mistake' in settings) throw invalid(settings.mistake);
  return work({ zone, inventory, settings });
}

interface Work {
  readonly zone: string;
  readonly inventory: Inventory;
  readonly settings: TeamSettings;
}

async function work({ zone, inventory, settings }: Work): Promise<number> {
  const { hostsOf, openWorker, withoutZone } = await import('../../zones/open-worker.js');
  const folder = mkdtempSync(join(tmpdir(), 'runbook-worker-'));
  const noAnswer = (): Promise<undefined> => Promise.resolve(undefined);
  const secrets = createSecrets({ sources: inventory.secrets, env: process.env, ask: noAnswer });
  // What is not known cannot be kept out of an answer.
  await knowSecrets(inventory, secrets, []);
  let worker: OpenedWorker | undefined;
  const fleet = await createFleet({
    inventory: withoutZone(inventory, zone),
    onSilence: (host, silence) => worker?.silent(host, silence),
    secrets,
    ask: () => Promise.reject(new Error('a worker has no terminal')),
    cacheDir: folder,
    hostFacts: platform.hostFacts ?? [],
    endpointFacts: platform.endpointFacts,
    tokens: platform.tokens,
    openSimulator: async (request) => (await platform.simulator()).open(request),
  });
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  const hosts = hostsOf(inventory, zone);
  try {
    worker = await openWorker({
      options: natsOptions(settings),
      zone,
      who: { machine: hostname(), version: VERSION },
      hosts,
      fleet,
      secrets,
      folder,
      onAct: (host, id) => say(`${new Date().toISOString()} ${host} ${id}`),
    });
    say(`worker of zone ${zone}: ${count(hosts.size, 'host')}, ${storeName(settings)}`);
    return await untilStopped(worker, zone, say);
  } finally {
    await worker?.close();
    await fleet.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function untilStopped(worker: Worker, zone: string, say: (text: string) => void): Promise<number> {
  const refused = await Promise.race([worker.ended, stopped()]);
  if (refused !== undefined)
    throw refusal(
      EXIT.unreachable,
      `the servers of the store let it take no work of zone ${zone}: ${refused.message}`,
      'check its user, and what that user may read there (docs/teams.md)',
    );
  say('stopping: what was begun is finished first');
  await worker.drain();
  return EXIT.done;
}

const stopped = (): Promise<undefined> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(undefined));
  });
