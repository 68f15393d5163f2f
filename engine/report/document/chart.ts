import type { Span } from '../timeline.js';
import { axisOf, labelOf } from './axis.js';
import type { Row, TimelineOf } from './document.js';

const BARS = 64;
const LABELS = 34;

/** The timeline in characters: `░` as estimated, `█` as measured. */
export function chartOf(timeline: TimelineOf): readonly string[] {
  const { totalMs, ticks } = axisOf(timeline, 5);
  const at = (ms: number): number => Math.min(BARS - 1, Math.floor((ms / totalMs) * BARS));
  const line = (label: string, bars: string): string => `${label.slice(0, LABELS).padEnd(LABELS)} ${bars}`.trimEnd();
  const ruler = Array<string>(BARS + 12).fill(' ');
  for (const ms of ticks) for (const [i, c] of Array.from(labelOf(ms)).entries()) ruler[at(ms) + i] = c;
  return [
    line('', ruler.join('')),
    ...timeline.rows.flatMap((row) => {
      const bars = [
        ...(row.estimate.length === 0 ? [] : [barOf(row.estimate, at, '░')]),
        ...(row.measured.length === 0 ? [] : [barOf(row.measured, at, '█')]),
      ];
      return bars.map((bar, i) => line(i === 0 ? nameOf(row) : '', bar));
    }),
    line(
      '',
      timeline.measuredMs === undefined
        ? '░ estimate'
        : timeline.estimateMs === undefined
          ? '█ measured'
          : '░ estimate  █ measured',
    ),
  ];
}

function barOf(spans: readonly Span[], at: (ms: number) => number, sign: string): string {
  const cells = Array<string>(BARS).fill(' ');
  for (const { fromMs, toMs } of spans) cells.fill(sign, at(fromMs), at(Math.max(fromMs, toMs - 1)) + 1);
  return cells.join('');
}

const nameOf = ({ title, hosts }: Row): string =>
  `${title}${hosts.length === 0 ? '' : hosts.length === 1 ? ` · ${hosts[0] ?? ''}` : ` · ${hosts.length} hosts`}`;
