import { count } from '../../lib/count.js';
import { showDuration } from '../../lib/duration.js';
import type { AssessedBackOut, AssessedSnapshot } from '../../terms/assessment.js';
import type { Recorded } from '../../terms/event.js';
import type { Range } from '../../terms/step-time.js';
import { columns, wrap } from '../columns.js';
import type { Downtime } from './downtime.js';
import { cutWhereShort, type PageLayout } from './page-layout.js';
import { dateText } from './plan-heading.js';
import { sinceText } from '../end/now-lines.js';
import { estimateText } from './estimate-text.js';
import type { PlanSummary } from './plan-summary.js';
import type { PlanWindow } from './plan-window.js';
import { clockText } from './window-lines.js';
import { nameFew, printableLine } from '../style.js';

/** Which services are down, where and how long. */
export function downtimeLines(
  all: readonly Downtime[],
  past: readonly Recorded[],
  { width, style, short }: PageLayout,
): readonly string[] {
  if (all.length === 0) return [`${style.bold('DOWNTIME')}  none`, ''];
  const cellsWith = (hostsOf: (hosts: readonly string[]) => string) =>
    all.map((d) => [
      `  ${d.title}`,
      { down: 'DOWN', 'in turn': 'one at a time', restart: 'restart' }[d.is],
      hostsOf(d.hosts),
      `${estimateText(d.takes)}${d.is === 'down' ? (d.downNow.length > 0 ? ' more' : '') : d.hosts.length > 1 ? ' each' : ''}`,
    ]);
  const named = cellsWith(nameFew);
  const cells = columns(named).some((row) => row.length > width)
    ? cellsWith((hosts) => count(hosts.length, 'host'))
    : named;
  const states = all.map((d) =>
    [
      ...(d.downNow.length === 0
        ? []
        : [`down on ${nameFew(d.downNow.map((c) => c.host))}${sinceText(past, d.downNow)}`]),
      ...(d.staysDown.length === 0 ? [] : [`STAYS DOWN on ${nameFew(d.staysDown)}`]),
    ].join('; '),
  );
  const [bare, whole] = [columns(cells), columns(cells.map((row, i) => [...row, states[i] ?? '']))];
  const rowsOf = (i: number): readonly string[] =>
    (whole[i] ?? '').length <= width ? [whole[i] ?? ''] : withNote(bare[i] ?? '', states[i] ?? '', width);
  const lines = all.flatMap((d, i) => {
    const note = short >= 2 ? '' : (d.note ?? '');
    const [row = '', ...more] = rowsOf(i);
    return more.length === 0 ? withNote(row, note, width) : [row, ...more, ...below(note, width)];
  });
  return [style.bold('DOWNTIME'), ...lines, ''];
}

/** A note at the end of its line, or below where there is no room. */
const withNote = (row: string, note: string, width: number): readonly string[] =>
  note === '' || row.length + note.length + 2 <= width ? [`${row}  ${note}`.trimEnd()] : [row, ...below(note, width)];

const below = (note: string, width: number): readonly string[] =>
  note === '' ? [] : wrap(words(note), width, '      ');

/** How to go back from each stage, and what cannot be taken back. Of a run that goes on: which stage is reached. */
export function backOutLines(
  { backOut, pointsOfNoReturn, rest, window, atMs }: PlanSummary,
  layout: PageLayout,
): readonly string[] {
  const { width, style } = layout;
  if (backOut.length === 0 && pointsOfNoReturn.length === 0) return [];
  const holds = rest === undefined ? undefined : stageNow(backOut);
  const reasons = [...new Set(backOut.flatMap(({ because }) => because ?? []))];
  const areMeasured = backOut.some(({ measured }) => measured === true);
  const stages = backOut.map((one) => [
    `${one === holds ? '→' : ' '} ${one.stage}`,
    one.do,
    one.impossible === true
      ? ''
      : one.counted === undefined
        ? `${showDuration(one.takesMs)}${areMeasured && one.measured !== true ? ' (default)' : ''}`
        : `${estimateText(one.counted)}, counted`,
  ]);
  const promises = backOut.map(({ because, impossible }) =>
    because === undefined
      ? []
      : [
          `not ${impossible === true ? 'possible' : 'promised'}${reasons.length > 1 ? ` (${reasons.indexOf(because) + 1})` : ''}`,
        ],
  );
  const losses = backOut.map(({ dataLoss, impossible }) => (impossible === true ? [] : [`data loss: ${dataLoss}`]));
  const wide = columns(stages.map((row, i) => [...row, ...(promises[i] ?? [])]));
  // Where there is no room both stand below.
  const isWide = wide.every((row) => row.length <= width);
  const [rows, notes] = isWide
    ? [wide, losses]
    : [columns(stages), losses.map((loss, i) => [...(promises[i] ?? []), ...loss])];
  const isCounted = backOut.some(({ counted }) => counted !== undefined);
  const sources = [
    `times: ${areMeasured ? 'measured by earlier rollbacks of this inventory' : 'defaults of the playbook'}`,
    ...(isCounted ? ['counted: by a plan of the rollback'] : []),
    ...(holds === undefined ? ['after a stop, rollback --dry-run counts its steps'] : ['→ is where the run is now']),
  ];
  const [first = '', ...more] = wrap(words(`(${sources.join('; ')})`), width, 'BACK-OUT  ');
  return [
    style.bold('BACK-OUT') + style.dim(first.slice('BACK-OUT'.length)),
    ...more.map(style.dim),
    ...rows.flatMap((row, i) => withNote(row, notes[i]?.join('; ') ?? '', width)),
    ...reasons.flatMap((because, i) =>
      cutWhereShort(wrap(words(because), width, reasons.length > 1 ? `  (${i + 1}) ` : '  not promised: '), layout),
    ),
    ...backOut.flatMap(({ snapshot, because }) =>
      // That there is none is the reason, then.
      snapshot === undefined || (snapshot === null && because !== undefined)
        ? []
        : hanging(`snapshot: ${snapshotText(snapshot)}`, width),
    ),
    ...pointsOfNoReturn.flatMap(({ phase, text, startsAfter }) =>
      cutWhereShort(
        hanging(
          startsAfter === undefined
            ? `point of no return PASSED in phase ${phase}: ${text}`
            : `point of no return in phase ${phase}, ${afterText(startsAfter)}${clockOf(startsAfter, window, atMs)}: ${text}`,
          width,
        ),
        layout,
      ),
    ),
    '',
  ];
}

/** The snapshot that a back-out relies on; nothing here restores it before it is needed. */
export const snapshotText = (snapshot: AssessedSnapshot | null): string =>
  snapshot === null
    ? 'none seen'
    : `${printableLine(`${snapshot.name} ${snapshot.state}`)} ${dateText(snapshot.atMs)}; restored on trial: not by runbook`;

/** What goes on further to the right than where it began. */
const hanging = (text: string, width: number): readonly string[] =>
  wrap(words(text), width - 4, '  ').map((line, i) => (i === 0 ? line : `    ${line}`));

/** When a play begins, as the plan estimates it: after the start, or of a run that goes on from now. */
const afterText = (after: Range): string =>
  after.maxMs === 0 ? 'at once' : `after ${estimateText(after).replace('about ', '')}`;

/** On the clock, where a maintenance window says when the run starts: as it opens, or now. */
function clockOf({ maxMs }: Range, window: PlanWindow | undefined, atMs: number): string {
  if (window === undefined) return '';
  const startMs = Math.max(atMs, window.span.opensMs);
  return ` (${clockText(startMs + maxMs, window.zone)}, if started ${window.is === 'not yet' ? 'as the window opens' : 'now'})`;
}

/** The rollback option where a run is: the first of which the platform shows all that it requires. */
export const backOutNow = (backOut: readonly AssessedBackOut[]): AssessedBackOut | undefined =>
  backOut.find(({ because }) => because === undefined);

/** The stage of a rollback that is asked for: the first one promised, else the last one, which the rollback itself checks further. */
export const rollbackNow = (backOut: readonly AssessedBackOut[]): AssessedBackOut | undefined => {
  const rollbacks = backOut.filter(({ command }) => command === 'rollback');
  return backOutNow(rollbacks) ?? rollbacks.at(-1);
};

/** The stage where a run is, whatever is promised of it. */
export const stageNow = (backOut: readonly AssessedBackOut[]): AssessedBackOut | undefined =>
  backOut.find(({ over }) => over !== true);

export const words = (text: string): readonly string[] => printableLine(text).split(' ');
