import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

export interface Program {
  readonly file: string;
  remove(): void;
}

/** Bundles `program.ts`: `runbook` for this platform. */
export function buildProgram(): Program {
  // Below the root, where the packages are found that a bundle leaves outside.
  const outdir = mkdtempSync(join(root, 'dist/postgres-'));
  const args = ['tests/tools/bundle.js', join(import.meta.dirname, 'program.ts'), outdir];
  const made = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (made.status !== 0 || made.stderr !== '') throw new Error(`program.ts is not bundled: ${made.stderr}`);
  return { file: join(outdir, 'program.js'), remove: () => rmSync(outdir, { recursive: true, force: true }) };
}
