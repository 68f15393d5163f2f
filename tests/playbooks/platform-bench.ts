import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openJournal } from '../../engine/journal/journal.js';
import { load } from '../../engine/language/load.js';
import type { Project } from '../../engine/language/project.js';
import {
  createModelMachine,
  createModelPlatform,
} from '../../engine/platforms/security-monitoring/simulator/platform.js';
import { createPlatformState, type ModelSeed } from '../../engine/platforms/security-monitoring/simulator/create.js';
import type { PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import { modules } from '../../engine/cli/platforms.js';
import { getOrCreate } from '../../engine/lib/get-or-create.js';
import { createRun, type RunOptions } from '../../engine/run/run.js';
import { stateNow } from '../../engine/run/facts/state-now.js';
import { releaseRun, runAll } from '../../engine/run/start.js';
import type { Recorded, Verb } from '../../engine/terms/event.js';
import type { Actor, Reader } from '../../engine/terms/machine.js';
import type { StateNow } from '../../engine/terms/state-now.js';
import { keepEvidence } from '../specification/keep.js';
import { answering, Crash, type Answers, type Ran } from '../run/bench-hosts.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

const loadedBefore = new Map<string, Promise<Project>>();

/** The shipped playbooks with the demo's inventory. Nothing alters a project, so each is loaded once. */
export const shippedProject = (
  playbook = 'upgrade-4.14.yaml',
  inventory = join(root, 'tests/demo/inventory.yaml'),
): Promise<Project> => getOrCreate(loadedBefore, `${inventory} ${playbook}`, () => loadShipped(playbook, inventory));

async function loadShipped(playbook: string, inventory: string): Promise<Project> {
  const loaded = await load({
    playbook,
    inventory: [inventory],
    cwd: root,
    env: {},
    shippedDir: join(root, 'playbooks'),
  });
  if (!loaded.ok)
    throw new Error(loaded.diagnostics.map((d) => `${d.file}:${d.line}: ${d.message} ${d.hint ?? ''}`).join('\n'));
  return loaded.value;
}

export interface Around {
  readonly past?: readonly Recorded[];
  readonly actor?: (real: Actor) => Actor;
  readonly reader?: (real: Reader) => Reader;
  readonly options?: Partial<RunOptions>;
  readonly answer?: Answers;
  /** The run's name, by which its jobs are found; two runs on one platform have two. */
  readonly name?: string;
  /** Heeded after each step, also in a play with a safe point: there it is a controller that ends. */
  readonly stopping?: () => boolean;
  /** The same, and only at safe points. */
  readonly stopAtSafePoint?: () => boolean;
  readonly stopSignal?: AbortSignal;
  readonly on?: (recorded: Recorded, state: PlatformState) => void;
}

/** What the operator accepted beforehand: tests of other things start from releases whose agents a 4.14 server does not manage. */
export const ACCEPTED = { unmanaged_agents: 'accept' } as const;

/** The embedded platform in one value, and runs upon it. */
export async function platform(
  seed: Partial<ModelSeed> = {},
  change: (project: Project) => Project = (p) => p,
  playbook?: string,
) {
  const found = await shippedProject(playbook);
  const project = change({ ...found, extraVars: { ...ACCEPTED, ...found.extraVars } });
  const state = createPlatformState({ from: '4.12.0', inventory: project.inventory, ...seed });
  return {
    project,
    state,
    run: (verb: Verb, around: Around = {}): Promise<Ran> => runOn(project, state, verb, around),
  };
}

/** What the platform answers now, as a command reads it that goes on with this run. */
export async function nowOn(project: Project, state: PlatformState, past: readonly Recorded[]): Promise<StateNow> {
  const model = createModelPlatform(state);
  const reader = createModelMachine({ inventory: project.inventory, platform: model });
  const journal = openJournal({ nowMs: () => model.clock.nowMs(), past });
  try {
    const run = createRun(project, modules, { reader, clock: model.clock, journal }, { forks: 50 });
    return await stateNow(run, [...journal.state.from.keys()]);
  } finally {
    await reader.close();
  }
}

export async function runOn(project: Project, state: PlatformState, verb: Verb, around: Around): Promise<Ran> {
  const model = createModelPlatform(state);
  const { clock } = model;
  const machine = createModelMachine({ inventory: project.inventory, platform: model });
  const recorded: Recorded[] = [...(around.past ?? [])];
  const journal = openJournal({
    nowMs: () => clock.nowMs(),
    ...(around.past === undefined ? {} : { past: around.past }),
  });
  journal.subscribe((r) => {
    recorded.push(r);
    keepEvidence(r.event, verb);
    around.on?.(r, state);
  });
  const stopping = around.stopAtSafePoint ?? around.stopping;
  const run = createRun(
    around.stopping === undefined ? project : withoutSafePoints(project),
    modules,
    {
      reader: around.reader?.(machine) ?? machine,
      clock,
      journal,
      ...(verb === 'plan' ? {} : { actor: around.actor?.(machine) ?? machine }),
      ...(stopping === undefined ? {} : { stopping }),
      ...(around.stopSignal === undefined ? {} : { stopSignal: around.stopSignal }),
      ...(around.answer === undefined ? {} : { askOperator: answering(around.answer) }),
    },
    { forks: 50, ...around.options },
  );
  const done = (end: Ran['end']): Ran => ({ end, recorded, events: recorded.map((r) => r.event) });
  try {
    return done(
      verb === 'close'
        ? await releaseRun(run)
        : await runAll(run, { run: around.name ?? 'test', verb, hash: 'h', inventory: '' }),
    );
  } catch (error) {
    if (error instanceof Crash) return done('interrupted');
    throw error;
  } finally {
    await machine.close();
  }
}

/** A stop after any step, as a crash leaves it. */
const withoutSafePoints = (project: Project): Project => ({
  ...project,
  playbook: {
    ...project.playbook,
    plays: project.playbook.plays.map(({ safePoint: _safePoint, ...play }) => play),
  },
});
