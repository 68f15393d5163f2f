import type { Host } from '../terms/inventory.js';
import type { Serial } from '../terms/playbook.js';
import { nearest } from '../lib/nearest.js';
import { matchesGlob } from './selector.js';

/** Hosts of one written size: a share of the whole is rounded up, so it never comes to none. */
function sizeOf(serial: Serial, count: number): number {
  const share = typeof serial === 'string' ? /^(\d+(?:\.\d+)?)%$/.exec(serial)?.[1] : undefined;
  // A thousandth of a host is an error of floating point (7% of 100 is 7.000000000000001), not one host more.
  const size = share === undefined ? Number(serial) : Math.ceil((Number(share) * count) / 100 - 1e-3);
  return Math.max(1, Number.isFinite(size) ? Math.floor(size) : 1);
}

/**
 * The sizes of a play's batches, in order; they sum to `count`. Absent: all at once. The last size written repeats; a per cent is of
 * all hosts of the play. What is no size counts as 1, the careful reading (the schema refuses it before).
 */
export function batches(count: number, serial: readonly Serial[] | undefined): readonly number[] {
  if (count <= 0) return [];
  if (serial === undefined || serial.length === 0) return [count];
  const sizes: number[] = [];
  for (let left = count; left > 0;) {
    const size = Math.min(left, sizeOf(serial[Math.min(sizes.length, serial.length - 1)] ?? 1, count));
    sizes.push(size);
    left -= size;
  }
  return sizes;
}

export type Limited =
  | { readonly ok: true; readonly hosts: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly hint?: string };

/** A word of `--limit`: a host, a glob, a group or a role. */
const named = (word: string, hosts: readonly Host[]): readonly Host[] =>
  hosts.filter((h) => matchesGlob(word, h.name) || h.groups.includes(word) || h.roles.includes(word));

/**
 * The hosts that `--limit` leaves, in the inventory's order. Words are parted by commas: a host's name, a glob (`web-*`), a group or
 * a role; `!word` takes away, `&word` keeps what is also that. An empty limit and a word that fits no host are mistakes.
 */
export function limitHosts(text: string, hosts: readonly Host[]): Limited {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (words.length === 0) return { ok: false, message: '--limit is empty', hint: 'leave it out to take every host' };
  const sets = words.map((word) => {
    const sign = word.startsWith('!') || word.startsWith('&') ? word.charAt(0) : '';
    return { word: word.slice(sign.length), sign, hosts: new Set(named(word.slice(sign.length), hosts)) };
  });
  const unknown = sets.find((set) => set.hosts.size === 0);
  if (unknown !== undefined) return fitsNothing(unknown.word, hosts);
  const [plus, minus, also] = ['', '!', '&'].map((sign) => sets.filter((set) => set.sign === sign));
  const kept = hosts.filter(
    (host) =>
      (plus?.length === 0 || plus?.some((set) => set.hosts.has(host))) &&
      also?.every((set) => set.hosts.has(host)) &&
      !minus?.some((set) => set.hosts.has(host)),
  );
  if (kept.length === 0) return { ok: false, message: `--limit ${text} leaves no host` };
  return { ok: true, hosts: kept.map((host) => host.name) };
}

function fitsNothing(word: string, hosts: readonly Host[]): Limited {
  const near = nearest(word, new Set(hosts.flatMap((h) => [h.name, ...h.groups, ...h.roles])));
  const message = `--limit: no host, group or role is called "${word}"`;
  return { ok: false, message, ...(near === undefined ? {} : { hint: `did you mean "${near}"?` }) };
}
