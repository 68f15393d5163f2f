import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createLocal } from '../../engine/machines/local.js';
import type { Transport } from '../../engine/machines/transport.js';
import { quoteOne } from '../../engine/lib/quote.js';
import { buildBase } from '../lab/base.js';
import { dropGroups, isUnified, makeGroups, processesOf } from '../lab/cgroup.js';

export interface SystemdHost {
  /** A new way in, as root, without a network. */
  enter(): Transport;
  /** Boots it anew; whatever ran is gone. */
  reboot(): Promise<void>;
  readonly root: string;
  stop(): Promise<void>;
}

export interface HostOptions {
  readonly name?: string;
  /** Directories under the disk, the uppermost first. Default: the lab's base system. */
  readonly layers?: readonly string[];
  /** A network namespace. Default: no network. */
  readonly netns?: string;
  /** Writes on the disk before the host boots. */
  readonly prepare?: (root: string) => void;
}

/** One host of the lab's base system: real systemd and dpkg in a container. Root only. */
export async function bootSystemdHost(options: HostOptions = {}): Promise<SystemdHost> {
  const { name = 'systemd-test', layers = [await buildBase()], prepare } = options;
  const network =
    options.netns === undefined ? '--private-network' : `--network-namespace-path=/run/netns/${options.netns}`;
  const folder = mkdtempSync(join(tmpdir(), 'runbook-systemd-'));
  const root = join(folder, 'root');
  for (const part of ['upper', 'work', 'root']) mkdirSync(join(folder, part));
  const disk = `lowerdir=${layers.join(':')},upperdir=${join(folder, 'upper')},workdir=${join(folder, 'work')}`;
  execFileSync('mount', ['-t', 'overlay', `runbook-${name}`, '-o', disk, root]);
  writeFileSync(join(root, 'etc/machine-id'), 'a'.repeat(32));
  prepare?.(root);
  let leader = await boot(name, root, network);
  return {
    root,
    enter: () => {
      const local = createLocal();
      return {
        ...local,
        exec: (line) => local.exec(`exec nsenter --target ${leader} --all /bin/sh -c ${quoteOne(line)}`),
      };
    },
    async reboot() {
      await end(name, leader);
      leader = await boot(name, root, network);
    },
    async stop() {
      await end(name, leader);
      await dropGroups(name);
      execFileSync('umount', [root]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** The process id of the host's systemd, once it has come up. */
async function boot(name: string, root: string, network: string): Promise<number> {
  const groups = await makeGroups(name);
  const args = [
    '--quiet',
    '--boot',
    '--directory',
    root,
    '--machine',
    `rb-${name}`,
    '--hostname',
    name,
    '--register=no',
    '--keep-unit',
    '--link-journal=no',
    network,
    '--console=read-only',
  ];
  const child = spawn(
    'sh',
    ['-ec', `${groups.map((g) => `echo $$ >${g}/cgroup.procs`).join('\n')}\nexec systemd-nspawn "$@"`, 'sh', ...args],
    {
      stdio: 'ignore',
      env: { PATH: process.env['PATH'], SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: isUnified() ? '1' : '0' },
    },
  );
  const ended = once(child, 'exit').then(() => 'ended');
  for (let tries = 0; tries < 300; tries += 1) {
    const leader = Number(
      readFileSync(`/proc/${child.pid ?? 0}/task/${child.pid ?? 0}/children`, 'utf8')
        .trim()
        .split(' ')[0] ?? 0,
    );
    if (leader > 0 && isUp(leader)) return leader;
    if ((await Promise.race([ended, pause(200)])) === 'ended') break;
  }
  throw new Error('the host did not come up');
}

function isUp(leader: number): boolean {
  try {
    execFileSync(
      'nsenter',
      ['--target', String(leader), '--all', 'systemctl', 'is-active', '--quiet', 'multi-user.target'],
      { stdio: 'ignore', timeout: 5_000 },
    );
    return true;
  } catch {
    return false;
  }
}

/** All of its processes are in its own control groups, so no other is ever ended. */
async function end(name: string, leader: number): Promise<void> {
  process.kill(leader, 'SIGKILL');
  for (let rounds = 0; rounds < 100; rounds += 1) {
    const left = await processesOf(name);
    if (left.length === 0) return;
    for (const pid of left)
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    await pause(100);
  }
}
