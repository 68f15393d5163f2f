import { showDuration } from '../../lib/duration.js';
import type { WindowSpan } from '../../lib/window.js';
import type { AssessedBackOut } from '../../terms/assessment.js';
import { estimateText } from './estimate-text.js';
import type { PlanSummary } from './plan-summary.js';
import type { PlanWindow } from './plan-window.js';
import { wrapParts } from '../columns.js';
import type { Span } from '../timeline.js';
import { printableLine } from '../style.js';

/** When the window is, how late one can start, and how much of the time services are down: lines for the head of a plan. */
export function windowLines({ window, backOut }: PlanSummary, width: number): readonly string[] {
  if (window === undefined) return [];
  const [span = '', ...others] = windowParts(window, notIncluded(window, backOut));
  return wrapParts([`Window ${span}`, ...others], width, '');
}

/** The same for a document. */
export const windowParts = (window: PlanWindow, longer: readonly LongerBackOut[]): readonly string[] => [
  spanText(window.span, window.zone),
  ...latestStart(window),
  ...longer.map(({ do: what, takesMs }) => `not included: ${printableLine(what)}, about ${showDuration(takesMs)}`),
];

/** A back-out that takes longer than the time that is kept for a rollback. */
export type LongerBackOut = Pick<AssessedBackOut, 'do' | 'takesMs'>;

export const notIncluded = (
  { rollbackMs }: PlanWindow,
  backOut: readonly AssessedBackOut[],
): readonly LongerBackOut[] =>
  backOut
    .filter(({ takesMs, because }) => because === undefined && rollbackMs > 0 && takesMs > rollbackMs)
    .map(({ do: what, takesMs }) => ({ do: what, takesMs }));

function latestStart({ is, span, zone, earliestMs, latestStartMs, rollbackMs }: PlanWindow): readonly string[] {
  const why = rollbackMs === 0 ? '' : ` (with time for a rollback, ${showDuration(rollbackMs)})`;
  const lacksMs = earliestMs - latestStartMs;
  if (latestStartMs < span.opensMs && is !== 'over') return [`TOO SHORT by ${showDuration(lacksMs)}${why}`];
  const passed = is === 'too late' || is === 'over' ? ' HAS PASSED' : '';
  return [`latest start ${clockText(latestStartMs, zone)}${passed}${why}`];
}

/** From the first stop of a service to the last start; `isNow`: some are down already. */
export interface DownSpan extends Span {
  readonly isNow: boolean;
}

export const downSpan = ({ impact: { down }, downtime = [] }: PlanSummary): DownSpan | undefined =>
  down && { ...down, isNow: downtime.some(({ downNow }) => downNow.length > 0) };

/** `about 15 min before the first service stops, then about 20 min until the last one is back`. */
export function partsText({ fromMs, toMs, isNow }: DownSpan): string {
  const text = (ms: number): string => estimateText({ minMs: ms, maxMs: ms });
  const rest = `${text(toMs - fromMs)} until the last one is back`;
  if (isNow) return `services are down now; ${rest}`;
  return fromMs === 0
    ? `the first service stops at once; ${rest}`
    : `${text(fromMs)} before the first service stops, then ${rest}`;
}

/** Why a run does not start now, and what to do; undefined where it may. */
export function closedText(window: PlanWindow): string | undefined {
  const { span, zone, takesMs, rollbackMs, earliestMs, latestStartMs } = window;
  switch (window.is) {
    case 'open':
      return undefined;
    case 'not yet':
      return `the window is closed; it opens ${momentText(span.opensMs, zone)}`;
    case 'over':
      return `the window is closed since ${momentText(span.closesMs, zone)}`;
    case 'too late':
      return `${needText(takesMs, rollbackMs)}: ${showDuration(earliestMs - latestStartMs)} more than is left of the window, which closes at ${clockText(span.closesMs, zone)}; the latest start was ${clockText(latestStartMs, zone)}`;
  }
}

export function needText(takesMs: number, rollbackMs: number): string {
  const takes = estimateText({ minMs: takesMs, maxMs: takesMs });
  return rollbackMs === 0
    ? `the run takes ${takes}`
    : `the run takes ${takes} and a rollback ${showDuration(rollbackMs)}`;
}

/** `Sat 2026-11-21 22:00 – Sun 02:00 CET`, with the whole date where it closes on a later day than the next. */
export function spanText({ opensMs, closesMs }: WindowSpan, zone: string): string {
  const [from, to] = [partsOf(opensMs, zone), partsOf(closesMs, zone)];
  const sameZone = from.get('timeZoneName') === to.get('timeZoneName');
  const opens = `${dayText(from)} ${hourText(from)}${sameZone ? '' : ` ${from.get('timeZoneName') ?? ''}`}`;
  const sameDay = dayText(from) === dayText(to);
  const nextDay = `${to.get('weekday') ?? ''} ${hourText(to)}`;
  const late = closesMs - opensMs < 86_400_000 ? nextDay : `${dayText(to)} ${hourText(to)}`;
  const closes = sameDay ? hourText(to) : late;
  return `${opens} – ${closes} ${to.get('timeZoneName') ?? ''}`;
}

/** `00:50 CET` */
export function clockText(ms: number, zone: string): string {
  const parts = partsOf(ms, zone);
  return `${hourText(parts)} ${parts.get('timeZoneName') ?? ''}`;
}

/** `Sat 2026-11-21 22:00 CET` */
export function momentText(ms: number, zone: string): string {
  const parts = partsOf(ms, zone);
  return `${dayText(parts)} ${hourText(parts)} ${parts.get('timeZoneName') ?? ''}`;
}

type Parts = ReadonlyMap<string, string>;

const dayText = (p: Parts): string =>
  `${p.get('weekday') ?? ''} ${p.get('year') ?? ''}-${p.get('month') ?? ''}-${p.get('day') ?? ''}`;
const hourText = (p: Parts): string => `${p.get('hour') ?? ''}:${p.get('minute') ?? ''}`;

function partsOf(ms: number, zone: string): Parts {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: zone, weekday: 'short', year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' },
  });
  return new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
}
