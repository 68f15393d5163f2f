import {
  IDS_A_REQUEST,
  type AgentRecord,
  type UpgradesAnswer,
  type UpgradesQuestion,
  type UpgradeTask,
} from './agents.js';
import { isObject, type Json } from '../../../terms/json.js';
import { readAgents, readList } from './agent-pages.js';
import type { Exchange } from '../../../machines/http/exchange.js';

const LIMIT_MS = 60_000;

export interface AgentUpgradesRequest {
  readonly endpoint: string;
  readonly node?: string | undefined;
  readonly question: UpgradesQuestion;
  readonly inHand: readonly string[];
}

/**
 * How far upgrades are: first the manager's tasks (`GET /agents/upgrade_result`, where this release has it), then what `GET /agents` says
 * of these agents, which decides. In this order: an agent whose task is over has said its version by then.
 */
export async function readUpgrades(exchange: Exchange, request: AgentUpgradesRequest): Promise<UpgradesAnswer> {
  const { endpoint, node, inHand, question } = request;
  const tasks: Record<string, UpgradeTask> = {};
  const agents: AgentRecord[] = [];
  let hasTasks = true;
  for (let at = 0; at < question.ids.length; at += IDS_A_REQUEST) {
    const ids = question.ids.slice(at, at + IDS_A_REQUEST);
    if (hasTasks) {
      const path = `/agents/upgrade_result?agents_list=${ids.join(',')}`;
      const asked = { endpoint, node, inHand, method: 'GET', path, headers: {}, timeoutMs: LIMIT_MS, reads: true };
      const list = readList(await exchange(asked), endpoint);
      if ('is' in list && list.absent !== true) return list;
      hasTasks = !('is' in list);
      if (!('is' in list)) for (const item of list.items) note(tasks, item);
    }
    if (question.tasksOnly === true) continue;
    const page = await readAgents(exchange, { endpoint, node, inHand, ids, question: { pageSize: IDS_A_REQUEST } });
    if (page.is === 'failed') return page;
    agents.push(...page.agents);
  }
  return { is: 'answered', hasTasks, tasks, agents };
}

/** Of several tasks of an agent the newest counts. */
function note(tasks: Record<string, UpgradeTask>, item: Json): void {
  if (!isObject(item) || typeof item['agent'] !== 'string' || typeof item['task_id'] !== 'number') return;
  const id = item['task_id'];
  const status = typeof item['status'] === 'string' ? item['status'] : '';
  const error = typeof item['error_msg'] === 'string' && item['error_msg'] !== '' ? { error: item['error_msg'] } : {};
  if ((tasks[item['agent']]?.id ?? -1) < id) tasks[item['agent']] = { id, status, ...error };
}
