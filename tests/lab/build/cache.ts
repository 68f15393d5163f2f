import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run, timed } from '../shell.js';

/** Where downloads, built packages and the base system are kept: `$RUNBOOK_LAB_CACHE`, else `~/.cache/runbook-lab`. */
export function cacheRoot(): string {
  return process.env['RUNBOOK_LAB_CACHE'] ?? join(homedir(), '.cache', 'runbook-lab');
}

/**
 * The directory that `build` fills, made once for each value of `inputs`: named by a hash of what went in, and put in
 * place by one rename, so that an interrupted build leaves nothing that looks finished.
 */
export async function cached(
  name: string,
  inputs: readonly unknown[],
  build: (dir: string) => Promise<void>,
): Promise<string> {
  const root = cacheRoot();
  const place = join(root, `${name}-${hashOf(JSON.stringify(inputs))}`);
  if (existsSync(place)) return place;
  await mkdir(root, { recursive: true });
  const draft = await mkdtemp(join(root, `.building-${name}-`));
  try {
    await timed(`built ${name}`, () => build(draft));
    await run('chmod', ['755', draft]);
    await rename(draft, place);
  } catch (error) {
    // Never across a mount: a build that failed may have left one inside.
    await run('rm', ['-rf', '--one-file-system', draft]);
    if (!existsSync(place)) throw error;
  }
  return place;
}

/** A hash over the names and contents of all files under `dir`, for use among the inputs of `cached`. */
export async function hashOfTree(dir: string): Promise<string> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const file of files.sort())
    hash
      .update(file.slice(dir.length))
      .update('\0')
      .update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}

/** The first 12 hexadecimal digits of the text's SHA-256. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
