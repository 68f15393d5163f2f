import { widthOf } from './width.js';

/** Narrower text is harder to read than text that the terminal wraps. */
export const MIN_WIDTH = 60;

/** Rows as lines whose cells stand under one another; the last cell of a row is not padded. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [i, cell] of row.slice(0, -1).entries()) widths[i] = Math.max(widths[i] ?? 0, widthOf(cell));
  return rows.map((row) =>
    row
      .map((cell, i) => cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - widthOf(cell))))
      .join('  ')
      .trimEnd(),
  );
}

/** Words in lines of at most this width. A longer word is not cut. `first` begins the first line, as many spaces the others. */
export function wrap(words: readonly string[], width: number, first: string): readonly string[] {
  const lines: string[] = [];
  let [line, empty] = [first, true];
  for (const word of words) {
    if (!empty && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      [line, empty] = [' '.repeat(widthOf(first)), true];
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line];
}

/** The first of some lines, with a sign that there are more. */
export function firstOf(lines: readonly string[], width: number): readonly string[] {
  const [first = '', ...more] = lines;
  if (more.length === 0) return lines;
  const [kept = ''] = wrap(first.trimEnd().split(' '), width - 2, '');
  return [`${kept} …`];
}

/** The same of parts with `·` between them. A part stays whole where a line has room for it. */
export const wrapParts = (parts: readonly string[], width: number, first: string): readonly string[] =>
  wrap(
    parts.flatMap((part, i) => {
      const text = i === parts.length - 1 ? part : `${part} ·`;
      return widthOf(first) + widthOf(text) <= width ? [text] : text.split(/ (?!·)/);
    }),
    width,
    first,
  );
