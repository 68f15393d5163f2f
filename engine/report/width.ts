import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';

// By itself: the library compiles its tables when it is loaded, which most commands need not pay.

/** The columns that a line takes, without its colours: an ideograph or an emoji takes two, a combining mark none. */
export function widthOf(line: string): number {
  const plain = line.replace(COLORS, '');
  return ONE_COLUMN_EACH.test(plain) ? plain.length : stringWidth(plain);
}

// eslint-disable-next-line no-control-regex -- our own colour codes
const COLORS = /\u001b\[\d+m/g;

/** Latin letters, and the dashes, arrows, bars and signs of our own screens: a live view asks thousands of times a second. */
const ONE_COLUMN_EACH =
  /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u259f\u2713\u2717]*$/;

/** Cuts a line to this many columns. A line that is cut loses its colours. */
export function cut(line: string, width: number): string {
  if (widthOf(line) <= width) return line;
  let [fitting, room] = ['', width - 1];
  for (const { segment } of graphemes.segment(stripVTControlCharacters(line))) {
    room -= widthOf(segment);
    if (room < 0) break;
    fitting += segment;
  }
  return `${fitting}…`;
}

/** What a reader calls a character: a letter with its marks, an emoji of several code points. */
const graphemes = new Intl.Segmenter('en');
