import { isMap, isScalar, isSeq, type Document, type Pair } from 'yaml';

/** Values that stand at the same key anywhere, by `PARENT.KEY`: what may stand there, too. */
export type Seen = ReadonlyMap<string, ReadonlySet<unknown>>;

/** Another value for a literal: of the same kind, and far enough away to be noticed. Nothing for a template: removed, it is gone as well. */
export function altered(value: unknown, others: Iterable<unknown>): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value === 0 ? 1 : 0;
  if (typeof value !== 'string' || value.includes('{{')) return undefined;
  if (/^\d+(\.\d+)+$/.test(value)) return value.replace(/\d+$/, (n) => String(Number(n) + 1));
  if (/^\d+(ms|s|m|h|d)$/.test(value)) return value === '1s' ? '1h' : '1s';
  if (/^\d+ ?[a-zA-Z%]+$/.test(value)) return value.replace(/^\d+/, (n) => (n === '1' ? '2' : '1'));
  const word = /^[a-z][a-z_-]*$/;
  const other = word.test(value)
    ? [...others].find((o) => typeof o === 'string' && o !== value && word.test(o))
    : undefined;
  return other ?? `${value}-altered`;
}

/** Every literal of these documents by the key that it stands at. */
export function valuesSeen(documents: readonly Document[]): Seen {
  const seen = new Map<string, Set<unknown>>();
  const visit = (node: unknown, parent: string, key: string): void => {
    const at = `${parent}.${key}`;
    if (isScalar(node)) seen.set(at, (seen.get(at) ?? new Set()).add(node.value));
    if (isSeq(node)) for (const item of node.items) visit(item, parent, key);
    if (isMap(node)) for (const pair of node.items) visit(pair.value, key, keyOf(pair));
  };
  for (const document of documents) visit(document.contents, '', '');
  return seen;
}

export const keyOf = ({ key }: Pair): string => (isScalar(key) ? String(key.value) : '');
