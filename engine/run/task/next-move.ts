import { defined } from '../../lib/defined.js';
import type { Change, Verdict } from '../../terms/change.js';
import type { Stop } from '../../terms/event.js';
import type { Hint } from '../../terms/hint.js';
import type { Json } from '../../terms/json.js';
import type { Decided, Decision } from './decision.js';
import type { Performed, Stopped } from './expect.js';

const DEFAULT_WAIT_MS = 600_000;
const DEFAULT_POLL_MS = 2_000;
/** Between the tries that an author asked for: what failed is given time to recover. */
const RETRY_PAUSE_MS = 10_000;
/** How often the other side may say "later" (429, not ready) before it counts as failed. */
const RETRIES_WHEN_ASKED = 60;
/** A connection that went is no answer: what the machine says is still due is ordered again, though the step has no retries. */
const RETRIES_WHEN_LOST = 2;

/** What a task of an apply has come through so far. */
export interface Progress {
  /** Changes performed since the last retry. */
  readonly acted: number;
  readonly tries: number;
  /** `left` of the change that was performed last: the next one must have less. */
  readonly left: number;
  /** Something was altered, by this part of the run or an earlier one. */
  readonly changed: boolean;
  readonly waitingSinceMs?: number;
  readonly warned: boolean;
  /** Readings in a row by which waiting longer is no use. */
  readonly failFast: number;
  /** The outcome of the change that was performed last, where it is not known. */
  readonly unsure?: Extract<Performed, { is: 'unknown' }>;
}

export const noProgress = (changed: boolean): Progress => ({
  ...{ acted: 0, tries: 0, left: Number.POSITIVE_INFINITY, changed, warned: false, failFast: 0 },
});

/** The step, and what the operator asks for, at the moment of a decision. */
export interface Moment {
  readonly nowMs: number;
  readonly retries?: number;
  readonly timeoutMs?: number;
  /** The second Ctrl-C: nothing more begins. */
  readonly aborted: boolean;
  /** What asks the run to stop at its next safe point. */
  readonly stop?: Stop;
  /** Its play stops after each step: a step that only waits need not come to its end. */
  readonly stopsHere: boolean;
}

/** What is done next. `untilStop`: the pause ends when a stop is asked for. */
export type Move =
  | { readonly do: 'skip'; readonly because: string }
  | { readonly do: 'settle'; readonly verdict: Extract<Verdict, { is: 'ok' }>; readonly args: Json }
  | { readonly do: 'act'; readonly change: Change; readonly args: Json; readonly progress: Progress }
  | { readonly do: 'decide'; readonly progress: Progress }
  | { readonly do: 'retry'; readonly pauseMs: number; readonly untilStop: boolean; readonly progress: Progress }
  | Waiting
  | { readonly do: 'stop'; readonly stop: Stop }
  | Ending;

interface Waiting {
  readonly do: 'wait';
  readonly for: string;
  readonly forMs: number;
  readonly limitMs: number;
  readonly pauseMs: number;
  readonly untilStop: boolean;
  readonly warning?: string;
  /** It is said what is waited for, and then this. */
  readonly then?: Extract<Move, { do: 'stop' | 'fail' }>;
  readonly progress: Progress;
}

interface Ending {
  readonly do: 'fail';
  readonly as: 'failed' | 'blocked' | 'unreachable';
  readonly reason: string;
  readonly hint?: Hint;
  readonly unsure?: true;
}

/** Decides what follows a decision: pure, a table tests it (tests/run/next-move.test.ts). */
export function nextMove(progress: Progress, decision: Decision, moment: Moment): Move {
  switch (decision.is) {
    case 'skip':
      return { do: 'skip', because: decision.because };
    case 'ok':
      return { do: 'settle', verdict: decision, args: decision.args };
    case 'unknown':
      return fail(decision.because, 'correct what cannot be read, then run it again');
    case 'failed':
      // A stop waits for no host that cannot be reached.
      if (decision.unreachable !== undefined && progress.acted > 0 && mayRetry(progress, moment) && !moment.stop)
        return { ...retry(progress, moment), untilStop: true };
      return fail(decision.reason, decision.hint, decision.unreachable === 'own' ? 'unreachable' : 'failed');
    case 'blocked':
      if (mayRetry(progress, moment)) return retry(progress, moment);
      return {
        ...fail(decision.reason, decision.hint, 'blocked'),
        ...(decision.unsure === undefined ? {} : { unsure: true }),
      };
    case 'waiting':
      return wait(progress, decision, moment);
    case 'change':
      return act(progress, decision, moment);
  }
}

/** Decides what follows a change that was performed. */
export function nextAfter(progress: Progress, performed: Performed | Stopped, moment: Moment): Move {
  if (performed.is === 'stopped') return { do: 'stop', stop: performed.stop };
  if (performed.is === 'unknown' && moment.aborted) return fail(performed.why, 'what became of it is asked by resume');
  const { unsure: _, ...rest } = progress;
  if (performed.is === 'done') return { do: 'decide', progress: rest };
  if (performed.is === 'unknown') return { do: 'decide', progress: { ...rest, unsure: performed } };
  const { reason, hint, retryAfterMs } = performed;
  const isAsked = retryAfterMs !== undefined && progress.tries < RETRIES_WHEN_ASKED;
  if (!isAsked && !mayRetry(progress, moment)) return fail(reason, hint);
  return retry({ ...progress, acted: 0 }, moment, retryAfterMs);
}

function act(progress: Progress, { change, args }: Decided<'change'>, moment: Moment): Move {
  const left = change.left ?? Number.POSITIVE_INFINITY;
  if (progress.acted > 0 && !(left < progress.left))
    return mayRetry(progress, moment) ? retry({ ...progress, acted: 0 }, moment) : stillDue(progress, change);
  if (moment.aborted) return fail('interrupted before it was done');
  if (change.safePoint === true && moment.stop !== undefined) return { do: 'stop', stop: moment.stop };
  // Further on than before: what was tried again until here is no reason to give up sooner now.
  const tries = change.left !== undefined && progress.acted > 0 ? 0 : progress.tries;
  const { waitingSinceMs: _, ...rest } = progress;
  return { do: 'act', change, args, progress: { ...rest, tries, left, acted: progress.acted + 1, changed: true } };
}

/** What was ordered is still due. A lost connection or a passed limit says more than that. */
function stillDue({ unsure }: Progress, { summary, notConverged }: Change): Ending {
  if (unsure?.lost === 'host') return fail(unsure.why, undefined, 'unreachable');
  const { reason, hint } = notConverged ?? { reason: `did not converge: "${summary}" is still due after it was done` };
  return fail(unsure?.why ?? reason, hint);
}

function wait(before: Progress, verdict: Extract<Verdict, { is: 'waiting' }>, moment: Moment): Move {
  const { failFast, warn, everyMs = DEFAULT_POLL_MS } = verdict;
  const sinceMs = before.waitingSinceMs ?? moment.nowMs;
  const forMs = moment.nowMs - sinceMs;
  const limitMs = verdict.limitMs ?? moment.timeoutMs ?? verdict.otherwiseMs ?? DEFAULT_WAIT_MS;
  const readings = failFast === undefined ? 0 : before.failFast + 1;
  if (failFast !== undefined && readings >= failFast.readings)
    return waitedInVain(verdict, `${failFast.because}, ${failFast.readings} readings in a row`);
  if (forMs >= limitMs) return waitedInVain(verdict, `waited ${Math.round(limitMs / 1000)} s: ${verdict.for}`);
  const warns = warn !== undefined && forMs >= warn.afterMs && !before.warned;
  const untilStop = moment.stopsHere && !before.changed;
  return defined({
    do: 'wait' as const,
    ...{ for: verdict.for, forMs, limitMs, pauseMs: Math.min(everyMs, limitMs - forMs), untilStop },
    warning: warns ? warn.text : undefined,
    then: moment.aborted
      ? fail('interrupted while waiting')
      : untilStop && moment.stop !== undefined
        ? ({ do: 'stop', stop: moment.stop } as const)
        : undefined,
    progress: { ...before, waitingSinceMs: sinceMs, failFast: readings, warned: before.warned || warns },
  });
}

/** A wait fails with its own reason first, where it has one, and with what it saw. */
const waitedInVain = ({ failure = {} }: Extract<Verdict, { is: 'waiting' }>, saw: string): Ending =>
  fail(failure.reason === undefined ? saw : `${failure.reason} (${saw})`, failure.hint);

const fail = (reason: string, hint?: Hint, as: Ending['as'] = 'failed'): Ending =>
  defined({ do: 'fail' as const, as, reason, hint });

function mayRetry({ tries, unsure }: Progress, { retries = 0, aborted }: Moment): boolean {
  return !aborted && tries < Math.max(retries, unsure?.lost === undefined ? 0 : RETRIES_WHEN_LOST);
}

const retry = (progress: Progress, { retries }: Moment, afterMs?: number): Extract<Move, { do: 'retry' }> => ({
  do: 'retry',
  pauseMs: afterMs ?? (retries === undefined ? DEFAULT_POLL_MS : RETRY_PAUSE_MS),
  untilStop: false,
  progress: { ...progress, tries: progress.tries + 1 },
});
