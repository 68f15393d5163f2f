import { escapeUnits } from '../lib/escape-units.js';

/** Where text goes: `color` and `width` of the terminal, if it is one. */
export interface Terminal {
  readonly color: boolean;
  readonly width: number;
}

export type Paint = (text: string) => string;
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

const paint =
  (on: boolean, open: number, close: number): Paint =>
  (text) =>
    on && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text;

export const styleFor = ({ color }: Pick<Terminal, 'color'>): Style => ({
  bold: paint(color, 1, 22),
  dim: paint(color, 2, 22),
  red: paint(color, 31, 39),
  green: paint(color, 32, 39),
  yellow: paint(color, 33, 39),
  cyan: paint(color, 36, 39),
});

/** The section of a specification with its sign, or nothing. */
export const section = (spec: string | undefined): string => (spec === undefined ? '' : `§${spec}`);

const shown = (c: string): string =>
  c.charCodeAt(0) < 0x100 ? `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}` : escapeUnits(c);

/**
 * Text that did not come from us, as a terminal may have it: control characters (a host's output would steer the terminal) and
 * the marks that turn the direction of text are shown, not obeyed. Tabs and line ends stay.
 */
export const printable = (text: string): string => inPieces(text, (piece) => piece.replace(STEERING, shown));

/** The text that `change` makes of it, piece by piece. */
export function inPieces(text: string, change: (piece: string) => string): string {
  let changed = '';
  for (let at = 0; at < text.length; at += PIECE) changed += change(text.slice(at, at + PIECE));
  return changed;
}

/** V8 ends the process where one replacement has some ten millions of matches, as in an output of zeros. */
const PIECE = 1024 * 1024;
// eslint-disable-next-line no-control-regex -- these are what must not reach a terminal
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The same on one line: a host's line end would let it write a line of its own. */
export const printableLine = (text: string): string => printable(text).replaceAll('\n', ' ⏎ ').replaceAll('\t', ' ');

/** The same with what begins with `+ ` on lines of its own, so far to the right: no line that a host could write means anything else. */
export const printableList = (text: string, by: number): string =>
  text
    .split(/\n(?=\+ )/)
    .map(printableLine)
    .join(`\n${' '.repeat(by)}`);

export const indent = (text: string, by: number): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '' : ' '.repeat(by) + line))
    .join('\n');

/** The same for a line with many such names: at most three of them. */
export const nameFew = (hosts: readonly string[]): string =>
  hosts.length <= 3 ? hosts.join(', ') : `${hosts.slice(0, 2).join(', ')} and ${hosts.length - 2} more`;
