import { firstOf, wrap } from './columns.js';
import { lostIn, lostTogether } from './lost-hosts.js';
import type { TextOnHosts } from './text-on-hosts.js';
import { nameHosts } from '../lib/name-hosts.js';
import { printableLine, section, type Style } from './style.js';
import type { Lost } from './tally.js';

/** The width of the labels at the left. */
export const LABEL = 10;
/** Of one text; the whole of it is in the detail. */
const OF_ONE = 3;

interface NumberedOptions {
  readonly width: number;
  /** At most so many. */
  readonly lines: number;
  /** Of one text. */
  readonly ofOne?: number;
  readonly style: Style;
}

/** Texts below a label, numbered, each once for all of its hosts; those that do not fit are counted. */
export function numberedLines(
  label: string,
  all: readonly TextOnHosts[],
  { width, lines: most, ofOne = OF_ONE, style }: NumberedOptions,
): readonly string[] {
  const lines: string[] = [];
  for (const [i, one] of all.entries()) {
    const its = linesOfOne(one, `${i === 0 ? label.padEnd(LABEL) : ' '.repeat(LABEL)}${i + 1}  `, width, ofOne);
    const isLast = i === all.length - 1;
    if (lines.length > 0 && lines.length + its.length > most - (isLast ? 0 : 1)) {
      lines.push(`${' '.repeat(LABEL)}… and ${all.length - i} more (--detail)`);
      break;
    }
    lines.push(...its);
  }
  return lines.map((line, i) => (i === 0 ? style.bold(label) + line.slice(label.length) : line));
}

/** Hosts that could not be read. */
export const lostLines = (lost: ReadonlyMap<string, Lost>, options: NumberedOptions): readonly string[] =>
  numberedLines(
    'AWAY',
    lostTogether(lostIn(lost)).map(({ leftOut, text, ...one }) => ({
      ...one,
      text: leftOut ? `left out, unreachable: ${text}` : text,
    })),
    options,
  );

function linesOfOne(
  { text, hint, spec, hosts }: TextOnHosts,
  first: string,
  width: number,
  most: number,
): readonly string[] {
  const whole = [
    ...(hosts.length === 0 ? [] : [`${nameHosts(hosts)}:`]),
    printableLine(text.replaceAll('\n+ ', ' + ')),
    ...(spec === undefined ? [] : [`(${section(spec)})`]),
    ...(hint === undefined ? [] : [`→ ${printableLine(hint)}`]),
  ].join(' ');
  const lines = wrap(whole.split(' '), width, first);
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), ...firstOf(lines.slice(most - 1), width)];
}
