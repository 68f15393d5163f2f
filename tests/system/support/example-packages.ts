import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addPackages, buildBase } from '../../lab/base.js';
import { cached, cacheRoot } from '../../lab/build/cache.js';
import { attempt, run } from '../../lab/shell.js';

const installed = ['nginx', 'haproxy', 'postgresql-15', 'patroni', 'etcd-server'];
const repacked = ['nginx', 'nginx-common', 'postgresql-15'];
const units = ['nginx', 'haproxy', 'postgresql', 'patroni', 'etcd'];

/** An installation is fast, and starts no daemon. */
export const quickInstall: LayerContent['files'] = [
  [
    'etc/dpkg/dpkg.cfg.d/examples',
    'force-unsafe-io\npath-exclude=/usr/share/doc/*\npath-exclude=/usr/share/man/*\n',
    0o644,
  ],
  ['usr/sbin/policy-rc.d', '#!/bin/sh\nexit 101\n', 0o755],
];
/** Nor does it create a cluster beside Patroni's. */
const initialFiles: LayerContent['files'] = [
  ...quickInstall,
  ['etc/postgresql-common/createcluster.conf', 'create_main_cluster = false\n', 0o644],
];

/**
 * A script of `install`: Debian's packages again, with the number of a later security update, in a repository on the host's own disk. No unit
 * starts by itself.
 */
export const repack = (names: readonly string[], units: readonly string[]): string => `
cd /srv/repository
for name in ${names.join(' ')}; do
  dpkg-deb --raw-extract /var/cache/apt/archives/"$name"_*.deb build
  sed -i 's/deb12u[0-9]*/deb12u99/g' build/DEBIAN/control
  dpkg-deb -Zgzip -z1 --build build . >/dev/null
  rm -r build
done
systemctl -q disable ${units.join(' ')}
rm -rf /usr/sbin/policy-rc.d /etc/dpkg/dpkg.cfg.d/examples /etc/resolv.conf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb
echo 'deb [trusted=yes] copy:/srv/repository ./' >/etc/apt/sources.list
`;

/**
 * The layers of a host's disk for the examples, the uppermost first: Debian's packages, installed, and a later version of them to upgrade to, over
 * the lab's base system.
 */
export async function exampleLayers(): Promise<readonly string[]> {
  const base = await buildBase();
  const script = repack(repacked, units);
  const content = { files: initialFiles, packages: [installed], script };
  const layer = await cached('examples', [base, installed, initialFiles, script], (dir) => install(base, dir, content));
  return [layer, base];
}

/** What is added to the base system, in this order. */
export interface LayerContent {
  readonly files: readonly (readonly [path: string, content: string, mode: number])[];
  /** Arguments of `apt-get install`, for each time it is run. */
  readonly packages: readonly (readonly string[])[];
  /** Run in the layer; it leaves packages in /srv/repository. */
  readonly script: string;
}

/** Fills `dir`, a layer over the base system. */
export async function install(base: string, dir: string, { files, packages, script }: LayerContent): Promise<void> {
  const folder = mkdtempSync(join(cacheRoot(), '.building-disk-'));
  const [work, root] = [join(folder, 'work'), join(folder, 'root')];
  for (const each of [work, root]) mkdirSync(each);
  const disk = `lowerdir=${base},upperdir=${dir},workdir=${work}`;
  await run('mount', ['-t', 'overlay', 'runbook-layer', '-o', disk, root]);
  try {
    for (const [path, content, mode] of files) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), content, { mode });
    }
    mkdirSync(join(root, 'srv/repository'), { recursive: true });
    for (const some of packages) await addPackages(root, some);
    await run('chroot', [root, 'sh', '-e'], { input: script });
    const index = await run('apt-ftparchive', ['packages', '.'], { cwd: join(root, 'srv/repository') });
    writeFileSync(join(root, 'srv/repository/Packages'), index);
  } finally {
    await attempt('umount', [root]);
    rmSync(folder, { recursive: true });
  }
}

/** The version of a package that the repository on the hosts offers. */
export async function laterVersion(name: string, layers = exampleLayers()): Promise<string> {
  const [layer = ''] = await layers;
  const index = readFileSync(join(layer, 'srv/repository/Packages'), 'utf8');
  const version = new RegExp(`^Package: ${name}\\n(?:.+\\n)*?Version: (.+)$`, 'm').exec(index)?.[1];
  if (version === undefined) throw new Error(`the repository has no ${name}`);
  return version;
}
