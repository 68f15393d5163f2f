import { existsSync } from 'node:fs';
import { run, say } from './shell.js';
import { stop, pause } from './hosts.js';
import { dropNetwork } from './network.js';
import { isAlive, readState, runDir, type Owned } from './state.js';
import { everyHost } from './topology.js';

/**
 * Ends all that an `up` began, finished or not, and removes what it left: hosts, servers, mounts, control groups, network, files.
 * Safe to call when nothing is up.
 */
export async function down(): Promise<void> {
  const state = await readState();
  for (const owned of [state?.writer, state?.server]) if (owned !== undefined) await endProcess(owned);
  await Promise.all(everyHost().map((host) => stop(host, state?.hosts[host.name])));
  await dropNetwork();
  // Never across a mount: a disk that could not be unmounted is reported, not emptied.
  if (existsSync(runDir())) await run('rm', ['-rf', '--one-file-system', runDir()]);
}

/** Ends one process by its id, with SIGKILL when it does not end within 5 s. */
export async function endProcess(owned: Owned): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isAlive(owned)) return;
    process.kill(owned.pid, signal);
    for (let round = 0; round < 50 && isAlive(owned); round += 1) await pause(100);
  }
  if (isAlive(owned)) say(`process ${owned.pid} does not end`);
}
