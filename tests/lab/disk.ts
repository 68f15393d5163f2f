import { randomBytes } from 'node:crypto';
import { appendFile, chmod, chown, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { idsOf } from './base.js';
import { caFile } from './certificates.js';
import { makeRpmHost } from './rpm-host.js';
import { attempt, run } from './shell.js';
import { hostKeyFile, keyFile, secret } from './ssh.js';
import { inRun } from './state.js';
import { hostsOf, type LabHost } from './topology.js';

export const hostDir = (host: LabHost, ...parts: string[]): string => inRun('hosts', host.name, ...parts);

/** The host's root directory as the controller sees it while it is mounted. */
export const rootOf = (host: LabHost): string => hostDir(host, 'root');

/** Lays an empty layer over the base system, and writes what makes it this host: name, keys, people, trust. */
export async function makeDisk(host: LabHost, base: string): Promise<void> {
  for (const part of ['upper', 'work', 'root']) await mkdir(hostDir(host, part), { recursive: true });
  const layers = `lowerdir=${base},upperdir=${hostDir(host, 'upper')},workdir=${hostDir(host, 'work')}`;
  await run('mount', ['-t', 'overlay', `runbook-lab-${host.name}`, '-o', layers, rootOf(host)]);
  await Promise.all([writeIdentity(host), admitPeople(host, base), trustAuthority(host)]);
  if (host.family === 'rpm') await makeRpmHost(rootOf(host));
}

/** Unmounts a host's disk, also one that a crashed lab left. */
export async function dropDisk(host: LabHost): Promise<void> {
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  const places = mounts.split('\n').map((line) => line.split(' ')[1] ?? '');
  const own = places.filter((place) => place === rootOf(host) || place.startsWith(`${rootOf(host)}/`));
  for (const place of own.reverse()) {
    const { exit } = await attempt('umount', [place]);
    if (exit !== 0) await attempt('umount', ['--lazy', place]);
  }
}

/** Writes a file on a host's disk, with its directory. */
async function place(host: LabHost, path: string, text: string, mode = 0o644): Promise<void> {
  const file = join(rootOf(host), path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, mode);
}

async function writeIdentity(host: LabHost): Promise<void> {
  const names = hostsOf()
    .map((each) => `${each.address} ${each.name}\n`)
    .join('');
  await place(host, 'etc/hostname', `${host.name}\n`);
  await place(host, 'etc/hosts', `127.0.0.1 localhost\n${names}`);
  await place(host, 'etc/machine-id', `${randomBytes(16).toString('hex')}\n`);
  await place(host, 'etc/resolv.conf', '# no name server: the lab has no way out\n');
  await place(host, 'etc/ssh/sshd_config.d/lab.conf', `ListenAddress ${host.address}\nUseDNS no\n`);
  await place(host, 'etc/ssh/ssh_host_ed25519_key', await readFile(hostKeyFile(host), 'utf8'), 0o600);
  await place(host, 'etc/ssh/ssh_host_ed25519_key.pub', await readFile(`${hostKeyFile(host)}.pub`, 'utf8'));
}

async function admitPeople(host: LabHost, base: string): Promise<void> {
  for (const user of ['ops', 'opspw']) {
    const { uid, gid } = await idsOf(base, user);
    const dir = join(rootOf(host), 'home', user, '.ssh');
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await copyFile(`${keyFile()}.pub`, join(dir, 'authorized_keys'));
    for (const path of [dir, join(dir, 'authorized_keys')]) await chown(path, uid, gid);
  }
  const hash = (await run('openssl', ['passwd', '-6', '-stdin'], { input: `${await secret('opspw')}\n` })).trim();
  const shadow = join(rootOf(host), 'etc/shadow');
  const lines = (await readFile(shadow, 'utf8')).replace(/^opspw:[^:]*:/m, () => `opspw:${hash}:`);
  await writeFile(shadow, lines);
}

/** What update-ca-certificates would do, without a second a host: the file for the next run of it, and the bundle. */
async function trustAuthority(host: LabHost): Promise<void> {
  const authority = await readFile(caFile(), 'utf8');
  await place(host, 'usr/local/share/ca-certificates/lab-root-ca.crt', authority);
  await appendFile(join(rootOf(host), 'etc/ssl/certs/ca-certificates.crt'), authority);
}
