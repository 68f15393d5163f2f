import { posix } from 'node:path';
import { sha256 } from '../lib/hash.js';
import type { FileEntry, HostState } from './state.js';

/** What a new entry is made of; root's and 0644 (0755 for a directory) unless given. */
export interface NewFile {
  readonly type?: FileEntry['type'];
  readonly text?: string;
  readonly encoding?: FileEntry['encoding'];
  readonly owner?: string;
  readonly group?: string;
  readonly mode?: string;
}

/** Sets a file, making the directories above it. The way packages and seeds bring files; an effect checks its directory first. */
export function putFile(host: HostState, path: string, file: NewFile, atMs: number): void {
  makeParents(host, path, atMs);
  const before = host.files[path];
  const type = file.type ?? 'file';
  host.files[path] = {
    type,
    text: file.text ?? '',
    encoding: file.encoding ?? 'utf8',
    owner: file.owner ?? before?.owner ?? 'root',
    group: file.group ?? before?.group ?? 'root',
    mode: file.mode ?? before?.mode ?? (type === 'directory' ? '0755' : type === 'link' ? '0777' : '0644'),
    changedAtMs: atMs,
  };
}

function makeParents(host: HostState, path: string, atMs: number): void {
  for (let dir = posix.dirname(path); dir !== '/' && host.files[dir] === undefined; dir = posix.dirname(dir)) {
    host.files[dir] = {
      type: 'directory',
      text: '',
      encoding: 'utf8',
      owner: 'root',
      group: 'root',
      mode: '0755',
      changedAtMs: atMs,
    };
  }
}

/** The entry at a path; `/` always stands. */
export const entryAt = (host: HostState, path: string): FileEntry | undefined =>
  path === '/'
    ? { type: 'directory', text: '', encoding: 'utf8', owner: 'root', group: 'root', mode: '0755', changedAtMs: 0 }
    : host.files[path];

/** By what a file is known whatever it is called. */
export const inodeOf = (entry: FileEntry): number => entry.inode ?? entry.changedAtMs;

/** A file's text, links followed; undefined when there is none. */
export function textAt(host: HostState, path: string): string | undefined {
  const entry = host.files[path];
  if (entry?.type === 'link') return textAt(host, posix.resolve(posix.dirname(path), entry.text));
  return entry?.type === 'file' ? entry.text : undefined;
}

export const bytesOf = (entry: Pick<FileEntry, 'text' | 'encoding'>): Buffer => Buffer.from(entry.text, entry.encoding);

export const hashOf = (entry: Pick<FileEntry, 'text' | 'encoding'>): string => sha256(bytesOf(entry));

/** Paths strictly below a directory, sorted. */
export const below = (host: HostState, dir: string): string[] => {
  const prefix = dir === '/' ? '/' : `${dir}/`;
  return Object.keys(host.files)
    .filter((path) => path.startsWith(prefix) && path !== dir)
    .sort();
};

/** Copies a file or a tree with owner and mode; the change time is the copy's own. What stood at `to` is replaced. */
export function copyEntry(host: HostState, from: string, to: string, atMs: number): void {
  const entry = host.files[from];
  if (entry === undefined) return;
  removeEntry(host, to);
  makeParents(host, to, atMs);
  const { inode: _, ...copied } = entry;
  host.files[to] = { ...copied, changedAtMs: atMs };
  for (const path of below(host, from))
    host.files[to + path.slice(from.length)] = { ...(host.files[path] as FileEntry), changedAtMs: atMs };
}

export function moveEntry(host: HostState, from: string, to: string, atMs: number): void {
  copyEntry(host, from, to, atMs);
  removeEntry(host, from);
}

/** Removes a path and all below it. */
export function removeEntry(host: HostState, path: string): void {
  if (host.files[path] === undefined) return;
  const all = host.files[path].type === 'directory' ? below(host, path) : [];
  // The table is the state's own: entries leave it one by one.
  for (const each of [...all, path]) Reflect.deleteProperty(host.files, each);
}

/** Bytes left on the host's file system. */
export const freeBytes = ({ disk }: Pick<HostState, 'disk'>): number => Math.max(0, disk.totalBytes - disk.usedBytes);
