import { posix } from 'node:path';
import { entriesOf, type Difference } from './differs.js';
import type { Json } from '../../terms/json.js';
import type { RestoreArgs } from './schema.js';

/** What is to be put in place, and the files of the operator's own among what differs. */
export interface Sorted {
  readonly due: readonly Difference[];
  readonly customised: readonly Difference[];
}

/**
 * With `original`, a file that differs from it was changed by the operator. `changed: keep` leaves such a file and puts the new one beside
 * it, as FILE.new.
 */
export function sortCustomised(
  { paths, original, changed }: RestoreArgs,
  differing: readonly Difference[],
  now: Readonly<Record<string, Json>>,
): Sorted {
  if (original === undefined) return { due: differing, customised: [] };
  const [there, before] = [hashesOf(paths, now, 'now'), hashesOf(paths, now, 'original')];
  const customised = differing.filter(
    (d) => d.now?.type === 'file' && d.backup.type === 'file' && !d.rightsOnly && before.get(d.path) !== d.now.sha256,
  );
  if (changed !== 'keep') return { due: differing, customised };
  const due = differing.flatMap((d) => {
    if (!customised.includes(d)) return [d];
    const { now: _, ...aside } = beside(d);
    return there.get(aside.path) === d.backup.sha256 ? [] : [{ ...aside, now: undefined }];
  });
  return { due, customised };
}

const beside = (d: Difference): Difference => ({
  ...d,
  path: `${d.path}.new`,
  backup: { ...d.backup, path: `${d.backup.path}.new` },
});

/** The hash of each file below the paths, by its whole path. */
const hashesOf = (
  paths: readonly string[],
  now: Readonly<Record<string, Json>>,
  which: 'now' | 'original',
): ReadonlyMap<string, string | undefined> =>
  new Map(
    paths.flatMap((path) =>
      (entriesOf(now[`${which}:${path}`]) ?? []).map((e) => [posix.join(path, e.path), e.sha256] as const),
    ),
  );

/** What becomes of the operator's own files, for a warning each. */
export const customisedTexts = ({ changed, original }: RestoreArgs, customised: readonly Difference[]) =>
  customised.map(({ path }) =>
    changed === 'keep'
      ? `${path} differs from ${original ?? ''}: it is kept, and the new file is ${path}.new`
      : `${path} differs from ${original ?? ''}: the new file takes its place`,
  );
