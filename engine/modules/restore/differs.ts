import { posix } from 'node:path';
import { content, file, type FileState, type FileTree } from '../../facts/file.js';
import { need, type Need, type Needs } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import type { At, More } from '../../terms/module.js';

export type Entries = NonNullable<FileTree>;
type Entry = Entries[number];

/** A path of the backup beside the same path now. */
export interface Item {
  readonly path: string;
  readonly backup: Entries;
  readonly now: Entries;
}

/** Something of the backup that is not so in its own place. */
export interface Difference {
  readonly path: string;
  readonly source: string;
  readonly backup: Entry;
  /** What stands there; undefined when nothing does. */
  readonly now: Entry | undefined;
  /** Owner, group or mode alone. */
  readonly rightsOnly: boolean;
}

/** Files above this many bytes are put back without a diff, and not read. */
const SHOWN_BYTES = 1024 * 1024;

export const entriesOf = (value: Json | undefined): Entries | undefined =>
  value === null || value === undefined ? undefined : (value as unknown as Entries);

/** What differs, a directory before what it holds. What is there now and not in the backup is left as it is. */
export function differences({ path, backup, now }: Item, from: string): readonly Difference[] {
  const there = new Map(now.map((entry) => [entry.path, entry]));
  return backup.flatMap((entry) => {
    const found = there.get(entry.path);
    const sameThing = found?.type === entry.type && found.sha256 === entry.sha256 && found.target === entry.target;
    // A link has no rights of its own.
    const sameRights =
      entry.type === 'link' ||
      (found?.mode === entry.mode && found.owner === entry.owner && found.group === entry.group);
    if (sameThing && sameRights) return [];
    const at = posix.join(path, entry.path);
    return [{ path: at, source: posix.join(from, at), backup: entry, now: found, rightsOnly: sameThing }];
  });
}

/** Files whose text counts for the diff: both sides of what is put back. */
const sidesOf = (found: readonly Difference[]): readonly string[] =>
  found.flatMap(({ path, source, backup, now, rightsOnly }) =>
    backup.type !== 'file' || rightsOnly ? [] : [source, ...(now?.type === 'file' ? [path] : [])],
  );

/** What is to be asked before the differences can be shown: sizes first, then the texts of small files. Undefined: it is all there. */
export function stillAsked(found: readonly Difference[], { task }: At, more: More): Needs | undefined {
  const sides = sidesOf(found);
  const sizes = sides.filter((path) => more[`state:${path}`] === undefined);
  if (sizes.length > 0)
    return Object.fromEntries(sizes.map((path): [string, Need] => [`state:${path}`, need(task.on, file, path)]));
  const texts = sides.filter((path) => isSmall(more, path) && more[`text:${path}`] === undefined);
  return texts.length === 0
    ? undefined
    : Object.fromEntries(texts.map((path): [string, Need] => [`text:${path}`, need(task.on, content, path)]));
}

export function isSmall(more: More, path: string): boolean {
  const state = more[`state:${path}`] as unknown as FileState | undefined;
  return state?.exists === true && state.sizeBytes <= SHOWN_BYTES;
}
