import type { Action, Outcome } from '../../terms/action.js';
import type { Actor, JobState } from '../../terms/machine.js';
import { hostName } from '../../terms/subject.js';
import { taskKey, type TaskId } from '../../terms/task.js';
import type { Run } from '../run.js';
import { isStopping } from '../stop.js';

/** How often the host is asked. */
const POLL_MS = 2_000;
/** A host that cannot be reached is waited for so long, in case it is starting again. */
const AWAY_MS = 600_000;

type Command = Extract<Action, { do: 'job' | 'run' }>;

/** A program that may be running on a host. */
export interface Begun {
  readonly task: TaskId;
  readonly id: string;
  readonly action: Command;
  /** By an earlier attempt: no step of this run is in hand, so the first Ctrl-C ends the wait. */
  readonly earlier?: true;
}

/** A program goes on without the connection, or the controller, that started it. */
export const goesOn = (action: Action | undefined): action is Command => action?.do === 'job' || action?.do === 'run';

/** An effect's name: the same after a crash, so that what it started can be found again. */
export const effectId = (run: Run, task: TaskId, attempt: number, index: number): string =>
  `${run.journal.state.run ?? ''}/${taskKey(task)}/${attempt}/${index}`;

/**
 * Waits for a program to end, or gives how it stands at the limit. Each round says what is waited for; a host that cannot be reached is no
 * longer waited for after the first Ctrl-C.
 */
export async function awaitJob(run: Run, actor: Actor, begun: Begun): Promise<JobState> {
  const { task, id, action, earlier } = begun;
  let state: JobState | undefined;
  let sinceMs = 0;
  for (;;) {
    const isOver = earlier === true || state?.is === 'unreachable' ? (run.stopSignal ?? run.signal) : run.signal;
    // It is asked at least once: what is restored after an interruption has to know.
    const look = actor.job(task.on, id);
    const now = await unlessAborted(look, state === undefined && isAborted(isOver) ? run.signal : isOver);
    if (now === undefined) return state ?? { is: 'unreachable', reason: 'interrupted' };
    if (now.is !== 'running' && now.is !== 'unreachable') return now;
    if (now.is !== state?.is) sinceMs = run.clock.nowMs();
    state = now;
    const forMs = run.clock.nowMs() - sinceMs;
    const limitMs = Math.min(action.command.timeoutMs, now.is === 'running' ? Number.POSITIVE_INFINITY : AWAY_MS);
    const isGivenUp = (): boolean =>
      isAborted(isOver) || ((earlier === true || now.is === 'unreachable') && isStopping(run));
    if (forMs >= limitMs || isGivenUp()) return now;
    run.journal.emit({ e: 'waiting', task, for: awaited(run, begun, now), forMs, limitMs });
    await run.clock.sleep(Math.min(POLL_MS, limitMs - forMs), isOver);
    if (isGivenUp()) return now;
  }
}

function awaited(run: Run, { task, earlier }: Begun, state: JobState): string {
  const step = `"${run.journal.state.tasks.get(taskKey(task))?.name ?? task.step}"`;
  if (state.is === 'unreachable')
    return `${hostName(task.on)} cannot be reached (${state.reason}); ${step} may be running there`;
  return `${step}${earlier === true ? ', started by an earlier attempt,' : ''} to end`;
}

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

/** What it comes to; undefined when the signal comes first. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (signal === undefined) return promise;
  let abort = (): void => undefined;
  const aborted = new Promise<undefined>((resolve) => (abort = () => resolve(undefined)));
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

export const outcomeOf = (job: JobState): Outcome | undefined => (job.is === 'ended' ? job : undefined);

/**
 * On resume: what an intent without an outcome may have left running is waited for before anything is decided. Gives how it stands when that
 * is not known, or it runs still.
 */
export async function awaitEarlier(run: Run, actor: Actor, task: TaskId): Promise<JobState | undefined> {
  const open = run.journal.state.tasks.get(taskKey(task))?.open;
  const action = open?.change.actions[open.met];
  if (open === undefined || !goesOn(action)) return undefined;
  const id = effectId(run, task, open.attempt, open.met);
  const state = await awaitJob(run, actor, { task, id, action, earlier: true });
  // The step is decided by what the host is like now.
  if (state.is === 'ended' || state.is === 'lost') await actor.forgetJob(task.on, id);
  return state;
}
