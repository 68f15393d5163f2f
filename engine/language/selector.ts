import { nearest } from '../lib/nearest.js';
import { isObject, type Json } from '../terms/json.js';
import type { Selector } from '../terms/condition.js';
import type { Host } from '../terms/inventory.js';

export interface SelectContext {
  /** Names that `--limit` leaves; absent: no limit. */
  readonly limit?: ReadonlySet<string>;
  /** The hosts that a fact of the platform names at this moment; none when it is unknown. */
  readonly factHosts?: (fact: string) => readonly string[];
}

/** Does a glob (`*` any characters, `?` one) fit the whole name? Everything else in it is plain. */
export function matchesGlob(glob: string, name: string): boolean {
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'su').test(name);
}

/**
 * Names of the hosts that a selector picks: in the inventory's order, unless it says otherwise, each once. A list is a union in
 * its own order. `--limit` narrows what is picked, never what `and` and `except`
 * compare with; order and `take` come after it. `controller` picks none: its steps run on no host.
 */
export function select(selector: Selector, hosts: readonly Host[], context: SelectContext): readonly string[] {
  if (selector === 'controller') return [];
  if (selector === 'all') return select({}, hosts, context);
  if (isList(selector)) return [...new Set(selector.flatMap((one) => select(one, hosts, context)))];
  const { limit } = context;
  const picked = named(selector, hosts, context).filter((name) => limit === undefined || limit.has(name));
  return take(ordered(picked, selector, context), selector.take);
}

type OneSelector = Exclude<Selector, string | readonly Selector[]>;

/** The facts that say who comes last. */
export const factsOfEnd = (end: OneSelector['last']): readonly string[] =>
  // Checks go on after a mistake: what the schema has refused already may stand here.
  ([end].flat() as readonly Json[]).flatMap((one) =>
    isObject(one) && typeof one['fact'] === 'string' ? [one['fact']] : [],
  );

/** Is this selector a union? */
export const isList = (selector: Selector): selector is readonly Selector[] => Array.isArray(selector);

function named(selector: OneSelector, hosts: readonly Host[], context: SelectContext): readonly string[] {
  const { role, name, pattern, group, and, except } = selector;
  const whole: SelectContext = context.factHosts === undefined ? {} : { factHosts: context.factHosts };
  const also = and === undefined ? undefined : new Set(select(and, hosts, whole));
  const never = new Set(except === undefined ? [] : select(except, hosts, whole));
  return hosts
    .filter((host) => role === undefined || host.roles.includes(role))
    .filter((host) => group === undefined || host.groups.includes(group))
    .filter((host) => name === undefined || host.name === name)
    .filter((host) => pattern === undefined || matchesGlob(pattern, host.name))
    .map((host) => host.name)
    .filter((host) => also === undefined || also.has(host))
    .filter((host) => !never.has(host));
}

/** The hosts that facts name go to the end; the others keep their order. */
function ordered(names: readonly string[], { last }: OneSelector, context: SelectContext): readonly string[] {
  const tails = factsOfEnd(last).map((fact) => context.factHosts?.(fact) ?? []);
  const rank = (name: string): number => tails.findLastIndex((hosts) => hosts.includes(name));
  return names.toSorted((a, b) => rank(a) - rank(b));
}

const take = (names: readonly string[], count: 'first' | number | undefined): readonly string[] =>
  count === undefined ? names : names.slice(0, count === 'first' ? 1 : count);

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
  const sets = words.map((word) => {
    const sign = word.startsWith('!') || word.startsWith('&') ? word.charAt(0) : '';
    return { word: word.slice(sign.length), sign, hosts: new Set(fitting(word.slice(sign.length), hosts)) };
  });
  const unknown = sets.find((set) => set.hosts.size === 0);
  if (unknown !== undefined) return fitsNothing(unknown.word, hosts);
  const signed = (sign: string): readonly ReadonlySet<Host>[] =>
    sets.filter((set) => set.sign === sign).map((set) => set.hosts);
  const [plus, minus, also] = [signed(''), signed('!'), signed('&')];
  const kept = hosts
    .filter((host) => plus.length === 0 || plus.some((set) => set.has(host)))
    .filter((host) => also.every((set) => set.has(host)) && !minus.some((set) => set.has(host)));
  if (kept.length === 0) return { ok: false, message: `--limit ${text} leaves no host` };
  return { ok: true, hosts: kept.map((host) => host.name) };
}

function fitsNothing(word: string, hosts: readonly Host[]): Limited {
  const near = nearest(word, new Set(hosts.flatMap((h) => [h.name, ...h.groups, ...h.roles])));
  const message = `--limit: no host, group or role is called "${word}"`;
  return { ok: false, message, ...(near === undefined ? {} : { hint: `did you mean "${near}"?` }) };
}
