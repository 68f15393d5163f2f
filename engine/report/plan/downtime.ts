import type { AssessedComponent } from '../../terms/assessment.js';
import type { ComponentNow } from '../../terms/state-now.js';
import type { Range } from '../../terms/step-time.js';
import { groupBy } from '../../lib/group-by.js';
import { predictedOn } from './predicted.js';
import { linesOf, type Line, type Tally } from '../tally.js';
import type { Span, Timeline } from '../timeline.js';

/** The downtime of one service in a plan. */
export interface Downtime {
  readonly title: string;
  readonly note?: string;
  /** Everywhere at once; on some of its hosts at a time; or restarted only. */
  readonly is: 'down' | 'in turn' | 'restart';
  /** In the order in which they are stopped. */
  readonly hosts: readonly string[];
  /** On the host where it takes longest. */
  readonly takes: Range;
  /** From the first stop to the last start, where all takes longest. */
  readonly span: Span;
  /** When it is down on each of them, in the longest estimate. */
  readonly spans: readonly HostSpan[];
  /** It is down on these already, as the plan is made. */
  readonly downNow: readonly ComponentNow[];
  /** The plan does not start it again on these. */
  readonly staysDown: readonly string[];
}

/** When a service is down on one host. */
export interface HostSpan extends Span {
  readonly host: string;
}

interface Outage {
  readonly host: string;
  /** Absent where it is down already. */
  readonly from?: Line;
  readonly to?: Line;
}

interface DowntimeContext {
  readonly shortest: Timeline;
  readonly longest: Timeline;
  /** What is down already. */
  readonly down: readonly ComponentNow[];
}

/** When each service with a title is down; `shortest` and `longest` are timelines of the same plan. */
export function downtimes(
  t: Tally,
  components: readonly AssessedComponent[],
  { shortest, longest, down }: DowntimeContext,
): readonly Downtime[] {
  return components.flatMap((component) => {
    const { name, title, unit, note } = component;
    const downNow = down.filter((now) => now.component === name);
    const outages = title === undefined || unit === undefined ? [] : outagesOf(linesOf(t), unit, downNow);
    if (title === undefined || outages.length === 0) return [];
    const everywhere = [...t.from.values()].filter((versions) => (versions[name] ?? null) !== null).length;
    const [least, most] = [hostSpans(outages, shortest), hostSpans(outages, longest)];
    const isDown = mostAtOnce(most) >= Math.max(1, everywhere);
    return [
      {
        title,
        ...(note === undefined ? {} : { note }),
        is: outages.every(({ from, to }) => from !== undefined && from === to)
          ? 'restart'
          : isDown
            ? 'down'
            : 'in turn',
        hosts: [...new Set(outages.map(({ host }) => host))],
        spans: most,
        takes: { minMs: longestOnAHost(least), maxMs: longestOnAHost(most) },
        span: spanOfAll(most),
        downNow,
        staysDown: outages.flatMap(({ host, to }) => (to === undefined ? [host] : [])),
      } satisfies Downtime,
    ];
  });
}

/** Where and from which line to which line a unit is stopped. A restart begins and ends in one line. */
function outagesOf(lines: readonly Line[], unit: string, downNow: readonly ComponentNow[]): readonly Outage[] {
  const open = new Map<string, Omit<Outage, 'to'>>(downNow.map(({ host }) => [host, { host }]));
  const done: Outage[] = [];
  for (const line of lines) {
    for (const [host, isUp] of predicted(line, unit)) {
      const begun = open.get(host);
      if (!isUp) open.set(host, begun ?? { host, from: line });
      else if (begun !== undefined || (line.is === 'change' && isRestart(line)))
        done.push({ ...(begun ?? { host, from: line }), to: line });
      if (isUp) open.delete(host);
    }
  }
  return [...done, ...open.values()];
}

function predicted(
  { change, is, host: own, leavesActive }: Line,
  unit: string,
): readonly (readonly [host: string, isUp: boolean])[] {
  const isUp = leavesActive?.[unit];
  if (is === 'undecided') return isUp === undefined ? [] : [[own, isUp]];
  if (is !== 'change' || change === undefined) return [];
  return predictedOn(change, 'service')
    .filter(({ name }) => name === unit)
    .map(({ host, value }) => [host, value['active'] === 'active']);
}

/** Else it starts what was stopped: that ends a downtime, which may have begun before this plan. */
export const isRestart = ({ change }: Pick<Line, 'change'>): boolean => change?.starts !== true;

function spanOf({ from, to }: Outage, { spans, totalMs }: Timeline): Span {
  return {
    fromMs: from === undefined ? 0 : (spans.get(from.key)?.fromMs ?? 0),
    toMs: to === undefined ? totalMs : (spans.get(to.key)?.toMs ?? totalMs),
  };
}

const hostSpans = (outages: readonly Outage[], line: Timeline): readonly HostSpan[] =>
  outages.map((outage) => ({ host: outage.host, ...spanOf(outage, line) }));

const spanOfAll = (spans: readonly Span[]): Span => ({
  fromMs: Math.min(...spans.map((s) => s.fromMs)),
  toMs: Math.max(...spans.map((s) => s.toMs)),
});

/** How long it is down in all on the host where that is longest: on one host it may be down more than once. */
export const longestOnAHost = (spans: readonly HostSpan[]): number =>
  Math.max(
    ...groupBy(spans, ({ host }) => host).map((same) => same.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)),
  );

/** On how many hosts it is down at the same time. */
export function mostAtOnce(spans: readonly Span[]): number {
  const points = spans.flatMap(({ fromMs, toMs }) => [
    { atMs: fromMs, by: 1 },
    { atMs: toMs, by: -1 },
  ]);
  let [now, most] = [0, 0];
  for (const { by } of points.sort((a, b) => a.atMs - b.atMs || a.by - b.by)) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}
