import { getOrCreate } from './get-or-create.js';

/** Items with the same key together, in the order in which each key came first. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly (readonly [T, ...T[]])[] {
  const groups = new Map<string, T[]>();
  for (const item of items) getOrCreate(groups, keyOf(item), () => []).push(item);
  return [...groups.values()] as unknown as readonly (readonly [T, ...T[]])[];
}
