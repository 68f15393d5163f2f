import type { RunStore } from './run-store.js';

/** What a run is copied from: a store, or an archive. */
export type RunSource = Pick<RunStore, 'read' | 'listBlobs' | 'getBlob'>;

/** What a copy added to the other store. */
interface Copied {
  readonly is: 'copied';
  /** How many. */
  readonly lines: number;
  readonly blobs: number;
}

/** Both stores have a line of this number (the first such), and they are not the same: nothing was copied. */
interface Differs {
  readonly is: 'differs';
  readonly line: number;
}

/**
 * Copies of a run what the other store lacks. A file that it has otherwise is
 * replaced where it has fewer lines, or `always`, by who wrote the file. Where it has more lines, no line is added.
 * Files come first, so that whoever reads a line finds the large texts that it refers to.
 */
export async function copyRun(
  from: RunSource,
  to: RunStore,
  run: string,
  replace: 'older' | 'always' = 'older',
): Promise<Copied | Differs> {
  const lines = await from.read(run, 0);
  const there = await to.read(run, 0);
  const other = firstDifference(lines, there);
  if (other !== undefined) return { is: 'differs', line: other };
  const blobs = await copyBlobs(from, to, run, there.length < lines.length || replace === 'always');
  const missing = lines.slice(there.length);
  const appended = missing.length === 0 ? undefined : await to.append(run, there.length, missing);
  // Another process appended meanwhile: the same lines, or others.
  if (appended?.is === 'fenced') return copyRun(from, to, run, replace);
  return { is: 'copied', lines: missing.length, blobs };
}

/** The number of the first line that both have and that is not the same. */
function firstDifference(lines: readonly Buffer[], there: readonly Buffer[]): number | undefined {
  const index = there.findIndex((line, i) => lines[i]?.equals(line) === false);
  return index < 0 ? undefined : index + 1;
}

async function copyBlobs(from: RunSource, to: RunStore, run: string, replace: boolean): Promise<number> {
  const there = new Map((await to.listBlobs(run)).map(({ name, sha256 }) => [name, sha256]));
  let count = 0;
  for (const { name, sha256 } of await from.listBlobs(run)) {
    const had = there.get(name);
    if (had === sha256 || (had !== undefined && !replace)) continue;
    const bytes = await from.getBlob(run, name);
    if (bytes === undefined) continue;
    await to.putBlob(run, name, bytes);
    count += 1;
  }
  return count;
}
