import { MIN_WIDTH, wrap } from '../columns.js';
import { printableLine } from '../style.js';
import { cut } from '../width.js';

export const LABEL = 10;
/** On a narrower terminal a text has more lines: what fits there in one is not worth reading. */
const NARROW = 80;

/** A label, and text beside it. */
export interface ScreenRow {
  readonly label: string;
  readonly text: string;
  /** Lines that it has at most; the last one is cut. */
  readonly most: number;
  /** Where there is no room for all lines, the row with the lowest number gives up lines first, down to one; absent: none. */
  readonly rank?: number;
  /** It may be left out, too. */
  readonly optional?: boolean;
}

/** Rows as lines that fit the width and, where there is a limit, so many lines. */
export function layOut(rows: readonly ScreenRow[], columns: number, room = Infinity): readonly string[] {
  const width = Math.max(MIN_WIDTH, columns);
  const wide = rows.map(({ label, text }) => wrap(printableLine(text).split(' '), width, label.padEnd(LABEL)));
  const heights = wide.map((lines, i) => Math.min(lines.length, (rows[i]?.most ?? 1) + (width < NARROW ? 2 : 0)));
  let over = width < NARROW ? 0 : heights.reduce((sum, height) => sum + height, 0) - room;
  for (const { i, least } of givers(rows)) {
    const given = Math.max(0, Math.min(over, (heights[i] ?? 0) - least));
    heights[i] = (heights[i] ?? 0) - given;
    over -= given;
  }
  return wide.flatMap((lines, i) => cutTo(lines, heights[i] ?? 0, width));
}

/** The rows that may give up lines, in this order. */
const givers = (rows: readonly ScreenRow[]) =>
  rows
    .flatMap(({ rank, optional }, i) => (rank === undefined ? [] : [{ i, rank, least: optional === true ? 0 : 1 }]))
    .toSorted((a, b) => a.rank - b.rank);

function cutTo(lines: readonly string[], height: number, width: number): readonly string[] {
  if (lines.length <= height || height === 0) return lines.slice(0, height);
  const rest = lines.slice(height - 1).map((line, i) => (i === 0 ? line : line.trim()));
  return [...lines.slice(0, height - 1), cut(rest.join(' '), width)];
}
