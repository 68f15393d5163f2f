import type { Estimate } from '../../journal/run-folder.js';
import type { AssessedBackOut } from '../../terms/assessment.js';
import { isOpen, spanAt, type Window, type WindowSpan } from '../../lib/window.js';
import type { Downtime } from './downtime.js';
import type { PlayTally } from '../tally.js';
import type { Span, Timeline } from '../timeline.js';

/** What a run means to the users of the platform: whether a maintenance window binds it, and how long its parts take at most. */
export interface Impact extends Estimate {
  /** It takes a service down, upgrades items of an endpoint, or passes a point of no return; or the platform does not say which services matter. */
  readonly takesDown: boolean;
  /** From the first stop of a service to the last start, milliseconds since the start; absent where none is stopped. */
  readonly down?: Span;
}

export function impactOf(
  isFree: boolean,
  downtime: readonly Downtime[],
  points: readonly PlayTally[],
  { plays, totalMs }: Timeline,
): Impact {
  const spans = downtime.map(({ span }) => span);
  return {
    takesDown: !isFree,
    ...(spans.length === 0
      ? {}
      : { down: { fromMs: Math.min(...spans.map((s) => s.fromMs)), toMs: Math.max(...spans.map((s) => s.toMs)) } }),
    restMs: Object.fromEntries(points.map(({ path }) => [path, totalMs - (plays.get(path) ?? 0)])),
  };
}

/** The window of a plan: the one that is open as it is made, else the next. */
export interface PlanWindow {
  readonly zone: string;
  readonly span: WindowSpan;
  /** The earliest start: now, or as it opens. */
  readonly earliestMs: number;
  readonly rollbackMs: number;
  readonly takesMs: number;
  /** A run that starts later, and is rolled back at its end, is not done when the window closes. */
  readonly latestStartMs: number;
  readonly is: 'open' | 'too late' | 'not yet' | 'over';
}

export function planWindow(
  { window, rollbackMs }: { readonly window: Window; readonly rollbackMs: number },
  nowMs: number,
  takesMs: number,
): PlanWindow {
  const span = spanAt(window, nowMs);
  const latestStartMs = span.closesMs - takesMs - rollbackMs;
  const open = nowMs <= latestStartMs ? 'open' : 'too late';
  const is = isOpen(span, nowMs) ? open : nowMs < span.opensMs ? 'not yet' : 'over';
  const earliestMs = Math.max(nowMs, span.opensMs);
  return { zone: window.zone, span, earliestMs, rollbackMs, takesMs, latestStartMs, is };
}

/** A rollback after the rest of a run has no less to take back than one that is counted from where it stopped. */
export const rollbackMsAfter = (takesMs: number, stages: readonly AssessedBackOut[]): number =>
  Math.max(takesMs, ...stages.flatMap(({ counted }) => counted?.maxMs ?? []));
