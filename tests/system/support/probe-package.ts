import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootOf } from '../../lab/disk.js';
import { run } from '../../lab/shell.js';
import { onHost } from '../../lab/ssh.js';
import type { LabHost } from '../../lab/topology.js';

const FOLDER = 'srv/rb-repository';

/**
 * Gives a host a repository on its own disk that offers `rb-probe` in this version, and nothing else; `undefined`: nothing at all.
 * With `bytes` the package brings a file of that size, /srv/small/blob, that nothing can make smaller.
 */
export async function offer(host: LabHost, version: string | undefined, bytes = 0): Promise<void> {
  const folder = join(rootOf(host), FOLDER);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'Packages'), version === undefined ? '' : await build(folder, version, bytes));
  await onHost(
    host,
    `echo 'deb [trusted=yes] file:/${FOLDER} ./' >/etc/apt/sources.list.d/rb-probe.list
chmod -R a+rX /${FOLDER}
apt-get -qq update 2>&1`,
  );
}

/** Takes the package and its repository away again. */
export async function withdraw(host: LabHost): Promise<void> {
  await onHost(
    host,
    `export DEBIAN_FRONTEND=noninteractive
dpkg --purge rb-probe >/dev/null 2>&1 || true
rm -rf /etc/apt/sources.list.d/rb-probe.list /${FOLDER}
apt-get -qq update`,
  );
}

/** Builds the package into a folder; answers its entry of the repository's index. */
async function build(folder: string, version: string, bytes: number): Promise<string> {
  const tree = mkdtempSync(join(tmpdir(), 'rb-probe-'));
  const control = `Package: rb-probe\nVersion: ${version}\nArchitecture: all\nMaintainer: tests <root@localhost>\nDescription: nothing but a name\n`;
  const deb = join(folder, 'rb-probe.deb');
  mkdirSync(join(tree, 'DEBIAN'), { mode: 0o755 });
  writeFileSync(join(tree, 'DEBIAN', 'control'), control);
  if (bytes > 0) {
    mkdirSync(join(tree, 'srv', 'small'), { recursive: true });
    writeFileSync(join(tree, 'srv', 'small', 'blob'), randomBytes(bytes));
  }
  await run('dpkg-deb', ['--build', '--root-owner-group', tree, deb]);
  rmSync(tree, { recursive: true });
  const hash = createHash('sha256').update(readFileSync(deb)).digest('hex');
  return `${control}Filename: ./rb-probe.deb\nSize: ${statSync(deb).size}\nSHA256: ${hash}\n\n`;
}
