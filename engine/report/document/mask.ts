import { isIP } from 'node:net';
import { basename } from 'node:path';
import { escapePattern } from '../../lib/escape-pattern.js';
import type { Document, Section } from './document.js';

/** What is masked: names by what they are. */
export interface Names {
  readonly hosts: readonly string[];
  /** Addresses and names in the DNS, also of endpoints. `of`: the host that it is an address of. */
  readonly addresses: readonly { readonly address: string; readonly of?: string }[];
  readonly users: readonly string[];
}

/** Of every machine, and of no operator. */
const COMMON: ReadonlySet<string> = new Set(['root', 'localhost', '0.0.0.0', '127.0.0.1', '::1', '::']);
/** What stands for a machine in an address on the web. */
const IN_URL = '(?<=://)[^/\\s"\'\\])]+';
/** What may be an address: checked by isIP. */
const ADDRESS = '(?:\\d{1,3}\\.){3}\\d{1,3}|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?:(?:\\d{1,3}\\.){3}\\d{1,3})?';

/**
 * The document without names of hosts and users and without addresses, for readers outside: the same name is the same placeholder
 * everywhere (`host-1`, `address-1`, `user-1`). An address that is not in the inventory is masked, too.
 */
export function masked(document: Document, names: Names): Document {
  const placeholders = new Placeholders(names);
  const masked = walk(document, (text) => placeholders.mask(text)) as Document;
  return { ...masked, sections: masked.sections.map(withoutRehearsal).map(withoutFolder) };
}

/** Folders say where the operator works. */
const withoutFolder = (section: Section): Section =>
  section.is === 'origin'
    ? { ...section, inventory: basename(section.inventory) }
    : section.is === 'next'
      ? { ...section, where: '' }
      : section;

/** The name of another inventory is not among the names that are masked. */
const withoutRehearsal = (section: Section): Section =>
  section.is === 'summary' && section.rehearsal !== undefined && section.rehearsal !== null
    ? { ...section, rehearsal: { ...section.rehearsal, inventory: 'another inventory', by: '' } }
    : section;

/** `isData`: within a fact, where keys are data, too. */
function walk(value: unknown, mask: (text: string) => string, isData = false): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((one): unknown => walk(one, mask, isData));
  if (typeof value !== 'object' || value === null) return value;
  const all = Object.entries(value).map(([key, one]: [string, unknown]): [string, unknown] => {
    if (isData) return [mask(key), walk(one, mask, true)];
    return [key, CODES.has(key) ? one : walk(one, mask, FACTS.has(key))];
  });
  return Object.fromEntries(all);
}

/** Values that are codes of ours, whatever a host is called. */
const CODES: ReadonlySet<string> = new Set([
  ...['format', 'of', 'state', 'is', 'kind', 'sign'],
  ...['measured', 'verb', 'roles', 'restoredBy', 'outside', 'zone'],
]);
const FACTS: ReadonlySet<string> = new Set(['predicted', 'observed']);

class Placeholders {
  readonly #by = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #pattern: RegExp;

  constructor({ hosts, addresses, users }: Names) {
    for (const host of hosts) this.#add(host, 'host');
    for (const { address, of } of addresses) {
      const name = isIP(address) === 0 ? 'host' : 'address';
      const same = of === undefined || name === 'address' ? undefined : this.#by.get(of.toLowerCase());
      if (same === undefined) this.#add(address, name);
      else this.#by.set(address.toLowerCase(), same);
    }
    for (const user of users) this.#add(user, 'user');
    // Longest first: a name may begin with another one.
    const known = [...this.#by.keys()].sort((a, b) => b.length - a.length).map(escapePattern);
    this.#pattern = new RegExp(
      `(?<![\\p{L}\\p{N}])(?:${[...known, IN_URL, ADDRESS].join('|')})(?![\\p{L}\\p{N}])`,
      'giu',
    );
  }

  mask(text: string): string {
    return text.replace(this.#pattern, (found, at: number) => {
      const key = found.toLowerCase();
      const known = this.#by.get(key);
      if (known !== undefined) return known;
      if (text.slice(0, at).endsWith('://')) return this.#add(found, 'host');
      return isIP(found) === 0 || COMMON.has(key) ? found : this.#add(found, 'address');
    });
  }

  #add(name: string, kind: string): string {
    const key = name.toLowerCase();
    const known = this.#by.get(key);
    if (known !== undefined || name === '' || COMMON.has(key)) return known ?? name;
    const n = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, n);
    this.#by.set(key, `${kind}-${n}`);
    return `${kind}-${n}`;
  }
}
