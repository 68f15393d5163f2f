import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from './build/cache.js';
import { attempt, run, say } from './shell.js';

const suite = 'bookworm';
/**
 * What a server has, then Java for the indexer, dnf and rpm for the hosts whose packages are RPMs, the rest for what the tests ask of hosts:
 * locales, ACLs, a process list, a csh login shell.
 */
const packages = [
  'systemd',
  'systemd-sysv',
  'dbus',
  'openssh-server',
  'sudo',
  'python3-minimal',
  'ca-certificates',
  'iproute2',
  'curl',
  'libpam-systemd',
  'openjdk-17-jre-headless',
  'rpm',
  'dnf',
  'dnf-plugins-core',
  'locales',
  'acl',
  'adduser',
  'procps',
  'psmisc',
  'tcsh',
  'libstdc++6',
];

/** Programs the lab needs on the controller, with the Debian package that holds each. */
const prerequisites: Readonly<Record<string, string>> = {
  mmdebstrap: 'mmdebstrap',
  'systemd-nspawn': 'systemd-container',
  ip: 'iproute2',
  'dpkg-deb': 'dpkg',
  'apt-ftparchive': 'apt-utils',
  gpg: 'gnupg',
  rpmbuild: 'rpm',
  createrepo_c: 'createrepo-c',
  openssl: 'openssl',
  ssh: 'openssh-client',
  unzip: 'unzip',
  mvn: 'maven',
  nsenter: 'util-linux',
};

/** Installs the programs that are missing, saying which; throws when this is no Debian or not root. */
export async function installPrerequisites(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('the lab boots hosts: it needs root');
  const missing: string[] = [];
  for (const [program, name] of Object.entries(prerequisites)) {
    const { exit } = await attempt('sh', ['-c', `command -v ${program}`]);
    if (exit !== 0) missing.push(name);
  }
  if (missing.length === 0) return;
  say(`installing ${missing.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update'], { env });
  await run('apt-get', ['install', '-y', '--no-install-recommends', ...missing], { env });
}

/** The directory of the base system that every host's disk is laid over, built once. */
export function buildBase(): Promise<string> {
  return cached('base', [suite, packages, process.version, baseSetup], async (dir) => {
    await bootstrap(dir);
    await run('chroot', [dir, 'sh', '-e'], { input: baseSetup });
    await placeNode(dir);
  });
}

/**
 * What every host of the lab has: two people (`ops` becomes root without a password, `opspw` with one), a German
 * locale besides C, nothing that takes the package lock by itself, no source of packages but the lab's own.
 */
const baseSetup = `
sed -i 's/^# *\\(de_DE.UTF-8 UTF-8\\|en_US.UTF-8 UTF-8\\)/\\1/' /etc/locale.gen
locale-gen >/dev/null
useradd --create-home --shell /bin/bash ops
useradd --create-home --shell /bin/bash --groups sudo opspw
printf 'ops ALL=(ALL:ALL) NOPASSWD:ALL\\n' >/etc/sudoers.d/ops
chmod 0440 /etc/sudoers.d/ops
for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer \\
  dnf-makecache.timer console-getty.service getty@tty1.service systemd-networkd-wait-online.service; do
  ln -sf /dev/null /etc/systemd/system/$unit
done
rm -f /etc/ssh/ssh_host_* /etc/machine-id /etc/resolv.conf /etc/apt/sources.list.d/*
rm -f /etc/apt/apt.conf.d/99mmdebstrap /etc/dpkg/dpkg.cfg.d/99mmdebstrap
: >/etc/machine-id
echo '# packages come from the lab alone' >/etc/apt/sources.list
rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/apt/archives/*.deb
mkdir -p /usr/lib/runbook-lab
`;

/** From this machine's archives with its own options of apt, all packages in one go and without a sync for each file. */
async function bootstrap(dir: string): Promise<void> {
  const options = (await acquireOptions()).map((line) => `--aptopt=${line}`);
  await run(
    'mmdebstrap',
    [
      ...['--quiet', '--mode=root', '--variant=minbase', '--format=directory', '--dpkgopt=force-unsafe-io'],
      ...[...options, `--include=${packages.join(',')}`, suite, dir, '-'],
    ],
    { input: await sources() },
  );
}

/** Adds packages to a base system from the same archives, then forgets how. */
export async function addPackages(dir: string, packages: readonly string[]): Promise<void> {
  const options = join(dir, 'etc/apt/apt.conf.d/00build');
  const bundle = '/etc/ssl/certs/ca-certificates.crt';
  await writeFile(options, `${(await acquireOptions()).join('\n')}\n`);
  await writeFile(join(dir, 'etc/apt/sources.list'), await sources());
  for (const file of ['/etc/resolv.conf', '/etc/hosts']) await copyFile(file, join(dir, file));
  if (existsSync(bundle)) await copyFile(bundle, join(dir, bundle));
  await run('mount', ['-t', 'proc', 'proc', join(dir, 'proc')]);
  try {
    await run(
      'chroot',
      [dir, 'sh', '-ec', 'apt-get update; apt-get install -y --no-install-recommends "$@"', 'sh', ...packages],
      {
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
      },
    );
    await run('chroot', [dir, 'update-ca-certificates', '--fresh']);
  } finally {
    await run('umount', [join(dir, 'proc')]);
    await run('rm', ['-f', options]);
  }
}

/** Copies the Node that runs this: the stand-ins' API runs on it, and Debian's own is too old. */
async function placeNode(dir: string): Promise<void> {
  await mkdir(join(dir, 'usr/lib/runbook-lab'), { recursive: true });
  await copyFile(process.execPath, join(dir, 'usr/lib/runbook-lab/node'));
  await symlink('/usr/lib/runbook-lab/node', join(dir, 'usr/bin/node'));
}

/** Where this machine gets its Debian packages from, by its own configuration, one line for each archive. */
async function archives(): Promise<{ site: string; release: string; component: string }[]> {
  const listed = await run('apt-get', [
    'indextargets',
    '--format',
    '$(SITE) $(RELEASE) $(COMPONENT)',
    'Identifier: Packages',
  ]);
  return listed
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, release]) => release?.startsWith(suite))
    .map(([site = '', release = '', component = '']) => ({ site, release, component }));
}

async function sources(): Promise<string> {
  const lines = (await archives()).map((each) => `deb ${each.site} ${each.release} ${each.component}`);
  if (lines.length === 0) throw new Error(`this machine's apt sources hold no ${suite}: the lab needs Debian 12`);
  return `${[...new Set(lines)].join('\n')}\n`;
}

/** The machine's download options of apt (proxies, checks), as lines of a configuration file. */
async function acquireOptions(): Promise<readonly string[]> {
  const dump = await run('apt-config', ['dump']);
  return dump.split('\n').filter((line) => /^Acquire::(https?|ftp|Check-|Retries|Proxy)[^ ]* "[^"]+";$/i.test(line));
}

/** The user and group ids of an account in a base system's password file. */
export async function idsOf(base: string, user: string): Promise<{ uid: number; gid: number }> {
  const line = (await readFile(join(base, 'etc/passwd'), 'utf8'))
    .split('\n')
    .find((each) => each.startsWith(`${user}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined || gid === undefined) throw new Error(`no user ${user} in ${base}`);
  return { uid: Number(uid), gid: Number(gid) };
}
