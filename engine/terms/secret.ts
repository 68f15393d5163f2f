import type { Json } from './json.js';
import { isObject } from './json.js';

/**
 * A secret is a reference in all data; its value is met only inside `Actor.perform`, in the HTTP client's sign-in, and where an edit compares a
 * file with it (`modules/shared/secret-values.ts`).
 */
export interface SecretRef {
  readonly $secret: string;
}

/** Text that may hold secrets: a literal, one reference, or a mix of both in order. */
export type Text = string | SecretRef | { readonly $text: readonly (string | SecretRef)[] };

export const isSecretRef = (v: unknown): v is SecretRef =>
  typeof v === 'object' && v !== null && typeof (v as { $secret?: unknown }).$secret === 'string';

export const textParts = (t: Text): readonly (string | SecretRef)[] =>
  typeof t === 'string' || isSecretRef(t) ? [t] : t.$text;

/** How a text is shown: each secret as `{{secret.NAME}}`. */
export const showText = (t: Text): string =>
  textParts(t)
    .map((p) => (typeof p === 'string' ? p : `{{secret.${p.$secret}}}`))
    .join('');

/** True when a value rendered from a template is a Text (a string, a reference, or a mix). */
export const isText = (v: Json): v is Json & Text =>
  typeof v === 'string' || isSecretRef(v) || (isObject(v) && Array.isArray(v['$text']));

/** True where a tree holds what would be taken for a reference: in what a machine answers there is none. */
export const holdsReference = (v: Json): boolean =>
  typeof v === 'object' && v !== null && (isText(v) || Object.values(v).some(holdsReference));

/** The names of the secrets in a tree. */
export function secretNames(value: unknown): readonly string[] {
  if (isSecretRef(value)) return [value.$secret];
  return typeof value === 'object' && value !== null ? [...new Set(Object.values(value).flatMap(secretNames))] : [];
}

/** A tree with each of its texts replaced. */
export function mapTexts(tree: Json, replace: (text: Text) => string): Json {
  if (isText(tree)) return replace(tree);
  if (Array.isArray(tree)) return (tree as readonly Json[]).map((one) => mapTexts(one, replace));
  if (!isObject(tree)) return tree;
  return Object.fromEntries(Object.entries(tree).map(([key, one]) => [key, mapTexts(one, replace)]));
}

/** No text has this character: Unicode keeps it free for a program's own use. */
export const WITHHELD = '\ufdd0';

/** A text in place of one whose secret cannot be put back: whoever would write it to a host must refuse (`isWithheld`). */
export const withheld = (shown: string): string => `${WITHHELD}${shown}${WITHHELD}`;
/** In place of a value that stood there in another form (quoted, encoded): no one can put it back, not even who knows the value. */
export const withheldForm = (shown: string): string => withheld(`${shown} in another form`);
/** In place of the plain value of a secret, which whoever knows it can put back. */
export const masked = (name: string): string => withheld(`{{secret.${name}}}`);
const MASKED = new RegExp(`${WITHHELD}\\{\\{secret\\.([\\w-]+)\\}\\}${WITHHELD}`, 'g');
/** Puts the known values in the place of marks; what is not known stays withheld. */
export const unmasked = (text: string, known: (name: string) => string | undefined): string =>
  isWithheld(text) ? text.replace(MASKED, (mark, name: string) => known(name) ?? mark) : text;
export const isWithheld = (text: string): boolean => text.includes(WITHHELD);
