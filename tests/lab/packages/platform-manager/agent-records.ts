import type { ManagementState } from '../../../../engine/platforms/security-monitoring/simulator/management-api.js';
import { hasPackage } from './agent-package.js';
import { allOrders, allSeen, enrolled, type Order } from './agent-registry.js';

type AgentRecord = ManagementState['agents'][number];

/** An agent that has been silent for longer is disconnected. */
const silentMs = 15_000;

/** The agents as the API tells of them, out of keys, keepalives and orders; the manager's own record stays first. */
export function agentRecords(before: readonly AgentRecord[], version: string, nowMs: number): AgentRecord[] {
  const seen = new Map(allSeen().map((each) => [each.id, each]));
  const orders = new Map(allOrders().map((each) => [each.id, each]));
  const fate = hasPackage(version) ? 'updated' : 'no-package';
  const agents = enrolled().map(({ id, name }): AgentRecord => {
    const last = seen.get(id);
    const order = orders.get(id);
    return {
      id,
      name,
      ip: last?.ip ?? 'any',
      version: last?.version ?? null,
      status: !last ? 'never_connected' : nowMs - last.atMs < silentMs ? 'active' : 'disconnected',
      upgrade: order ? taskOf(order) : null,
      fate,
    };
  });
  return [...before.filter(({ id }) => id === '000'), ...agents.sort((a, b) => Number(a.id) - Number(b.id))];
}

function taskOf(order: Order): AgentRecord['upgrade'] {
  const { taskId, version, atMs, status, message } = order;
  const error = message === undefined ? {} : { error: message };
  return { taskId, to: version, createdAtMs: atMs, startsAtMs: atMs, endsAtMs: null, status, ...error };
}
