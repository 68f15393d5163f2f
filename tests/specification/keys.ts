/** A reference to an item: `§9.4.5`, `§7.yellow`. The full stop of a sentence is none of it. */
const MENTION = /§([1-9][0-9]*(?:\.[0-9]+|\.[a-z][a-z0-9-]*)*)/g;

/** The keys that a text names by `§`, each once, in order. */
export const keysMentioned = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(MENTION)].map(([, key]) => key ?? '')),
];

/** By their numbers, a section before its items, numbers before slugs. */
export function compareKeys(a: string, b: string): number {
  const [left, right] = [a.split('.'), b.split('.')];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const [x = '', y = ''] = [left[i], right[i]];
    if (x === y) continue;
    const [m, n] = [Number(x), Number(y)];
    if (!Number.isNaN(m) && !Number.isNaN(n)) return m - n;
    return x < y ? -1 : 1;
  }
  return 0;
}
