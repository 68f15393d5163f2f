import { setTimeout as pause } from 'node:timers/promises';
import { installedVersion } from '../common/home.js';
import { compareDeb } from '../../../../engine/lib/version.js';
import { hasPackage } from './agent-package.js';
import { allSeen, dropOrder, noteOrder, orderOf, type Seen } from './agent-registry.js';

const limitMs = 180_000;

/**
 * The remote upgrade tool: `-l` lists what is outdated, `-a ID…` or `-a all` upgrades. Prints `Upgraded agents:` and
 * `Failed upgrades:`, and ends with 0 whatever came of it, as the real one does.
 */
async function main(args: readonly string[]): Promise<void> {
  const version = installedVersion();
  const outdated = allSeen().filter((agent) => compareDeb(agent.version, version) < 0);
  if (args[0] === '-l') {
    process.stdout.write(
      `ID    Name                                Version\n${outdated.map((agent) => `${agent.id.padEnd(6)}${agent.name.padEnd(36)}Platform v${agent.version}\n`).join('')}\nTotal outdated agents: ${String(outdated.length)}\n`,
    );
    return;
  }
  const ids = args.slice(1);
  if (args[0] !== '-a' || ids.length === 0) {
    process.stdout.write('usage: agent_upgrade [-l] [-a AGENT_ID [AGENT_ID ...] | -a all]\n');
    return;
  }
  const chosen = ids.includes('all') ? outdated : outdated.filter(({ id }) => ids.includes(id));
  if (chosen.length === 0) {
    process.stdout.write('List of agents to upgrade is empty\n');
    return;
  }
  process.stdout.write('Upgrading...\n');
  const atMs = Date.now();
  for (const { id } of chosen)
    noteOrder({ id, taskId: 0, version, atMs, status: hasPackage(version) ? 'In queue' : 'Error' });
  while (chosen.some(pending) && Date.now() - atMs < limitMs) await pause(500);
  report(chosen, version);
}

function pending({ id }: Seen): boolean {
  const status = orderOf(id)?.status;
  return status === 'In queue' || status === 'Updating';
}

function report(chosen: readonly Seen[], version: string): void {
  const done = chosen.filter(({ id }) => orderOf(id)?.status === 'Updated');
  const failed = chosen.filter((agent) => !done.includes(agent));
  if (done.length > 0) process.stdout.write('\nUpgraded agents:\n');
  for (const agent of done)
    process.stdout.write(`\tAgent ${agent.id} upgraded: Platform v${agent.version} -> Platform v${version}\n`);
  if (failed.length > 0) process.stdout.write('\nFailed upgrades:\n');
  for (const { id } of failed) {
    const order = orderOf(id);
    process.stdout.write(
      `\tAgent ${id} status: ${order?.status === 'Error' ? (order.message ?? 'The package is not there') : 'Timeout reached while waiting for the response from the agent'}\n`,
    );
    if (order?.status !== 'Updating') dropOrder(id);
  }
}

await main(process.argv.slice(2));
