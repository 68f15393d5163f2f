import { nearest } from '../../lib/nearest.js';
import type { Host } from '../../terms/inventory.js';
import type { Play } from '../../terms/playbook.js';

/** Does a glob (`*` any characters, `?` one) fit the whole name? Everything else in it is plain. */
export function matchesGlob(glob: string, name: string): boolean {
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'su').test(name);
}

export interface SelectContext {
  /** Names that `--limit` leaves; absent: no limit. */
  readonly limit?: ReadonlySet<string>;
  /** The roles of the platform: a word that is one means nothing else. */
  readonly roles: Readonly<Record<string, unknown>>;
  /** The hosts that the facts of `last` name at this moment, for each fact. */
  readonly last?: readonly (readonly string[])[];
}

/**
 * Names of a play's hosts, each once, in the order of its words and for each word in the inventory's. `--limit` narrows what the words
 * name; order and `run_once` come after it. `controller` names none: its steps run on no host.
 */
export function select(
  { hosts, runOnce }: Pick<Play, 'hosts' | 'runOnce'>,
  inventory: readonly Host[],
  { limit, roles, last = [] }: SelectContext,
): readonly string[] {
  if (hosts === 'controller') return [];
  const parts = hosts.map(partWord).map(({ sign, word }) => ({ sign, hosts: named(word, inventory, roles) }));
  const names = combine(parts, inventory).flatMap(({ name }) => (limit?.has(name) === false ? [] : [name]));
  const rank = (name: string): number => last.findLastIndex((named) => named.includes(name));
  const ordered = names.toSorted((a, b) => rank(a) - rank(b));
  return runOnce === true ? ordered.slice(0, 1) : ordered;
}

/** A word without its sign. */
export function partWord(text: string): { readonly sign: '' | '!' | '&'; readonly word: string } {
  const [sign = ''] = /^[!&]/.exec(text) ?? [];
  return { sign: sign as '' | '!' | '&', word: text.slice(sign.length) };
}

/** The hosts of a role; else, where no role has that name, of a group; else the host, or those that the glob fits. */
function named(word: string, hosts: readonly Host[], roles: SelectContext['roles']): readonly Host[] {
  if (word === 'all') return hosts;
  if (Object.hasOwn(roles, word)) return hosts.filter((host) => host.roles.includes(word));
  const group = hosts.filter((host) => host.groups.includes(word));
  return group.length > 0 ? group : hosts.filter(({ name }) => matchesGlob(word, name));
}

interface Part {
  readonly sign: string;
  readonly hosts: readonly Host[];
}

/** What the words without a sign name, or all where each has one, less those of `!`, and of each `&` only what it names, too. */
function combine(parts: readonly Part[], all: readonly Host[]): readonly Host[] {
  const signed = (sign: string): readonly ReadonlySet<Host>[] =>
    parts.filter((part) => part.sign === sign).map((part) => new Set(part.hosts));
  const [plus, minus, also] = [signed(''), signed('!'), signed('&')];
  const picked = plus.length === 0 && parts.length > 0 ? all : [...new Set(plus.flatMap((set) => [...set]))];
  return picked.filter((host) => also.every((set) => set.has(host)) && !minus.some((set) => set.has(host)));
}

/** The hosts of a limit, or what is wrong with it. */
export type Limited =
  | { readonly ok: true; readonly hosts: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly hint?: string };

/** A word of `--limit`: a host, a glob, a group or a role. */
const fitting = (word: string, hosts: readonly Host[]): readonly Host[] =>
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
  if (words.length === 0)
    return { ok: false, message: '--limit needs a value', hint: 'leave it out to take every host' };
  const parts = words.map(partWord).map((part) => ({ ...part, hosts: fitting(part.word, hosts) }));
  const unknown = parts.find((part) => part.hosts.length === 0);
  if (unknown !== undefined) return fitsNothing(unknown.word, hosts);
  const left = new Set(combine(parts, hosts));
  const kept = hosts.filter((host) => left.has(host));
  if (kept.length === 0) return { ok: false, message: `--limit ${text} leaves no host` };
  return { ok: true, hosts: kept.map((host) => host.name) };
}

function fitsNothing(word: string, hosts: readonly Host[]): Limited {
  const near = nearest(word, new Set(hosts.flatMap((h) => [h.name, ...h.groups, ...h.roles])));
  const message = `--limit: no host, group or role is called "${word}"`;
  return { ok: false, message, ...(near === undefined ? {} : { hint: `did you mean "${near}"?` }) };
}
