import { durationMs } from '../lib/duration.js';
import { isObject, type Json, type JsonObject } from '../terms/json.js';

// Readers of data whose schema has been checked: an invalid value counts as absent, because that check has reported it.

export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
export const listOf = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];
export const textOf = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
export const numberOf = (value: Json | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined;
export const flagOf = (value: Json | undefined): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined;
/** Milliseconds of a written duration. */
export const durationOf = (value: Json | undefined): number => durationMs(textOf(value) ?? '') ?? 0;
export const textsOf = (value: Json | undefined): readonly string[] =>
  listOf(value).filter((v) => typeof v === 'string');

/** Every text in a tree, with its path from `path` on. */
export function* leaves(
  tree: Json | undefined,
  path: readonly (string | number)[] = [],
): Generator<{ readonly text: string; readonly path: readonly (string | number)[] }> {
  if (typeof tree === 'string') yield { text: tree, path };
  else if (Array.isArray(tree))
    for (const [i, item] of (tree as readonly Json[]).entries()) yield* leaves(item, [...path, i]);
  else if (isObject(tree)) for (const [key, value] of Object.entries(tree)) yield* leaves(value, [...path, key]);
}
