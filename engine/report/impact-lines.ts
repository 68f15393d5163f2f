import { showDuration } from '../lib/duration.js';
import { columns, wrap } from './columns.js';
import type { Downtime } from './downtime.js';
import { estimateText } from './estimate-text.js';
import type { PlanSummary } from './plan-summary.js';
import { nameFew, printableLine, type Style } from './style.js';

/** Which services are down, where and how long. */
export function downtimeLines(all: readonly Downtime[], width: number, style: Style): readonly string[] {
  if (all.length === 0) return [`${style.bold('DOWNTIME')}  none`, ''];
  const rows = columns(
    all.map((d) => [
      `  ${d.title}`,
      { down: 'DOWN', 'in turn': 'one at a time', restart: 'restart' }[d.is],
      nameFew(d.hosts),
      `${estimateText(d.takes)}${d.is !== 'down' && d.hosts.length > 1 ? ' each' : ''}`,
      d.staysDown.length === 0 ? '' : `STAYS DOWN on ${nameFew(d.staysDown)}`,
    ]),
  );
  return [style.bold('DOWNTIME'), ...all.flatMap(({ note = '' }, i) => withNote(rows[i] ?? '', note, width)), ''];
}

/** A note at the end of its line, or below where there is no room. */
const withNote = (row: string, note: string, width: number): readonly string[] =>
  note === '' || row.length + note.length + 2 <= width
    ? [`${row}  ${note}`.trimEnd()]
    : [row, ...wrap(words(note), width, '      ')];

/** How to go back from each stage, and what cannot be taken back. */
export function backOutLines(
  { backOut, pointsOfNoReturn }: PlanSummary,
  width: number,
  style: Style,
): readonly string[] {
  if (backOut.length === 0 && pointsOfNoReturn.length === 0) return [];
  const rows = columns(
    backOut.map(({ stage, do: what, takesMs, because }) => [
      `  ${stage}`,
      what,
      because === undefined ? `about ${showDuration(takesMs)}` : 'not promised',
    ]),
  );
  const reasons = [...new Set(backOut.flatMap(({ because }) => because ?? []))];
  return [
    `${style.bold('BACK-OUT')}  ${style.dim('(times: defaults of the playbook)')}`,
    ...backOut.flatMap(({ dataLoss, because }, i) =>
      withNote(rows[i] ?? '', because === undefined ? `data loss: ${dataLoss}` : '', width),
    ),
    ...reasons.flatMap((because) => wrap(words(because), width, '  not promised: ')),
    ...pointsOfNoReturn.flatMap(({ phase, text }) => wrap(words(text), width, `  from phase ${phase} on: `)),
    '',
  ];
}

export const words = (text: string): readonly string[] => printableLine(text).split(' ');
