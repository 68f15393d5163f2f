import { MOST_HOSTS } from '../lib/most-hosts.js';

/** Fewer hosts are easier to read one by one. */
const LEAST = 3;

type Entry<T> = readonly [name: string, entry: T];

/** Neighbours that differ only in a number that counts up become one entry, such as `web-[001:200]`. */
export function foldRanges<T>(entries: readonly Entry<T>[]): readonly Entry<T>[] {
  const runs: Entry<T>[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run !== undefined && last !== undefined && run.length < MOST_HOSTS && follows(last, entry)) run.push(entry);
    else runs.push([entry]);
  }
  return runs.flatMap((run) => (run.length < LEAST ? run : folded(run)));
}

/** `web-`, `009`, `.example.com`: split at the last number. An address has none that counts. */
const partsOf = (name: string): readonly [before: string, number: string, after: string] | undefined => {
  const [, before = '', number, after = ''] = /^[\d.]+$/.test(name) ? [] : (/^(.*?)(\d{1,9})(\D*)$/.exec(name) ?? []);
  return number === undefined ? undefined : [before, number, after];
};

function follows<T>([last, before]: Entry<T>, [name, entry]: Entry<T>): boolean {
  const parts = partsOf(last);
  if (parts === undefined || JSON.stringify(before) !== JSON.stringify(entry)) return false;
  const [start, number, end] = parts;
  const next = String(Number(number) + 1);
  return name === `${start}${number.startsWith('0') ? next.padStart(number.length, '0') : next}${end}`;
}

function folded<T>(run: readonly Entry<T>[]): readonly Entry<T>[] {
  const [first, last] = [run[0], run.at(-1)];
  const [from, to] = [partsOf(first?.[0] ?? ''), partsOf(last?.[0] ?? '')];
  return first === undefined || from === undefined
    ? run
    : [[`${from[0]}[${from[1]}:${to?.[1] ?? ''}]${from[2]}`, first[1]]];
}
