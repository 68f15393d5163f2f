import { count } from '../lib/count.js';
import { compareVersions } from '../lib/version.js';
import type { Cause } from '../terms/fact.js';
import { isObject, type Json } from '../terms/json.js';
import { compareQuantities, Quantity } from './quantity.js';

/** The version of a package or a release. `null`: nothing is installed; such a version equals nothing and has no order. */
export class Version {
  constructor(readonly text: string | null) {}
}

/** A host that a macro's variable stands for: `hosts.database.all(h, h.installed.database == …)`. */
export class HostRef {
  constructor(readonly name: string) {}
}

/** What an expression handles. */
export type Value = Json | Version | Quantity | HostRef | readonly Value[];

/** What came of an expression or a part of it. */
export type Outcome =
  | { readonly is: 'value'; readonly value: Value }
  | ({ readonly is: 'unknown' } & Cause)
  /** A mistake: waiting does not help. */
  | { readonly is: 'wrong'; readonly reason: string };

export const value = (v: Value): Outcome => ({ is: 'value', value: v });
export const wrong = (reason: string): Outcome => ({ is: 'wrong', reason });

export const isList = (v: Value): v is readonly Value[] => Array.isArray(v);
export const isMap = (v: Value): v is Json & object =>
  isObject(v as Json) && !(v instanceof Version) && !(v instanceof Quantity) && !(v instanceof HostRef);

/** What a key or an index leads to; undefined where there is nothing. */
export function member(of: Value, key: string): Value | undefined {
  if (isList(of)) return /^\d+$/.test(key) ? of[Number(key)] : undefined;
  return isMap(of) && Object.hasOwn(of, key) ? (of as Readonly<Record<string, Json>>)[key] : undefined;
}

/** Deep equality. A version or quantity equals a text by its order; undefined when that text is none. */
export function equals(a: Value, b: Value): boolean | undefined {
  if (a instanceof Quantity || b instanceof Quantity) {
    const sign = order(a, b);
    return sign === undefined ? undefined : sign === 0;
  }
  if (a instanceof Version || b instanceof Version) {
    const [x, y] = [versionText(a), versionText(b)];
    if (x === undefined || y === undefined) return false;
    const order = x === null || y === null ? null : compareVersions(x, y);
    return order === undefined ? undefined : order === 0;
  }
  if (a instanceof HostRef || b instanceof HostRef)
    return a instanceof HostRef && b instanceof HostRef && a.name === b.name;
  if (isList(a) && isList(b)) return a.length === b.length && a.every((one, i) => equals(one, b[i] ?? null) === true);
  if (isMap(a) && isMap(b)) {
    const [x, y] = [a as Readonly<Record<string, Json>>, b as Readonly<Record<string, Json>>];
    const keys = Object.keys(x);
    return (
      keys.length === Object.keys(y).length &&
      keys.every((key) => Object.hasOwn(y, key) && equals(x[key] ?? null, y[key] ?? null) === true)
    );
  }
  return a === b;
}

/** -1, 0 or 1; `null` when one of two versions or quantities is absent, undefined when the two have no order. */
export function order(a: Value, b: Value): number | null | undefined {
  if (a instanceof Quantity) return compareQuantities(a, b);
  if (b instanceof Quantity) {
    const sign = compareQuantities(b, a);
    return typeof sign === 'number' ? -sign : sign;
  }
  if (typeof a === 'number' && typeof b === 'number') return Math.sign(a - b);
  if (!(a instanceof Version) && !(b instanceof Version)) return undefined;
  const [x, y] = [versionText(a), versionText(b)];
  if (x === undefined || y === undefined) return undefined;
  return x === null || y === null ? null : compareVersions(x, y);
}

const versionText = (v: Value): string | null | undefined =>
  v instanceof Version ? v.text : typeof v === 'string' ? v : undefined;

const LONGEST = 40;
export const isStructured = (v: Value): boolean => isList(v) || isMap(v);

/** A text of at most so many characters. */
export const cut = (text: string, room = LONGEST): string =>
  text.length > room ? `${text.slice(0, room - 1)}…` : text;

/** A value in a reason: a text in quotes, a version without; short, on one line, never a dump. */
export function show(v: Value): string {
  if (v instanceof Version) return v.text ?? 'not installed';
  if (v instanceof Quantity) return v.text === '' ? '""' : v.text;
  if (v instanceof HostRef) return v.name;
  if (isList(v))
    return v.length > 3 || v.some(isStructured)
      ? `a list of ${count(v.length, 'element')}`
      : `[${v.map(show).join(', ')}]`;
  if (isMap(v)) return `a map of ${count(Object.keys(v).length, 'key')}`;
  return typeof v === 'string' ? shownText(v) : JSON.stringify(v);
}

/** A text of several lines, such as a file, by their number. */
function shownText(text: string): string {
  const { length } = text.trimEnd().split('\n');
  return length > 1 ? `a text of ${length} lines` : `"${cut(text.replace(/\s+/g, ' '))}"`;
}
