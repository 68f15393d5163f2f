import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redactedIn } from '../../journal/journal-file.js';
import type { RunFolder } from '../../journal/run-folder.js';
import type { Project } from '../../language/project.js';
import { createFleet, type FleetRequest } from '../../machines/fleet.js';
import { createSecrets } from '../../machines/secrets.js';
import { openTypedBefore, type TypedBefore } from '../../machines/typed-before.js';
import type { Progress } from '../../report/live/live.js';
import type { Recorded } from '../../terms/event.js';
import type { Host, Inventory } from '../../terms/inventory.js';
import type { Clock, Fleet, Secrets } from '../../terms/machine.js';
import { EXIT, refusal } from '../options/exit.js';
import type { Flags } from '../options/flags.js';
import { knowSecrets } from './known-secrets.js';
import { platform } from '../platforms.js';
import { refuseZones, zonesOf, zonesWithoutStore } from '../team/zones.js';
import type { OpenedZones, ZonesRequest } from '../../zones/open-zones.js';
import { ask, askHidden } from '../terminal/prompt.js';

/** The secrets and connections of one command. A plan and the run that follows it share them. */
export interface Doors {
  readonly secrets: Secrets;
  readonly fleet: Fleet & { readonly clock: Clock };
  /** Where the inventory has any. */
  readonly zones: OpenedZones | undefined;
  /** What was typed in for the run, where there is one. */
  readonly typedBefore?: TypedBefore;
  /** Questions pause what is drawn here. */
  readonly draw: (progress: Progress | undefined) => void;
  /** Hosts that have not answered for some time are reported here. */
  readonly hear: (listener: FleetRequest['onSilence']) => void;
  /** Asks with nothing drawn over the question. */
  readonly undrawn: <T>(question: () => Promise<T>) => Promise<T>;
  close(): Promise<void>;
}

export interface DoorsRequest {
  readonly project: Project;
  readonly flags: Flags;
  readonly folder?: RunFolder;
  readonly past?: readonly Recorded[];
  /** The run that a plan goes on from. */
  readonly reads?: RunFolder;
  /** False: nothing is asked of the operator; what only the operator knows is then not known. */
  readonly asks?: false;
  /** Of `--limit`: the others are not worked on. */
  readonly limit?: ReadonlySet<string>;
  /** False: a zone without a worker, or whose servers do not answer, is no reason not to begin. */
  readonly needsWorkers?: false;
}

/** Opens them; when the model that the inventory names is not running, refuses. */
export async function openDoors(request: DoorsRequest): Promise<Doors> {
  const { project, folder } = request;
  let drawn: Progress | undefined;
  const undrawn: Doors['undrawn'] = async (question) => {
    const resume = drawn?.pause();
    try {
      return await question();
    } finally {
      resume?.();
    }
  };
  const typedBefore = folder === undefined ? undefined : openTypedBefore(join(folder.path, 'typed.json'));
  const secrets = createSecrets({
    sources: project.inventory.secrets,
    env: process.env,
    ask: (question) => (request.asks === false ? Promise.resolve(undefined) : undrawn(() => ask(question, true))),
    ...(typedBefore === undefined ? {} : { typedBefore }),
  });
  const from = folder ?? request.reads;
  const redacted = from === undefined || request.past === undefined ? undefined : redactedIn(from.journalFile);
  await knowSecrets(project.inventory, secrets, request.past ?? [], redacted);
  const scratch = folder === undefined ? mkdtempSync(join(tmpdir(), 'runbook-')) : undefined;
  let heard: FleetRequest['onSilence'];
  const opened = await openFleet(request, secrets, {
    ask: (question) =>
      request.asks === false ? Promise.reject(new Error('nothing is asked here')) : undrawn(() => askHidden(question)),
    cacheDir: scratch ?? folder?.path ?? '',
    onSilence: (host, silence) => heard?.(host, silence),
  });
  const { fleet, zones } = opened;
  return {
    secrets,
    fleet,
    zones,
    ...(typedBefore === undefined ? {} : { typedBefore }),
    draw: (progress) => void (drawn = progress),
    hear: (listener) => void (heard = listener),
    undrawn,
    async close() {
      await fleet.close();
      if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
    },
  };
}

async function openFleet(
  { project, flags, folder, limit, needsWorkers }: DoorsRequest,
  secrets: Secrets,
  means: Pick<FleetRequest, 'ask' | 'cacheDir' | 'onSilence'>,
): Promise<Pick<Doors, 'fleet' | 'zones'>> {
  const inventory = flags.become ? withSudo(project.inventory) : project.inventory;
  const isWorkedOn = ({ name }: Host): boolean => limit?.has(name) !== false && flags.without?.has(name) !== true;
  const needed = needsWorkers === false ? undefined : inventory.hosts.filter(isWorkedOn);
  const zones = await openZonesOf(inventory, needed, { onSilence: means.onSilence, isRun: folder !== undefined });
  try {
    const fleet = await createFleet({
      inventory,
      secrets,
      ...means,
      askBecomePassword: flags.askBecomePass,
      hostFacts: platform.hostFacts ?? [],
      endpointFacts: platform.endpointFacts,
      tokens: platform.tokens,
      zones,
      openSimulator: async (request) => (await platform.simulator()).open(request),
    });
    return { fleet, zones };
  } catch (error) {
    await zones?.close();
    const { syscall, code = '' } = error as NodeJS.ErrnoException;
    if (syscall !== 'connect' || inventory.model === undefined || !('socket' in inventory.model)) throw error;
    throw refusal(
      EXIT.unreachable,
      `no model platform listens on ${inventory.model.socket} (${code})`,
      'start it, in another terminal: runbook model PLAYBOOK -i INVENTORY',
    );
  }
}

async function openZonesOf(
  inventory: Inventory,
  needed: readonly Host[] | undefined,
  request: Pick<ZonesRequest, 'onSilence' | 'isRun'>,
): Promise<OpenedZones | undefined> {
  if (needed === undefined) return zonesOf(inventory, request).catch(zonesWithoutStore);
  const zones = await zonesOf(inventory, request);
  if (zones === undefined) return undefined;
  try {
    await refuseZones(needed, zones);
    return zones;
  } catch (error) {
    await zones.close();
    throw error;
  }
}

/** `-b`: hosts of which the inventory says nothing else act as root. */
const withSudo = (inventory: Inventory): Inventory => ({
  ...inventory,
  hosts: inventory.hosts.map((host) => ({ ...host, ssh: { become: 'sudo', ...host.ssh } })),
});
