import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createRunFolder,
  findDamaged,
  findUnfinished,
  runsOf,
  type RunFolder,
  type Runs,
} from '../journal/run-folder.js';
import { LockLost, type Lock } from '../journal/lock.js';
import { endView, type EndViewOptions } from '../report/end-view.js';
import { nextForOpen } from '../report/next-commands.js';
import { planSums, planView } from '../report/plan-view.js';
import { runAll } from '../run/start.js';
import { stateNow } from '../run/state-now.js';
import type { Project } from '../language/project.js';
import type { Recorded, RunEnd, Verb } from '../terms/event.js';
import type { StateNow } from '../terms/state-now.js';
import { findCauses } from './causes.js';
import { choose, copyOf, hashOf, leadingTo, type Choice } from './choice.js';
import { openDoors, type Doors } from './doors.js';
import { EXIT, exitOf, invalid, sorry } from './exit.js';
import type { Flags } from './flags.js';
import { hintsOn, leaseText, withLock } from './lock.js';
import { paperOf } from './paper.js';
import { ask, isAttended, isYes } from './person.js';
import { plan, planNow } from './plan.js';
import { flagsOf } from './platform-flags.js';
import { loadProject } from './project.js';
import { openSession, type Session } from './session.js';
import { writeEvents } from './sinks.js';
import { sayDamaged, troubleWith } from './trouble.js';
import { whereOf } from './unfinished.js';
import { waysOf } from './way-back.js';

/** `runbook apply PLAYBOOK`: carries it out. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = await flagsOf('apply', argv);
  if ('mistake' in flags) return invalid(flags.mistake);
  const project = await loadProject(flags);
  if (typeof project === 'number') return project;
  const choice = choose(project, flags);
  if ('mistake' in choice) return invalid(choice.mistake);
  if (flags.dryRun || flags.listHosts) return plan(choice, flags, argv);
  const runs = runsOf(project.inventory.files[0]?.file ?? 'inventory.yaml');
  return withLock('apply', runs, flags, (lock) => begin(choice, runs, flags, lock));
}

async function begin(choice: Choice, runs: Runs, flags: Flags, lock: Lock): Promise<number> {
  const refused = (await inTheWay(runs, flags)) ?? mayAsk(flags);
  if (refused !== undefined) return refused;
  const copy = copyOf(choice.project, flags, choice.limit);
  const folder = createRunFolder(runs, Date.now(), copy);
  const doors = await openDoors({ ...choice, flags, folder });
  if (typeof doors === 'number') return doors;
  try {
    const stop = await planFirst(choice, flags, doors);
    if (stop === undefined)
      return await carryOut({ ...choice, flags, lock, doors, verb: 'apply', folder, hash: hashOf(copy) });
    // A run that was refused or declined did not begin.
    rmSync(folder.path, { recursive: true, force: true });
    return stop;
  } finally {
    await doors.close();
  }
}

async function inTheWay(runs: Runs, flags: Flags): Promise<number | undefined> {
  const unfinished = findUnfinished(runs);
  const damage = findDamaged(runs);
  if (damage !== undefined) sayDamaged(EXIT.refused, damage);
  if (unfinished === undefined) return damage === undefined ? undefined : EXIT.refused;
  const { folder, state } = unfinished;
  process.stderr.write(`runbook: the run ${folder.id} of this inventory is unfinished\n`);
  process.stderr.write(`${nextForOpen(state, await waysOf(folder, flags)).join('\n')}\n`);
  return EXIT.locked;
}

/** Whether there is somebody to ask what must be asked. */
function mayAsk(flags: Flags): number | undefined {
  if (isAttended()) return undefined;
  if (flags.step) return invalid('there is no terminal to ask at; leave --step out');
  return flags.yes ? undefined : invalid('there is no terminal to ask whether to begin; say -y');
}

/**
 * The plan of all hosts, and the question whether to begin, the only one that -y answers. Undefined: begin; else an exit code, with nothing
 * changed. What the plan refuses is not applied.
 */
async function planFirst(choice: Choice, flags: Flags, doors: Doors): Promise<number | undefined> {
  const planned = await planNow(choice, { ...flags, json: false, step: false }, doors);
  if (typeof planned === 'number') return planned;
  const { events, mayApply, code } = planned;
  if (!mayApply) {
    const end = endView(events, paperOf(process.stdout));
    if (flags.json) writeEvents('plan', events);
    else process.stdout.write(`${end}\n`);
    return code;
  }
  if (!flags.json) process.stderr.write(`${planSums(events, paperOf(process.stderr))}\n`);
  if (flags.yes || isYes(await ask('Begin? [yes/no]'))) return undefined;
  process.stderr.write('Nothing was changed.\n');
  return EXIT.refused;
}

export interface CarryOut extends Choice {
  readonly flags: Flags;
  readonly verb: Verb;
  readonly lock: Lock;
  readonly folder: RunFolder;
  readonly hash: string;
  readonly past?: readonly Recorded[];
  readonly doors?: Doors;
}

/** An acting run from its open folder to its exit code. */
export async function carryOut(request: CarryOut): Promise<number> {
  const { project, flags, folder, verb, hash } = request;
  const session = await openSession(request);
  if (typeof session === 'number') return session;
  try {
    const inventory = project.inventory.files[0]?.file ?? '';
    const end = await runAll(session.run, { run: folder.id, verb, hash, inventory, ...leadingTo(project) });
    const [causes, now] = await afterFailure(session, end, project, flags);
    await session.close();
    const means = { flags, folder, project, causes, ...(now === undefined ? {} : { now }) };
    if (!flags.json) process.stdout.write(`${await atEnd(session.events, end, means)}\n`);
    return exitAt(session, end, flags);
  } catch (error) {
    const told = troubleWith(error, EXIT.failed, folder.path);
    if (told === undefined) throw error;
    if (error instanceof LockLost) return told;
    process.stderr.write(
      `  The run ${folder.id} stopped where it was; then go on with: runbook resume${whereOf(flags)}\n`,
    );
    return told;
  } finally {
    await session.close();
  }
}

const NOW_LIMIT_MS = 15_000;

/** What the hosts that failed and the whole platform answer after a failure: the known causes, and what runs where. */
async function afterFailure(
  session: Session,
  end: RunEnd,
  project: Project,
  flags: Flags,
): Promise<readonly [causes: readonly Recorded[], now: StateNow | undefined]> {
  if (end === 'done' || end === 'refused' || flags.json) return [[], undefined];
  const limit = pause(NOW_LIMIT_MS, undefined, { ref: false });
  // What cannot be asked is left out: the failure itself is shown in any case.
  const asked = stateNow(session.run, (host) => session.journal.state.lost.has(host)).catch(() => undefined);
  return Promise.all([
    end === 'failed' && flags.diagnose ? findCauses(session, project, flags) : [],
    Promise.race([asked, limit]),
  ]);
}

/** The exit code of a run. Of one that another process keeps from the hosts, with what to do about that. */
export function exitAt(session: Session, end: RunEnd, flags: Flags): number {
  const lease = session.takenBy();
  if (lease === undefined) return exitOf(end);
  return sorry(EXIT.locked, `nothing was changed: ${leaseText(lease)}`, ...hintsOn(lease.holder, flags));
}

/** After a run that went well the table of the plan, with what differed from it; after any, how it ended. */
async function atEnd(
  events: readonly Recorded[],
  end: RunEnd,
  {
    flags,
    folder,
    project,
    causes,
    now,
  }: Pick<CarryOut, 'flags' | 'folder' | 'project'> & Pick<EndViewOptions, 'causes' | 'now'>,
): Promise<string> {
  const paper = paperOf(process.stdout);
  const told = {
    ...paper,
    folder: folder.path,
    ...(causes === undefined ? {} : { causes }),
    ...(now === undefined ? {} : { now }),
  };
  if (end !== 'done') return endView(events, { ...told, ways: await waysOf(folder, flags, project) });
  const table = planView(events, { ...paper, diff: flags.diff, verbose: flags.verbosity > 0, past: true });
  return `${table}\n${endView(events, told)}`;
}
