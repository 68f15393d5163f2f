import { bare, linesOf } from '../shared/lines.js';

/** One JVM option as a line of `jvm.options` holds it. */
export interface OptionLine {
  /** 1-based. */
  readonly line: number;
  /** The versions it is for, as written: `8-10`, `11-`, empty for all. */
  readonly scope: string;
  /** `-Xmx8g` */
  readonly option: string;
  /** What it sets, so that two lines for the same thing are seen to be: `-Xmx`, `-XX:UseG1GC`, `-Djava.io.tmpdir`. */
  readonly key: string;
}

export interface OptionFile {
  readonly text: string;
  readonly options: readonly OptionLine[];
  /** Lines that are neither option nor comment: the service does not start with one. */
  readonly bad: readonly number[];
}

/** Reads a file of JVM options. A `#` begins a comment only at the start of a line, and whatever it holds is no option. */
export function readOptions(text: string): OptionFile {
  const options: OptionLine[] = [];
  const bad: number[] = [];
  for (const [i, raw] of linesOf(text).entries()) {
    const line = bare(raw).trimEnd();
    if (line === '' || line.startsWith('#')) continue;
    const found = /^(?:(\d+(?:-\d*)?):)?(-\S.*)$/.exec(line);
    if (found?.[2] === undefined) bad.push(i + 1);
    else options.push({ line: i + 1, scope: found[1] ?? '', option: found[2], key: keyOf(found[2]) });
  }
  return { text, options, bad };
}

/** Other names of the same settings. */
const synonyms: Readonly<Record<string, string>> = {
  InitialHeapSize: '-Xms',
  MaxHeapSize: '-Xmx',
  ThreadStackSize: '-Xss',
};

function keyOf(option: string): string {
  const size = /^-X(?:ms|mx|mn|ss)(?=\d)/.exec(option)?.[0];
  if (size !== undefined) return size;
  const flag = /^-XX:[+-]?(\w+)/.exec(option)?.[1];
  if (flag !== undefined) return synonyms[flag] ?? `-XX:${flag}`;
  const property = /^-D[^=]+/.exec(option)?.[0];
  if (property !== undefined) return property;
  // A log goes to one place once: -Xlog:what:WHERE:how.
  const log = /^-Xlog:[^:]*:([^:]*)/.exec(option)?.[1];
  return log === undefined ? option : `-Xlog::${log}`;
}

/** What identifies a line: its key, for the versions it is for. */
export const idOf = ({ scope, key }: OptionLine): string => `${scope}:${key}`;

const heap = new Set(['-Xms', '-Xmx', '-XX:InitialRAMPercentage', '-XX:MaxRAMPercentage', '-XX:MinRAMPercentage']);
export const isHeap = ({ key }: OptionLine): boolean => heap.has(key);

/** Heap lines that contradict each other, or none. */
export function heapConflict({ options }: OptionFile): readonly OptionLine[] {
  const sizes = options.filter((o) => o.key === '-Xms' || o.key === '-Xmx');
  for (const one of sizes) {
    const other = sizes.find((o) => idOf(o) === idOf(one) && o.option !== one.option);
    if (other !== undefined) return [one, other];
    const most = sizes.find(
      (o) => one.key === '-Xms' && o.key === '-Xmx' && o.scope === one.scope && bytesOf(o.option) < bytesOf(one.option),
    );
    if (most !== undefined) return [one, most];
  }
  return [];
}

/** Bytes of a size such as `-Xmx8g`; NaN when it names none. */
function bytesOf(option: string): number {
  const found = /(\d+)([kmgt]?)$/i.exec(option);
  return found === null
    ? Number.NaN
    : Number(found[1]) * 1024 ** ['', 'k', 'm', 'g', 't'].indexOf((found[2] ?? '').toLowerCase());
}

/** The garbage collector that a line switches on. */
export const collectorOf = ({ option }: OptionLine): string | undefined => /^-XX:\+Use(\w+)GC$/.exec(option)?.[1];

/** Is there a Java version that both lines are for? */
export function meet(a: OptionLine, b: OptionLine): boolean {
  const [[a1, a2], [b1, b2]] = [rangeOf(a.scope), rangeOf(b.scope)];
  return a1 <= b2 && b1 <= a2;
}

function rangeOf(scope: string): readonly [number, number] {
  const found = /^(\d+)(-)?(\d+)?$/.exec(scope);
  if (found === null) return [0, Number.POSITIVE_INFINITY];
  const from = Number(found[1]);
  return [from, found[2] === undefined ? from : found[3] === undefined ? Number.POSITIVE_INFINITY : Number(found[3])];
}
