import { foldAll } from '../../journal/fold.js';
import { findCopy, type RunFolder } from '../../journal/run-folder.js';
import { isUnfinished } from '../../journal/state.js';
import { defined } from '../../lib/defined.js';
import { isGivenUp, type Run } from '../../run/run.js';
import { stateNow } from '../../run/facts/state-now.js';
import type { Recorded } from '../../terms/event.js';
import type { StateNow } from '../../terms/state-now.js';
import { startAt } from './choice.js';
import { openDoors } from './doors.js';
import { Refusal, say } from '../options/exit.js';
import type { Flags } from '../options/flags.js';
import { inTime } from './in-time.js';
import { openSession } from './session.js';
import { outlookOf, withTimes, type Open } from '../plan/outlook.js';
import type { KeptPlan } from '../plan/plan-of-run.js';
import { projectOf } from './rollback-options.js';
import { asNarrowed } from './unfinished.js';
import { windowOf } from './window-flag.js';

/** What runs on these hosts now; undefined where it cannot be read in time. Those that were lost just now are not waited for again, but named with those that do not answer. */
export async function stateInTime(
  run: Run,
  hosts: readonly string[],
  lost: ReadonlyMap<string, unknown>,
): Promise<StateNow | undefined> {
  const now = await inTime(
    stateNow(
      run,
      hosts.filter((host) => !lost.has(host)),
    ),
  );
  if (now === undefined) return undefined;
  const isAway = (host: string): boolean => now.away.includes(host) || (lost.has(host) && !isGivenUp(run, host));
  return { ...now, away: run.project.inventory.hosts.map(({ name }) => name).filter(isAway) };
}

interface OpenOn extends Open {
  readonly lost: ReadonlyMap<string, unknown>;
}

/** The same of an unfinished run, with what is possible from there. */
export async function situationInTime(run: Run, hosts: readonly string[], open: OpenOn): Promise<StateNow | undefined> {
  const now = await stateInTime(run, hosts, open.lost);
  const outlook = now === undefined ? undefined : await inTime(outlookOf(run, open));
  return now === undefined || outlook === undefined ? now : { ...now, outlook: await withTimes(run, outlook, open) };
}

interface AskNow {
  readonly folder: RunFolder;
  readonly flags: Flags;
  readonly past: readonly Recorded[];
  readonly planned: KeptPlan | undefined;
}

/** What runs where now, of an unfinished run. Asks the operator nothing and changes nothing; undefined where it cannot be had. */
export async function askNow(request: AskNow): Promise<StateNow | undefined> {
  try {
    return await read(request);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    say(error);
    return undefined;
  }
}

async function read({ folder, flags, past, planned }: AskNow): Promise<StateNow | undefined> {
  const state = foldAll(past.map(({ event }) => event));
  const copy = findCopy(folder);
  if (copy === undefined) return undefined;
  const whole = isUnfinished(state) && state.from.size > 0 ? await projectOf(copy) : undefined;
  const project = whole === undefined || copy.startAt === undefined ? whole : startAt(whole, copy.startAt);
  // Where the platform has no component to ask for, no host is contacted.
  if (project === undefined || project.platform.components.length === 0) return undefined;
  const doors = await openDoors({ project, flags, asks: false });
  try {
    const session = await openSession({
      ...asNarrowed(copy, flags),
      project,
      verb: 'plan',
      doors,
      past,
      reads: folder,
    });
    try {
      const window = copy.backFrom === undefined ? windowOf(project, copy.window) : undefined;
      // A host that the run lost may be back; one that it never reached is no host of `from`.
      const lost = new Map([...state.lost].filter(([host]) => !state.from.has(host)));
      const open = {
        ...{ past, lost },
        ...defined({ planned, window }),
      };
      return await situationInTime(session.run, [...state.from.keys()], open);
    } finally {
      await session.close();
    }
  } finally {
    await doors.close();
  }
}
