import { showDuration } from '../../lib/duration.js';
import { dateText } from '../plan/plan-heading.js';
import type { Span } from '../timeline.js';
import { axisOf, labelOf } from './axis.js';
import type { Row, TimelineOf } from './document.js';
import { markup, NOTHING, type Html } from './html-text.js';
import { visibleLine } from './visible.js';
import { clock } from './words-impact.js';

const LABELS = 240;
const BARS = 720;
const ROW = 22;
const TOP = 26;
/** What takes a moment is still seen. */
const NARROWEST = 2;

const round = (n: number): number => Math.round(n * 10) / 10;

/** The timeline as a picture: phases, then services that are down on their hosts; the estimate above what was measured. */
export function pictureOf(timeline: TimelineOf, label: string): Html {
  const { rows, marks } = timeline;
  const both = timeline.estimateMs !== undefined && timeline.measuredMs !== undefined;
  const { totalMs, ticks } = axisOf(timeline);
  const x = (ms: number): number => round(LABELS + (ms / totalMs) * BARS);
  const bottom = TOP + rows.length * ROW;
  const upright = (kind: string, ms: number): Html =>
    markup`<line class="${kind}" x1="${x(ms)}" y1="${TOP - 6}" x2="${x(ms)}" y2="${bottom}"/>\n`;
  const tick = (ms: number): Html =>
    markup`${upright('grid', ms)}<text class="tick" x="${x(ms)}" y="${TOP - 11}">${labelOf(ms)}</text>\n`;
  const first = rows.findIndex(({ kind }) => kind !== 'phase');
  return markup`<figure>
<svg viewBox="0 0 ${LABELS + BARS + 24} ${bottom + 4}" role="img" aria-labelledby="picture-title picture-text">
<title id="picture-title">${label}</title>
<desc id="picture-text">${describe(timeline)}</desc>
${ticks.map(tick)}${first > 0 ? rule(TOP + first * ROW) : NOTHING}${rows.map((row, i) => rowOf(row, TOP + i * ROW, x, both))}${marks.map(({ atMs }) => upright('mark', atMs))}</svg>
<figcaption>${captionOf(timeline)}${legendOf(timeline)}</figcaption>
</figure>
`;
}

const rule = (y: number): Html => markup`<line class="rule" x1="0" y1="${y}" x2="${LABELS + BARS}" y2="${y}"/>\n`;

function rowOf(row: Row, y: number, x: (ms: number) => number, both: boolean): Html {
  const kind = row.kind === 'in turn' ? 'in-turn' : row.kind;
  const bars = (which: 'estimate' | 'measured', top: number, height: number): readonly Html[] =>
    row[which].map((span) => {
      const width = Math.max(NARROWEST, round(x(span.toMs) - x(span.fromMs)));
      const place = markup`x="${x(span.fromMs)}" y="${top}" width="${width}" height="${height}"`;
      return markup`<rect class="${both ? `${which} ` : ''}${kind}" ${place}><title>${visibleLine(tipOf(row, which, span))}</title></rect>\n`;
    });
  const drawn = both
    ? [...bars('estimate', y + 2, 7), ...bars('measured', y + 10, 9)]
    : [...bars('estimate', y + 3, 15), ...bars('measured', y + 3, 15)];
  return markup`<text class="label" x="0" y="${y + 15}">${visibleLine(nameOf(row))}</text>
${drawn}`;
}

/** At most what fits beside the bars. */
function nameOf({ title, hosts }: Row): string {
  const on = hosts.length === 0 ? '' : hosts.length === 1 ? ` · ${hosts[0] ?? ''}` : ` · ${hosts.length} hosts`;
  const room = Math.max(8, 36 - on.length);
  const short = title.length > room ? `${title.slice(0, room - 1)}…` : title;
  return `${short}${on.length > 28 ? `${on.slice(0, 27)}…` : on}`;
}

const tipOf = ({ title, hosts }: Row, which: 'estimate' | 'measured', { fromMs, toMs }: Span): string =>
  `${title}${hosts.length === 1 ? ` on ${hosts[0] ?? ''}` : ''}, ${which}: ${clock(fromMs)} to ${clock(toMs)}, ${showDuration(toMs - fromMs)}`;

function captionOf({ estimateMs, measuredMs, startMs }: TimelineOf): string {
  const since = `Time since the start of the run${startMs === undefined ? '' : `, ${dateText(startMs)}`}`;
  if (estimateMs === undefined) return `${since}, as measured.`;
  if (measuredMs === undefined) return `${since}, in the longest estimate.`;
  return `${since}. Upper, paler bar: the estimate; lower bar: as measured.`;
}

const KINDS = [
  ['phase', 'phase', 'phase'],
  ['down', 'down', 'service down'],
  ['in turn', 'in-turn', 'one host at a time'],
  ['restart', 'restart', 'restart'],
] as const;

function legendOf({ rows, marks }: TimelineOf): Html {
  const key = (name: string, text: string): Html =>
    markup` <span class="key"><span class="swatch ${name}"></span>${text}</span>`;
  const used = KINDS.filter(([kind]) => rows.some((row) => row.kind === kind)).map(([, name, text]) => key(name, text));
  return markup`${used}${marks.length === 0 ? NOTHING : key('mark', 'point of no return')}`;
}

function describe({ rows }: TimelineOf): string {
  const phases = rows.filter(({ kind }) => kind === 'phase').length;
  return `${phases} phases and ${rows.length - phases} rows of services that are down; the table below has the same.`;
}
