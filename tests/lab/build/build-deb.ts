import { chmod, mkdir, mkdtemp, rm, writeFile, copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from '../shell.js';

/** A file of a package: its text, or a file to copy. */
export type DebFile = { path: string; mode: number } & ({ text: string } | { copyOf: string });

/** What a binary package consists of. `directories` are those with a mode of their own, or empty ones. */
export interface DebSpec {
  name: string;
  version: string;
  architecture: 'all' | 'amd64' | 'arm64';
  description: string;
  depends: readonly string[];
  conflicts?: readonly string[];
  conffiles: readonly string[];
  directories: readonly { path: string; mode: number }[];
  files: readonly DebFile[];
  scripts: Readonly<Partial<Record<'preinst' | 'postinst' | 'prerm' | 'postrm', string>>>;
}

/** Fixed, so that the same inputs give the same package byte for byte. */
const buildTime = '1763596800';

/** Packs a .deb, all of it owned by root, into `outDir`; answers its path. Throws when dpkg-deb refuses it. */
export async function buildDeb(spec: DebSpec, outDir: string): Promise<string> {
  const root = await stage(spec);
  try {
    await place(root, { path: 'DEBIAN/control', mode: 0o644, text: control(spec) });
    if (spec.conffiles.length > 0) {
      await place(root, { path: 'DEBIAN/conffiles', mode: 0o644, text: lines(spec.conffiles) });
    }
    for (const [name, text] of Object.entries(spec.scripts)) {
      await place(root, { path: `DEBIAN/${name}`, mode: 0o755, text });
    }
    const deb = join(outDir, `${spec.name}_${spec.version}_${spec.architecture}.deb`);
    await run('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '--build', root, deb], {
      env: { ...process.env, SOURCE_DATE_EPOCH: buildTime },
    });
    return deb;
  } finally {
    await rm(root, { recursive: true });
  }
}

/** Lays out the directories and files of a package in a temporary directory; answers it, for whoever asked to remove. */
export async function stage(spec: Pick<DebSpec, 'directories' | 'files'>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'runbook-lab-package-'));
  await chmod(root, 0o755);
  for (const { path, mode } of spec.directories) {
    await mkdir(join(root, path), { recursive: true });
    await chmod(join(root, path), mode);
  }
  for (const file of spec.files) await place(root, file);
  return root;
}

async function place(root: string, file: DebFile): Promise<void> {
  const path = join(root, file.path);
  await mkdir(dirname(path), { recursive: true });
  if ('text' in file) await writeFile(path, file.text);
  else await copyFile(file.copyOf, path);
  await chmod(path, file.mode);
}

function control(spec: DebSpec): string {
  return lines([
    `Package: ${spec.name}`,
    `Version: ${spec.version}`,
    `Architecture: ${spec.architecture}`,
    'Maintainer: Runbook lab <lab@example.com>',
    'Section: admin',
    'Priority: optional',
    ...(spec.depends.length > 0 ? [`Depends: ${spec.depends.join(', ')}`] : []),
    ...(spec.conflicts ? [`Conflicts: ${spec.conflicts.join(', ')}`] : []),
    `Description: ${spec.description}`,
  ]);
}

function lines(texts: readonly string[]): string {
  return `${texts.join('\n')}\n`;
}
