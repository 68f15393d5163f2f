import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { installedVersion } from '../common/home.js';
import { compareDeb } from '../../../../engine/lib/version.js';
import { createManagement } from '../../../../engine/platforms/security-monitoring/simulator/management-api.js';
import { upgradeAgents } from '../../../../engine/platforms/security-monitoring/simulator/management-agents.js';
import {
  orderQuery,
  printUpgrade,
  readToolArgs,
  refusedIn,
  TOOL_USAGE,
} from '../../../../engine/platforms/security-monitoring/simulator/management-tool.js';
import { agentRecords } from './agent-records.js';
import { allSeen, dropOrder, noteOrder, orderOf } from './agent-registry.js';

const limitMs = 180_000;

/**
 * The remote upgrade tool: `-l` lists what is outdated, `-a ID…` or `-a all` upgrades. It asks the model's own API about the agents of this
 * host, prints what the real one prints, and ends with 0 whatever came of it, as the real one does.
 */
async function main(args: readonly string[]): Promise<void> {
  const version = installedVersion();
  const outdated = allSeen().filter((agent) => compareDeb(agent.version, version) < 0);
  if (args[0] === '-l') {
    const rows = outdated.map(({ id, name, version: has }) => `${id.padEnd(6)}${name.padEnd(35)} Platform v${has}\n`);
    process.stdout.write(
      outdated.length === 0
        ? 'All agents are updated.\n'
        : `ID    Name                                Version\n${rows.join('')}\nTotal outdated agents: ${String(outdated.length)}\n`,
    );
    return;
  }
  const order = readToolArgs(args);
  if (order.ids.length === 0) {
    process.stdout.write(TOOL_USAGE);
    return;
  }
  const atMs = Date.now();
  const fresh = createManagement({ version, user: '', password: null, agents: [], readyAtMs: 0, upgradeTakesMs: null });
  const state = {
    ...fresh,
    agents: agentRecords(fresh.agents, version, atMs),
    agentFiles: order.file !== undefined && existsSync(order.file) ? [order.file] : [],
  };
  const ids = order.ids.includes('all') ? outdated.map(({ id }) => id) : order.ids;
  const asked = upgradeAgents(state, { ...orderQuery(order, ids), atMs });
  const taken = asked.state.agents.flatMap(({ id, upgrade }) =>
    upgrade !== null && upgrade.createdAtMs === atMs ? [{ id, to: upgrade.to }] : [],
  );
  const file = order.file === undefined ? {} : { file: order.file };
  for (const { id, to } of taken) noteOrder({ id, taskId: 0, version: to, atMs, status: 'In queue', ...file });
  process.stdout.write(printUpgrade({ refused: refusedIn(asked.response.body), upgraded: [], failed: [] }));
  if (taken.length === 0) return;
  while (taken.some(({ id }) => isPending(id)) && Date.now() - atMs < limitMs) await pause(500);
  report(taken, new Map(state.agents.map((agent) => [agent.id, agent.version])));
}

function isPending(id: string): boolean {
  const status = orderOf(id)?.status;
  return status === 'In queue' || status === 'Updating';
}

function report(taken: readonly { id: string; to: string }[], before: ReadonlyMap<string, string | null>): void {
  const done = taken.filter(({ id }) => orderOf(id)?.status === 'Updated');
  const failed = taken.filter((agent) => !done.includes(agent));
  process.stdout.write(
    printUpgrade({
      refused: [],
      upgraded: done.map(({ id, to }) => ({ id, from: `Platform v${before.get(id) ?? ''}`, to: `Platform v${to}` })),
      failed: failed.map(({ id }) => ({ id, reason: reasonOf(id) })),
    }),
  );
  for (const { id } of failed) if (orderOf(id)?.status !== 'Updating') dropOrder(id);
}

function reasonOf(id: string): string {
  const order = orderOf(id);
  if (order?.status === 'Error') return order.message ?? 'Send open file error';
  return 'Timeout reached while waiting for the response from the agent';
}

await main(process.argv.slice(2));
