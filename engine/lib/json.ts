import { stringify } from 'safe-stable-stringify';

/** The same shape as `Json` of terms: this room imports nothing. */
export type JsonLike = null | boolean | number | string | readonly JsonLike[] | { readonly [key: string]: JsonLike };

const isList = (v: JsonLike | undefined): v is readonly JsonLike[] => Array.isArray(v);
const isRecord = (v: JsonLike | undefined): v is { readonly [key: string]: JsonLike } =>
  typeof v === 'object' && v !== null && !isList(v);

/** JSON with sorted keys and no white space: equal values give equal texts. */
export const stableStringify = (value: JsonLike): string => stringify(value);

/** More levels than any answer has, and far fewer than functions that go through a value level by level can take. */
export const MOST_LEVELS = 500;

/** Four times what every column of 20,000 shards has; a value takes many times the memory that its text does. */
export const MOST_VALUES = 5_000_000;

/** The value of a JSON text; undefined when it is none, when it has too many values, and when it is nested too deeply. */
export function jsonOrUndefined(text: string): JsonLike | undefined {
  // Asked before it is parsed, which is what takes the memory.
  if (hasTooMany(text)) return undefined;
  try {
    const value = JSON.parse(text) as JsonLike;
    // Asked of what is JSON: the parser itself takes any depth, and most other texts end at their first character.
    return isTooDeep(text) ? undefined : value;
  } catch {
    return undefined;
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Goes through what stands outside the strings of a text written as JSON, until a character is one to stop at. */
function stopsOutsideStrings(text: string, stopsAt: (c: number) => boolean): boolean {
  let isString = false;
  for (let i = 0; i < text.length; i += 1) {
    const c = text.charCodeAt(i);
    if (isString) {
      if (c === BACKSLASH) i += 1;
      else if (c === QUOTE) isString = false;
    } else if (c === QUOTE) isString = true;
    else if (stopsAt(c)) return true;
  }
  return false;
}

/** Has a text more levels of lists and maps, written as in JSON, than are read? */
export function isTooDeep(text: string, most = MOST_LEVELS): boolean {
  if (text.length <= most) return false;
  let levels = 0;
  return stopsOutsideStrings(text, (c) => {
    if (c === OPEN_LIST || c === OPEN_MAP) levels += 1;
    else if (c === CLOSE_LIST || c === CLOSE_MAP) levels -= 1;
    return levels > most;
  });
}

/** Has a text more values than are read, written as in JSON? Names of members are counted as part of their values. */
export function hasTooMany(text: string, most = MOST_VALUES): boolean {
  // Each value but the last is followed by a comma or begins a list or map.
  if (text.length < most) return false;
  let values = 1;
  return stopsOutsideStrings(text, (c) => {
    if (c === COMMA || c === OPEN_LIST || c === OPEN_MAP) values += 1;
    return values > most;
  });
}

/** Why a text has no value, to stand behind its name. */
export const whyNoJson = (text: string, otherwise: string): string =>
  hasTooMany(text)
    ? `has more than ${MOST_VALUES} values, the most that are read`
    : isTooDeep(text)
      ? `is nested more than ${MOST_LEVELS} levels deep, the most that are read`
      : otherwise;

/** What a JSON pointer (RFC 6901) leads to, own properties only; undefined when it leads nowhere or is none. */
export function pointer(value: JsonLike | undefined, path: string): JsonLike | undefined {
  if (path === '') return value;
  if (!path.startsWith('/')) return undefined;
  let at: JsonLike | undefined = value;
  for (const written of path.slice(1).split('/')) {
    const token = written.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isList(at)) at = /^(?:0|[1-9]\d*)$/.test(token) ? at[Number(token)] : undefined;
    else at = isRecord(at) && Object.hasOwn(at, token) ? at[token] : undefined;
  }
  return at;
}

/**
 * Does `found` hold all that is wanted? Objects by the keys wanted, lists element by element. Servers give numbers and booleans
 * back as text, so `1` and `"1"` are equal; a wanted null (which takes a setting away) is met by nothing being there.
 */
export function subsetOf(wanted: JsonLike, found: JsonLike | undefined): boolean {
  if (wanted === null) return found === null || found === undefined;
  if (isList(wanted)) {
    return isList(found) && found.length === wanted.length && wanted.every((w, i) => subsetOf(w, found[i]));
  }
  if (typeof wanted === 'object') {
    if (!isRecord(found)) return false;
    return Object.entries(wanted).every(([k, w]) => subsetOf(w, Object.hasOwn(found, k) ? found[k] : undefined));
  }
  if (found === null || found === undefined || typeof found === 'object') return false;
  return typeof wanted === typeof found ? wanted === found : String(wanted) === String(found);
}
