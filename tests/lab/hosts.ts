import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { dropGroups, isUnified, makeGroups, processesOf } from './cgroup.js';
import { dropDisk, hostDir, rootOf } from './disk.js';
import { attempt } from './shell.js';
import { configFile } from './ssh.js';
import { inRun, isAlive, ownedOf, type Owned } from './state.js';
import type { LabHost } from './topology.js';

/** How long a host may take from its start to its first ssh command. */
const bootLimitMs = 60_000;
const powerOffLimitMs = 15_000;

/**
 * Boots a host from its disk in its network namespace: real systemd, in control groups of its own. Answers the process
 * that holds it; the host may not be reachable yet.
 */
export async function boot(host: LabHost): Promise<Owned> {
  const groups = await makeGroups(host.name);
  const join = groups.map((group) => `echo $$ >${group}/cgroup.procs`).join('\n');
  const log = await open(hostDir(host, 'console.log'), 'a', 0o600);
  const args = [
    ...['--quiet', '--boot', '--directory', rootOf(host), '--machine', `rblab-${host.name}`, '--hostname', host.name],
    ...['--register=no', '--keep-unit', '--link-journal=no', '--resolv-conf=off', '--timezone=off'],
    ...[`--network-namespace-path=/run/netns/${host.netns}`, '--console=read-only'],
    ...(host.roles.includes('indexer') ? ['--bind', `${inRun('snapshots')}:/mnt/snapshots`] : []),
  ];
  const child = spawn('sh', ['-ec', `${join}\nexec systemd-nspawn "$@"`, 'sh', ...args], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: {
      PATH: process.env['PATH'],
      // A machine's /tmp is a disk unless its operator made it a tmpfs.
      SYSTEMD_NSPAWN_TMPFS_TMP: '0',
      SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: isUnified() ? '1' : '0',
    },
  });
  child.unref();
  await log.close();
  if (child.pid === undefined) throw new Error(`${host.name}: systemd-nspawn did not start`);
  return ownedOf(child.pid);
}

/** Waits until a host answers a command over ssh; throws when it does not, with the end of its console. */
export async function reachable(host: LabHost, owned: Owned): Promise<void> {
  const limit = performance.now() + bootLimitMs;
  while (performance.now() < limit && isAlive(owned)) {
    const { exit } = await attempt('ssh', ['-F', configFile(), '-o', 'ConnectTimeout=2', host.name, 'true']);
    if (exit === 0) return;
    await pause(300);
  }
  const console = await readFile(hostDir(host, 'console.log'), 'utf8');
  throw new Error(`${host.name} is not reachable\n${console.split('\n').slice(-15).join('\n')}`);
}

/**
 * Ends a host and frees what it held. Powered off from inside, because nspawn answers SIGTERM slowly or never; what
 * is left after that is killed by process id, found by its control group.
 */
export async function stop(host: LabHost, owned: Owned | undefined, gently = true): Promise<void> {
  if (owned !== undefined && isAlive(owned)) {
    const leader = await leaderOf(owned);
    if (gently && leader !== undefined) await powerOff(leader, owned);
  }
  for (let round = 0; round < 50; round += 1) {
    const left = await processesOf(host.name);
    if (left.length === 0) break;
    for (const pid of left) kill(pid);
    await pause(100);
  }
  await dropDisk(host);
  await dropGroups(host.name);
}

async function powerOff(leader: number, owned: Owned): Promise<void> {
  const limit = performance.now() + powerOffLimitMs;
  await attempt('nsenter', ['--target', String(leader), '--all', 'systemctl', 'poweroff'], { timeoutMs: 5000 });
  while (isAlive(owned) && performance.now() < limit) await pause(100);
}

/** The host's first process, as the controller numbers it: the only child of nspawn. */
export async function leaderOf(owned: Owned): Promise<number | undefined> {
  const listed = await readFile(`/proc/${owned.pid}/task/${owned.pid}/children`, 'utf8').catch(() => '');
  const first = listed.trim().split(' ')[0];
  return first === undefined || first === '' ? undefined : Number(first);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
