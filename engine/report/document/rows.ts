import { groupBy } from '../../lib/group-by.js';
import type { Downtime, HostSpan } from '../plan/downtime.js';
import type { Phase } from '../plan/plan-summary.js';
import type { Span } from '../timeline.js';
import type { Row, Service } from './document.js';
import type { MeasuredService } from './measured.js';

/** A service on more hosts than these has one row. */
const HOST_ROWS = 8;

/** The rows of a plan's picture: phases, then services on their hosts. */
export const plannedRows = (phases: readonly Phase[], downtime: readonly Downtime[]): readonly Row[] => [
  ...phases.flatMap(({ name, span }) =>
    span.toMs === span.fromMs
      ? []
      : [{ kind: 'phase', title: name, hosts: [], estimate: [span], measured: [] } as const],
  ),
  ...downtime.flatMap(({ title, is, spans }) => serviceRows(title, is, spans, 'estimate')),
];

/** The same of a run. */
export const measuredRows = (
  phases: ReadonlyMap<string, readonly Span[]>,
  services: readonly MeasuredService[],
): readonly Row[] => [
  ...[...phases].flatMap(([title, measured]) =>
    measured.every(({ fromMs, toMs }) => fromMs === toMs)
      ? []
      : [{ kind: 'phase', title, hosts: [], estimate: [], measured } as const],
  ),
  ...services.flatMap(({ title, is, spans }) => serviceRows(title, is, spans, 'measured')),
];

function serviceRows(
  title: string,
  kind: Service['is'],
  spans: readonly HostSpan[],
  which: 'estimate' | 'measured',
): readonly Row[] {
  const byHost = groupBy(spans, ({ host }) => host);
  const row = (hosts: readonly string[], mine: readonly Span[]): Row => ({
    ...{ kind, title, hosts, estimate: [], measured: [] },
    [which]: mine,
  });
  if (byHost.length <= HOST_ROWS) return byHost.map((mine) => row([mine[0].host], mine.map(spanOf)));
  return [
    row(
      byHost.map(([{ host }]) => host),
      union(spans),
    ),
  ];
}

const spanOf = ({ fromMs, toMs }: Span): Span => ({ fromMs, toMs });

/** Spans that touch, as one. */
function union(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = [];
  for (const { fromMs, toMs } of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = all.at(-1);
    if (last !== undefined && fromMs <= last.toMs)
      all[all.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, toMs) };
    else all.push({ fromMs, toMs });
  }
  return all;
}

/** Estimate and measurement of the same thing in one row. */
export function joined(planned: readonly Row[], measured: readonly Row[]): readonly Row[] {
  const keyOf = ({ kind, title, hosts }: Row): string => JSON.stringify([kind === 'phase', title, hosts]);
  const was = new Map(measured.map((row) => [keyOf(row), row]));
  const known = new Set(planned.map(keyOf));
  const all = [
    ...planned.map((row) => ({ ...row, measured: was.get(keyOf(row))?.measured ?? [] })),
    ...measured.filter((row) => !known.has(keyOf(row))),
  ];
  return [...all.filter(({ kind }) => kind === 'phase'), ...all.filter(({ kind }) => kind !== 'phase')];
}
