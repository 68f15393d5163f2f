import { MOST_HOSTS } from '../lib/most-hosts.js';

/** The hosts that a pattern such as `web[01:20].example.com:2222` names, or what is wrong with it. */
export type HostPattern = { readonly names: readonly string[]; readonly port?: number } | { readonly mistake: string };

const RANGE = /\[(\w*):(\w+)(?::(\d+))?\]/;
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

export function hostPattern(text: string): HostPattern {
  const { pattern, port } = withoutPort(text);
  const names = expand(pattern);
  return 'mistake' in names ? names : { names, ...(port === undefined ? {} : { port }) };
}

/** An IPv6 address with a port is in brackets; without brackets it has colons of its own. */
function withoutPort(text: string): { readonly pattern: string; readonly port?: number } {
  const bracketed = /^\[([0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)\](?::(\d+))?$/.exec(text);
  if (bracketed !== null)
    return { pattern: bracketed[1] ?? '', ...(bracketed[2] === undefined ? {} : { port: Number(bracketed[2]) }) };
  const outside = text.replaceAll(new RegExp(RANGE, 'g'), '');
  const port = /:(\d+)$/.exec(outside)?.[1];
  if (port === undefined || outside.indexOf(':') !== outside.lastIndexOf(':')) return { pattern: text };
  return { pattern: text.slice(0, -port.length - 1), port: Number(port) };
}

function expand(pattern: string): readonly string[] | { readonly mistake: string } {
  const range = RANGE.exec(pattern);
  if (range === null) return [pattern];
  const [whole, first = '', last = '', step = '1'] = range;
  const members = membersOf(first === '' ? '0' : first, last, Number(step));
  if (typeof members === 'string') return { mistake: `range ${whole}: ${members}` };
  const rest = expand(pattern.slice(range.index + whole.length));
  if ('mistake' in rest) return rest;
  if (members.length * rest.length > MOST_HOSTS)
    return { mistake: `range ${whole} names more than ${MOST_HOSTS} hosts` };
  const before = pattern.slice(0, range.index);
  return members.flatMap((member) => rest.map((end) => `${before}${member}${end}`));
}

/** Numbers with leading zeros keep their width; letters go by the alphabet. */
function membersOf(first: string, last: string, step: number): readonly string[] | string {
  if (step < 1) return 'its step is not a number from 1';
  const numeric = /^\d+$/.test(first) && /^\d+$/.test(last);
  const padded = numeric && first.length > 1 && first.startsWith('0');
  if (padded && first.length !== last.length) return `"${first}" and "${last}" differ in length`;
  const [from, to] = numeric ? [Number(first), Number(last)] : [LETTERS.indexOf(first), LETTERS.indexOf(last)];
  if (!numeric && (first.length !== 1 || last.length !== 1 || from < 0 || to < 0))
    return 'it must have two numbers or two letters';
  if (from > to) return `"${first}" comes after "${last}"`;
  if ((to - from) / step > MOST_HOSTS) return `it names more than ${MOST_HOSTS} hosts`;
  const count = Math.floor((to - from) / step) + 1;
  return Array.from({ length: count }, (_, i) => from + i * step).map((n) =>
    numeric ? String(n).padStart(padded ? first.length : 0, '0') : (LETTERS[n] ?? ''),
  );
}
