import { rootOf } from './disk.js';
import { processesOf, dropGroups } from './cgroup.js';
import { boot, pause, reachable } from './hosts.js';
import { attempt } from './shell.js';
import { isAlive, readState, saveState, type LabState, type Owned } from './state.js';
import type { LabHost } from './topology.js';

/** As when the power fails: every process of the host is killed where it stands, and its disk stays as it is. */
export async function powerOff(host: LabHost): Promise<void> {
  const { owned } = await stateOf(host);
  for (let round = 0; round < 50; round += 1) {
    const left = await processesOf(host.name);
    if (left.length === 0 && !isAlive(owned)) return;
    for (const pid of isAlive(owned) ? [...left, owned.pid] : left) kill(pid);
    await pause(100);
  }
  throw new Error(`${host.name} does not end`);
}

/** Boots a host that is off from the disk that it had. */
export async function powerOn(host: LabHost): Promise<void> {
  const { state, owned } = await stateOf(host);
  if (isAlive(owned)) throw new Error(`${host.name} is running`);
  await dropGroups(host.name);
  // What the container laid over the disk went with it, or is in the way of the next.
  await attempt('sh', ['-c', 'umount "$1"/dev/* "$1"/proc "$1"/sys "$1"/run "$1"/tmp 2>/dev/null', 'sh', rootOf(host)]);
  const started = await boot(host);
  state.hosts[host.name] = started;
  await saveState(state);
  await reachable(host, started);
}

async function stateOf(host: LabHost): Promise<{ state: LabState; owned: Owned }> {
  const state = await readState();
  const owned = state?.hosts[host.name];
  if (state === undefined || owned === undefined) throw new Error(`the lab has no host ${host.name} that was booted`);
  return { state, owned };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
