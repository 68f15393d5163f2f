import { createHash, createHmac } from 'node:crypto';
import { getOrCreate } from '../../lib/get-or-create.js';

/** A line of known_hosts (sshd(8)): whose key it is, and what is said of it. */
export interface KnownHost {
  /** `file:line`. */
  readonly at: string;
  readonly marker?: 'revoked' | 'cert-authority';
  /** Patterns, or one hashed name. */
  readonly names: readonly string[];
  readonly type: string;
  /** Base64. */
  readonly key: string;
}

/** What known_hosts says of a key that a host showed. */
export type KeyVerdict =
  | { readonly is: 'known' }
  | { readonly is: 'revoked' | 'changed'; readonly at: string }
  /** Known by a certificate authority alone, whose certificates cannot be judged here. */
  | { readonly is: 'certified'; readonly at: string }
  | { readonly is: 'unknown' };

/** An address as known_hosts writes it: with its port in brackets where that is not 22. */
export const nameOf = (address: string, port: number): string =>
  (port === 22 ? address : `[${address}]:${port}`).toLowerCase();

/** Lines that are none are passed over, as OpenSSH does. */
export function parseKnownHosts(text: string, file: string): readonly KnownHost[] {
  return text.split(/\r?\n/).flatMap((line, i) => {
    const words = line.trim().split(/[ \t]+/);
    if (words[0] === undefined || words[0] === '' || words[0].startsWith('#')) return [];
    const marker = words[0].startsWith('@') ? words.shift()?.slice(1) : undefined;
    const [names = '', type, key] = words;
    if (type === undefined || key === undefined) return [];
    if (marker !== undefined && marker !== 'revoked' && marker !== 'cert-authority') return [];
    const entry = { at: `${file}:${i + 1}`, names: names.split(','), type, key };
    return [marker === undefined ? entry : { ...entry, marker }];
  });
}

/** The entries of files in their order, with an index: a fleet has as many entries as hosts, and each host is looked for. */
export interface KnownHosts {
  readonly all: readonly KnownHost[];
  /** By each name of those that have plain names only: their places in `all`. */
  readonly byName: ReadonlyMap<string, readonly number[]>;
  /** The places of those with patterns or a hashed name. */
  readonly others: readonly number[];
}

export function indexed(all: readonly KnownHost[]): KnownHosts {
  const byName = new Map<string, number[]>();
  const others: number[] = [];
  for (const [place, { names }] of all.entries()) {
    if (names.some((name) => /[|!*?]/.test(name))) others.push(place);
    else for (const name of names) getOrCreate(byName, name.toLowerCase(), () => []).push(place);
  }
  return { all, byName, others };
}

/** The entries that speak of this name, in their order. */
export function entriesFor({ all, byName, others }: KnownHosts, name: string): readonly KnownHost[] {
  const wanted = name.toLowerCase();
  const matching = others.filter((place) => speaksOf(all[place]?.names ?? [], wanted));
  const places = new Set([...(byName.get(wanted) ?? []), ...matching]);
  return [...places].sort((a, b) => a - b).flatMap((place) => all[place] ?? []);
}

function speaksOf(names: readonly string[], name: string): boolean {
  const [first = ''] = names;
  if (first.startsWith('|')) return isHashOf(first, name);
  // A pattern that forbids wins over one that allows.
  if (names.some((n) => n.startsWith('!') && matches(n.slice(1), name))) return false;
  return names.some((n) => !n.startsWith('!') && matches(n, name));
}

/** `|1|SALT|HASH`: HMAC-SHA1 of the name under the salt, both base64. */
function isHashOf(hashed: string, name: string): boolean {
  const [, kind, salt = '', hash] = hashed.split('|');
  return kind === '1' && createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash;
}

/** `*` and `?` as in ssh_config(5). On a mismatch only the last `*` takes one character more, so the time is bounded by the product of the lengths. */
function matches(pattern: string, name: string): boolean {
  const wanted = pattern.toLowerCase();
  let [at, next] = [0, 0];
  let star: { readonly after: number; taken: number } | undefined;
  while (at < name.length) {
    if (wanted[next] === '*') star = { after: (next += 1), taken: at };
    else if (wanted[next] === '?' || wanted[next] === name[at]) [at, next] = [at + 1, next + 1];
    else if (star === undefined) return false;
    else [at, next] = [(star.taken += 1), star.after];
  }
  return /^\**$/.test(wanted.slice(next));
}

export interface ShownKey {
  readonly address: string;
  readonly port: number;
  /** Overrides the name (HostKeyAlias). */
  readonly alias?: string;
  /** As sent: its type is its first string. */
  readonly key: Buffer;
}

/** The plain entries that decide for a host: those without the port count only where none names the port, as with OpenSSH. */
function plainEntries(known: KnownHosts, address: string, port: number, alias?: string): readonly KnownHost[] {
  const plain = (name: string): readonly KnownHost[] => entriesFor(known, name).filter((e) => e.marker === undefined);
  const own = plain(alias ?? nameOf(address, port));
  return own.length > 0 ? own : plain(alias ?? address);
}

/** Judges a key. A key known for the address without its port counts where no key is known for this port. */
export function judgeKey(known: KnownHosts, shown: ShownKey): KeyVerdict {
  const name = shown.alias ?? nameOf(shown.address, shown.port);
  const key = shown.key.toString('base64');
  const anywhere = [...entriesFor(known, name), ...entriesFor(known, shown.alias ?? shown.address)];
  const revoked = anywhere.find((e) => e.marker === 'revoked' && e.key === key);
  if (revoked !== undefined) return { is: 'revoked', at: revoked.at };
  const plain = plainEntries(known, shown.address, shown.port, shown.alias);
  if (plain.some((e) => e.key === key)) return { is: 'known' };
  const other = entriesFor(known, name).find((e) => e.marker === undefined);
  if (other !== undefined) return { is: 'changed', at: other.at };
  const authority = anywhere.find((e) => e.marker === 'cert-authority');
  return authority === undefined ? { is: 'unknown' } : { is: 'certified', at: authority.at };
}

export const keyTypeOf = (key: Buffer): string => key.subarray(4, 4 + key.readUInt32BE(0)).toString('latin1');

/** As `ssh-keygen -l` shows it. */
export const fingerprintOf = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;

/** The line that makes a key known. */
export const lineFor = ({ address, port, alias, key }: ShownKey): string =>
  `${alias ?? nameOf(address, port)} ${keyTypeOf(key)} ${key.toString('base64')}`;

const offered = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
  'ssh-rsa',
];

/**
 * Host key algorithms with those first for which a key is known: a server with several keys shows the one asked for, and another would
 * look like a change.
 */
export function keyAlgorithms(known: KnownHosts, address: string, port: number, alias?: string): string[] {
  const types = new Set(plainEntries(known, address, port, alias).map((e) => e.type));
  const isKnown = (algorithm: string): boolean => types.has(algorithm.startsWith('rsa-') ? 'ssh-rsa' : algorithm);
  return [...offered.filter(isKnown), ...offered.filter((a) => !isKnown(a))];
}
