/** Where text goes: `color` and `width` of the terminal, if it is one. */
export interface Paper {
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
    on ? `\u001b[${open}m${text}\u001b[${close}m` : text;

export const styleFor = ({ color }: Paper): Style => ({
  bold: paint(color, 1, 22),
  dim: paint(color, 2, 22),
  red: paint(color, 31, 39),
  green: paint(color, 32, 39),
  yellow: paint(color, 33, 39),
  cyan: paint(color, 36, 39),
});

/** `§9.4.5`, or nothing. */
export const section = (spec: string | undefined): string => (spec === undefined ? '' : `§${spec}`);

/** Control characters of hosts' output would steer the terminal: they are shown, not obeyed. */
export const printable = (text: string): string =>
  // eslint-disable-next-line no-control-regex -- these are what must not reach a terminal
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);

export const indent = (text: string, by: number): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '' : ' '.repeat(by) + line))
    .join('\n');

export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;
