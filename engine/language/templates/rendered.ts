import type { Cause, Known } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import { isText, type SecretRef, textParts } from '../../terms/secret.js';

/** Where names are looked up, by their whole path. */
export interface Scope {
  get(path: readonly string[]): Known<Json> | 'missing';
}

/** `wrong`: a mistake of the playbook's writer that only now shows, as a list in the middle of a text. */
export type Rendered =
  | { readonly is: 'value'; readonly value: Json }
  | ({ readonly is: 'unknown' } & Cause)
  | { readonly is: 'wrong'; readonly message: string };

export const value = (v: Json): Rendered => ({ is: 'value', value: v });
export const wrong = (message: string): Rendered => ({ is: 'wrong', message });

/** One value out of several; instead of it the first that is wrong, or else all that is unknown. */
export function all(parts: readonly Rendered[], build: (values: readonly Json[]) => Json): Rendered {
  const mistake = parts.find((part) => part.is === 'wrong');
  if (mistake !== undefined) return mistake;
  const unknowns = parts.filter((part) => part.is === 'unknown');
  if (unknowns.length > 0) return { is: 'unknown', ...unite(unknowns) };
  return value(build(parts.map((part) => (part.is === 'value' ? part.value : null))));
}

/** Several causes as one, each step and each reason once. */
export const unite = (causes: readonly Cause[]): Cause => ({
  dependsOn: [...new Set(causes.flatMap((cause) => cause.dependsOn))],
  because: [...new Set(causes.map((cause) => cause.because))].join(', and '),
});

/** Puts texts together: neighbouring literals become one, and without a secret the whole is plain text. */
export function joinTexts(texts: readonly Json[]): Json {
  if (texts.every((text) => typeof text === 'string')) return texts.join('');
  const parts: (string | SecretRef)[] = [];
  for (const part of texts.flatMap((text) => (isText(text) ? textParts(text) : []))) {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else if (part !== '') parts.push(part);
  }
  if (parts.every((part) => typeof part === 'string')) return parts.join('');
  const written = parts.map((part) => (typeof part === 'string' ? part : { $secret: part.$secret }));
  return written.length === 1 ? (written[0] ?? '') : { $text: written };
}

/** What a path leads to in a value: own members of objects, elements of lists by number; undefined when nowhere. */
export function memberOf(within: Json, path: readonly string[]): Json | undefined {
  let at: Json | undefined = within;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    if (Array.isArray(at) && !/^\d+$/.test(key)) return undefined;
    at = (at as Readonly<Record<string, Json>>)[key];
  }
  return at;
}
