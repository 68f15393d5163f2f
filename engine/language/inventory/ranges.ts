import { isObject, type Json } from '../../terms/json.js';
import { limits } from '../yaml/limits.js';

/** A host name, or all the names of a range with the number of each as it stands in the name. */
export type Range =
  | { readonly is: 'name'; readonly name: string }
  | { readonly is: 'range'; readonly hosts: readonly { readonly name: string; readonly n: string }[] }
  | { readonly is: 'wrong'; readonly message: string; readonly hint?: string };

const wrong = (message: string, hint?: string): Range => ({
  is: 'wrong',
  message,
  ...(hint === undefined ? {} : { hint }),
});

/**
 * Reads `web-[001:200]` or `node-[a:c]`. Leading zeros keep the width: `[001:200]` gives 001, 002, …; `[1:10]` gives 1, 2, ….
 * A name without brackets is itself.
 */
export function parseRange(written: string): Range {
  if (!/[[\]]/.test(written)) return { is: 'name', name: written };
  const parts = /^([^[\]]*)\[([^[\]:]+):([^[\]:]+)\]([^[\]]*)$/.exec(written);
  if (parts === null) return wrong(`"${written}" is no range`, 'such as web-[001:200], one range in a name');
  const [, before = '', first = '', last = '', after = ''] = parts;
  const all = numbers(first, last) ?? letters(first, last);
  if (all === undefined)
    return wrong(`[${first}:${last}] is no range`, 'two whole numbers or two small letters, the smaller first');
  if (typeof all === 'number')
    return wrong(`[${first}:${last}] names ${all} hosts; a range may name ${limits.rangeHosts}`);
  return { is: 'range', hosts: all.map((n) => ({ name: `${before}${n}${after}`, n })) };
}

/** The numbers as text; how many, when they are too many; undefined when these are none. */
function numbers(first: string, last: string): readonly string[] | number | undefined {
  if (!/^\d{1,9}$/.test(first) || !/^\d{1,9}$/.test(last) || Number(first) > Number(last)) return undefined;
  const padded = /^0\d/.test(first);
  if (padded && first.length !== last.length) return undefined;
  const count = Number(last) - Number(first) + 1;
  if (count > limits.rangeHosts) return count;
  return Array.from({ length: count }, (_, i) => String(Number(first) + i).padStart(padded ? first.length : 1, '0'));
}

function letters(first: string, last: string): readonly string[] | undefined {
  if (!/^[a-z]$/.test(first) || !/^[a-z]$/.test(last) || first > last) return undefined;
  const from = first.charCodeAt(0);
  return Array.from({ length: last.charCodeAt(0) - from + 1 }, (_, i) => String.fromCharCode(from + i));
}

const number = /\{\{\s*n\s*\}\}/g;

/** True when the text asks for the number of a range. */
export const asksNumber = (text: string): boolean => new RegExp(number.source).test(text);

/** Puts the number of a host in place of `{{n}}` in every text of a tree. */
export function withNumber(tree: Json, n: string): Json {
  if (typeof tree === 'string') return tree.replace(number, n);
  if (Array.isArray(tree)) return (tree as readonly Json[]).map((item) => withNumber(item, n));
  if (isObject(tree))
    return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, withNumber(value, n)]));
  return tree;
}
