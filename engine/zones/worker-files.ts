import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { getOrCreate } from '../lib/get-or-create.js';

/** Bytes of the file from an offset on; fewer than asked for at its end. */
export type ReadBytes = (from: number, most: number) => Promise<Buffer>;

/** Files of controllers, by their SHA-256: hosts of a zone get the same ones, and each is fetched once. */
export interface WorkerFiles {
  /** The path of the file here; undefined where the bytes that came are not those. */
  fetch(sha256: string, pieceBytes: number, read: ReadBytes): Promise<string | undefined>;
}

export function workerFiles(folder: string): WorkerFiles {
  const fetched = new Map<string, Promise<string | undefined>>();
  return {
    async fetch(sha256, pieceBytes, read) {
      // A message of another program: it is no path.
      if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
      // Whoever cleans temporary folders may have removed it.
      const before = await fetched.get(sha256)?.catch(() => undefined);
      if (before !== undefined && !existsSync(before)) fetched.delete(sha256);
      const fetching = getOrCreate(fetched, sha256, () => fetchOnce(join(folder, sha256), sha256, pieceBytes, read));
      const path = await fetching.catch((error: unknown) => {
        fetched.delete(sha256);
        throw error;
      });
      if (path === undefined) fetched.delete(sha256);
      return path;
    },
  };
}

async function fetchOnce(
  path: string,
  sha256: string,
  pieceBytes: number,
  read: ReadBytes,
): Promise<string | undefined> {
  const part = `${path}.part`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(part, 'w', 0o600);
  const hash = createHash('sha256');
  try {
    for (let from = 0; ;) {
      const bytes = await read(from, pieceBytes);
      hash.update(bytes);
      await file.writeFile(bytes);
      from += bytes.length;
      if (bytes.length < pieceBytes) break;
    }
  } finally {
    await file.close();
  }
  if (hash.digest('hex') === sha256) {
    await rename(part, path);
    return path;
  }
  await rm(part, { force: true });
  return undefined;
}
