import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dependenciesOf } from '../bundle-dependencies.js';
import { EXIT, invalid, refusal } from '../options/exit.js';
import { parseFlags } from '../options/flags.js';
import { VERSION } from '../options/version.js';
import { programRoot } from '../program-root.js';

const PARTS = [
  'dist',
  'playbooks',
  'schemas',
  'docs',
  'inventory.example.yaml',
  'package.json',
  'LICENSE',
  'README.md',
];

/** Finds its own folder by itself, so that it may be linked to; takes the node binary beside it, if there is one. */
const LAUNCHER = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")/..
node=node
[ -x "$here/node/bin/node" ] && node=$here/node/bin/node
exec "$node" "$here/dist/cli/main.js" "$@"
`;

/**
 * `runbook bundle`: one archive with the program, its playbooks and all packages that it needs, for a machine without internet; with
 * `--with-node` also the node binary that runs it. Beside it FILE.sha256, as `sha256sum -c` reads it.
 */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('bundle', argv);
  if (flags.positionals.length > 0) throw invalid('bundle takes no argument; the file is -o FILE');
  const name = `runbook-${VERSION}${flags.withNode ? `-${process.platform}-${process.arch}` : ''}`;
  const file = path.resolve(flags.output ?? `${name}.tar.gz`);
  const taken = [file, `${file}.sha256`].find((one) => existsSync(one));
  if (taken !== undefined)
    throw refusal(
      EXIT.invalid,
      `${taken} exists; nothing was written`,
      'remove it, or write another file: runbook bundle -o FILE',
    );
  const folder = await mkdtemp(path.join(tmpdir(), 'runbook-bundle-'));
  try {
    await collect(path.join(folder, name), flags.withNode);
    const reason = await pack(folder, name, file);
    if (reason !== undefined) throw refusal(EXIT.failed, `${file} cannot be written: ${reason}`);
    await writeFile(`${file}.sha256`, `${await sha256Of(file)}  ${path.basename(file)}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  process.stdout.write(`Wrote ${file} and ${path.basename(file)}.sha256.
There:  sha256sum -c ${path.basename(file)}.sha256 && tar -xzf ${path.basename(file)} && ${name}/bin/runbook --version
`);
  return EXIT.done;
}

async function collect(target: string, withNode: boolean): Promise<void> {
  const root = programRoot;
  await mkdir(path.join(target, 'bin'), { recursive: true });
  for (const part of PARTS)
    if (existsSync(path.join(root, part)))
      await cp(path.join(root, part), path.join(target, part), { recursive: true });
  for (const { from, to } of dependenciesOf(root))
    await cp(from, path.join(target, to), {
      recursive: true,
      dereference: true,
      filter: (file) => !file.slice(from.length).includes('node_modules'),
    });
  if (withNode) {
    await mkdir(path.join(target, 'node', 'bin'), { recursive: true });
    await cp(process.execPath, path.join(target, 'node', 'bin', 'node'), { dereference: true });
  }
  await writeFile(path.join(target, 'bin', 'runbook'), LAUNCHER);
  await chmod(path.join(target, 'bin', 'runbook'), 0o755);
}

/** Gives why it failed; a half-written archive is removed. */
async function pack(folder: string, name: string, file: string): Promise<string | undefined> {
  const { execa } = await import('execa');
  const ran = await execa('tar', ['-czf', file, '-C', folder, name], { reject: false, stdin: 'ignore' });
  if (!ran.failed) return undefined;
  await rm(file, { force: true });
  return ran.stderr.trim().split('\n').at(-1) ?? 'tar failed';
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(file)) hash.update(part as Buffer);
  return hash.digest('hex');
}
