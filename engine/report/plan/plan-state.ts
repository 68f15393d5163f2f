import type { Recorded } from '../../terms/event.js';
import type { Counts } from '../counts.js';
import type { Tally } from '../tally.js';
import type { PlanWindow } from './plan-window.js';

/**
 * How a plan stands. It is decided here alone: the page, the documents, `--json` and the exit code take it from the summary, so that a board
 * and an operator see the same.
 */
export interface PlanState {
  readonly is:
    | 'ready'
    /** Ready but for what the operator decides. */
    | 'decisions'
    /** It is whole, and its window does not let it start, now or later. */
    | 'not-ready'
    | 'nothing'
    /** Nothing is to be done but on hosts that the run does without. */
    | 'left-out'
    | 'refused'
    /** The rest of a run that stops again at a check. */
    | 'will-stop'
    | 'incomplete'
    | 'interrupted';
  /** What its window has against it. A plan that is ready all the same starts outside its window on purpose (`--outside-window`). */
  readonly outside?: 'window-over' | 'window-too-short' | 'latest-start-passed';
  /** From when on it can be applied, where it is made before its window opens. */
  readonly from?: { readonly atMs: number; readonly zone: string };
  readonly decisions: number;
  readonly warnings: number;
  /** Checks that failed. */
  readonly failed: number;
  /** Hosts that the run does without; hosts that did not answer, with these. */
  readonly leftOut: number;
  readonly unreachable: number;
  /** Steps of which it cannot be read whether they have something to do, or whether they hold. */
  readonly unread: number;
}

interface Planned {
  readonly counts: Counts;
  readonly unread: number;
  readonly decisions: number;
  readonly warnings: number;
  /** The window that binds it. */
  readonly window?: PlanWindow;
  /** It starts whatever the window says. */
  readonly goesOutside: boolean;
  readonly isRest: boolean;
}

export function planState({ ended, lost }: Tally, planned: Planned): PlanState {
  const { counts, unread, decisions, warnings, window, goesOutside } = planned;
  const sums = {
    ...{ decisions, warnings, failed: counts.failed, unreachable: lost.size, unread },
    leftOut: [...lost.values()].filter((one) => one.leftOut === true).length,
  };
  if (ended === undefined || ended.as === 'interrupted') return { is: 'interrupted', ...sums };
  if (ended.defect === true || (ended.as === 'unreachable' && ended.throughout !== true))
    return { is: 'incomplete', ...sums };
  if (counts.failed > 0 || (ended.as !== 'done' && ended.as !== 'unreachable'))
    return { is: planned.isRest ? 'will-stop' : 'refused', ...sums };
  if (counts.changed + counts.undecided + counts.waiting + counts.asked === 0)
    return { is: lost.size === 0 ? 'nothing' : 'left-out', ...sums };
  const outside = window === undefined ? undefined : whyOutside(window);
  if (outside !== undefined && !goesOutside) return { is: 'not-ready', outside, ...sums };
  const is = decisions === 0 ? 'ready' : 'decisions';
  if (outside !== undefined) return { is, outside, ...sums };
  const waits = window?.is === 'not yet' && !goesOutside;
  return { is, ...(waits ? { from: { atMs: window.span.opensMs, zone: window.zone } } : {}), ...sums };
}

/** The journal of the run is older than the hosts, or lost: this is the rest of it. */
export const goesOnFromHosts = (events: readonly Recorded[]): boolean =>
  events.some(({ event }) => event.e === 'journal-older');

/** It gets to its end and has something to do: only then it says how long that takes, and what it means. */
export const isWhole = ({ is }: Pick<PlanState, 'is'>): boolean =>
  is === 'ready' || is === 'decisions' || is === 'not-ready';

/** Why the window does not let this plan start, now or later in it; undefined where it does. */
function whyOutside({ is, latestStartMs, span }: PlanWindow): PlanState['outside'] {
  if (is === 'over') return 'window-over';
  if (latestStartMs < span.opensMs) return 'window-too-short';
  return is === 'too late' ? 'latest-start-passed' : undefined;
}
