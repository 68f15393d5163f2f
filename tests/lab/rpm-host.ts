import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { packRpm, rpmFile } from './build/build-rpm.js';
import { cached } from './build/cache.js';
import { stage } from './build/build-deb.js';

/** What makes a system of RPMs of the base, which is a Debian with dnf and rpm: its files, by path. */
const files: Readonly<Record<string, string>> = {
  'etc/os-release': `NAME="Lab Linux"
VERSION="9"
ID="lablinux"
ID_LIKE="rhel fedora"
VERSION_ID="9"
PRETTY_NAME="Lab Linux 9 (a Debian with rpm and dnf)"
`,
  // Debian's rpm would keep a database for each user.
  'etc/rpm/macros': '%_dbpath /var/lib/rpm\n',
  'etc/dnf/vars/releasever': '9\n',
  // It would copy each package that is fetched into a repository of its own, by a program that hosts do not have.
  'etc/dnf/plugins/local.conf': '[main]\nenabled = 0\n',
};

/** What would manage packages the other way. */
const foreign = ['apt-get', 'apt', 'apt-cache', 'apt-mark', 'dpkg', 'dpkg-query'];

/** Makes a host whose packages are RPMs of a disk that is laid over the base system, before it boots. */
export async function makeRpmHost(root: string): Promise<void> {
  for (const program of foreign) await rm(join(root, 'usr/bin', program), { force: true });
  for (const [path, text] of Object.entries(files)) {
    const place = join(root, path);
    await mkdir(dirname(place), { recursive: true });
    // The base has a link there: what it points to is the base's own.
    await rm(place, { force: true });
    await writeFile(place, text);
  }
}

/** An RPM that stands for what the base brings and RPMs require: the shell of their scripts. Answers its path. */
export async function systemRpm(): Promise<string> {
  const spec = {
    name: 'lab-system',
    version: '9-1',
    architecture: 'all' as const,
    description: 'What the base system has of what packages require',
    directories: [],
    provides: ['/bin/sh'],
  };
  const dir = await cached('rpm-lab-system', [spec], async (draft) => {
    const root = await stage({ directories: [], files: [] });
    await packRpm({ ...spec, root, kept: [], scripts: {} }, draft);
    await rm(root, { recursive: true });
  });
  return join(dir, rpmFile(spec));
}
