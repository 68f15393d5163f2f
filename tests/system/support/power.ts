import { readFile } from 'node:fs/promises';
import { processesOf } from '../../lab/cgroup.js';
import { pause } from '../../lab/hosts.js';
import { powerOff } from '../../lab/power.js';
import type { LabHost } from '../../lab/topology.js';
import { start, type Ran, type RunbookOptions } from './runbook.js';

/**
 * Runs a verb until the package manager of a host is in the middle of the step that upgrades its package there, then kills the controller
 * and cuts the power of the host.
 */
export async function powerFailure(
  args: readonly string[],
  host: LabHost,
  step: string,
  { onEvent }: Pick<RunbookOptions, 'onEvent'> = {},
): Promise<Ran> {
  let fell: Promise<void> | undefined;
  const running = start([...args, '--json'], {
    onEvent: (recorded) => {
      onEvent?.(recorded);
      const { event } = recorded;
      if (event.e !== 'intent' || event.name !== step || fell !== undefined) return;
      if (!('host' in event.task.on) || event.task.on.host !== host.name) return;
      // The controller goes first: on a busy machine it would see the host go, and end the run by itself.
      fell = isInTransaction(host).then(() => {
        running.kill();
        return powerOff(host);
      });
    },
  });
  const ran = await running.done;
  await fell;
  return ran;
}

/** dpkg or rpm unpacks, which a program of their own does for apt and within dnf's process. */
export async function isInTransaction(host: LabHost): Promise<void> {
  for (;;) {
    const lines = await Promise.all(
      (await processesOf(host.name)).map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
    );
    if (lines.some((line) => /(^|\/)dpkg\0.*--(unpack|configure|status-fd)|^\/bin\/sh\0\/var\/tmp\/rpm-tmp/.test(line)))
      return;
    await pause(5);
  }
}
