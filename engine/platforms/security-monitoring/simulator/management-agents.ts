import { listAnswer, problem, type Failed, type HttpAsk, type HttpResponse } from './management-answer.js';
import { underWay, type AgentRecord, type Fate, type ManagementState } from './management-state.js';
import { newerThan } from '../../../simulator/versions.js';

type Handled = { readonly state: ManagementState; readonly response: HttpResponse };

const LIMIT_DEFAULT = 500;
const LIMIT_MOST = 100_000;
/** Remote upgrades exist from this agent version on. */
const OLDEST_UPGRADABLE = '3.0.0';
const QUEUED_MS = 2_000;

const MESSAGES: Readonly<Record<number, string>> = {
  1701: 'Agent does not exist',
  1703: 'Action not available for the manager agent (agent 000)',
  1707: 'Cannot send request, agent is not active',
  1731: 'Agent is not eligible for the action to be performed',
  1813: 'The upgrade module found no task for this agent',
  1819: 'The repository has no package for this agent',
  1820: 'An upgrade of this agent is already under way',
  1821: 'Remote upgrade is not available for this agent version',
  1822: 'Current agent version is greater or equal',
  1823: 'The requested version is greater than the manager version',
  1824: 'The repository is not reachable',
  1826: 'The WPK file does not exist',
};

/** `GET /agents`: one page, filtered by status, version or ids (§4.1). */
export function listAgents(state: ManagementState, ask: HttpAsk): HttpResponse {
  const offset = wholeNumber(ask.query['offset'], 0);
  const limit = wholeNumber(ask.query['limit'], LIMIT_DEFAULT);
  if (offset === undefined)
    return problem(400, 'Bad Request', `'${String(ask.query['offset'])}' is not a valid offset`);
  if (limit === undefined) return problem(400, 'Bad Request', `'${String(ask.query['limit'])}' is not a valid limit`);
  if (limit === 0) return problem(400, 'Bad Request', '0 is not a valid limit', 1406);
  if (limit > LIMIT_MOST)
    return problem(400, 'Bad Request', `${limit} is greater than the maximum of ${LIMIT_MOST}`, 1405);
  const found = state.agents.filter(filterOf(ask.query, state));
  const page = found.slice(offset, offset + limit).map((a) => shownAgent(a, state, ask.query['select']));
  const there = new Set(state.agents.map((a) => a.id));
  const missing = idsOf(ask.query['agents_list']).filter((id) => !there.has(id));
  return listAnswer({
    items: page,
    total: found.length,
    failed: missing.length === 0 ? [] : [failure(1701, missing)],
    message: 'All selected agents information was returned',
  });
}

/**
 * `PUT /agents/upgrade?agents_list=…`: each agent is taken or refused with a code of its own (§9.7). `PUT /agents/upgrade_custom` is the same
 * with a file on the manager, whose version is not compared.
 */
export function upgradeAgents(state: ManagementState, ask: HttpAsk): Handled {
  const list = ask.query['agents_list'];
  if (list === undefined || list === '')
    return { state, response: problem(400, 'Bad Request', "Missing query parameter 'agents_list'") };
  const file = ask.path.endsWith('/upgrade_custom') ? (ask.query['file_path'] ?? '') : undefined;
  if (file === '') return { state, response: problem(400, 'Bad Request', "Missing query parameter 'file_path'") };
  const named = file === undefined ? ask.query['upgrade_version'] : versionInName(file);
  const target = (named ?? state.version).replace(/^v/, '');
  if (file === undefined && newerThan(target, state.version))
    return { state, response: problem(400, 'Bad Request', MESSAGES[1823] ?? '', 1823) };

  const wanted =
    list === 'all' ? state.agents.filter((a) => a.id !== '000').map((a) => a.id) : [...new Set(idsOf(list))];
  const byId = new Map(state.agents.map((a) => [a.id, a]));
  const refused = new Map<number, string[]>();
  const taken = new Map<string, number>();
  const lacking = lacksPackage(state, file, ask.query['wpk_repo']);
  for (const id of wanted) {
    const code =
      refusal(byId.get(id), target, file === undefined ? ask.query : { ...ask.query, force: 'true' }) ?? lacking;
    if (code === undefined) taken.set(id, state.issued.tasks + taken.size + 1);
    else refused.set(code, [...(refused.get(code) ?? []), id]);
  }
  const busy = new Set(refused.get(1820));
  return {
    state: {
      ...state,
      issued: { ...state.issued, tasks: state.issued.tasks + taken.size },
      agents: state.agents.map((a) =>
        busy.has(a.id) ? endsSoon(a, ask.atMs) : queued(a, taken.get(a.id), target, state.upgradeTakesMs, ask.atMs),
      ),
    },
    response: listAnswer({
      items: [...taken].map(([agent, taskId]) => ({ agent, task_id: taskId })),
      total: taken.size,
      failed: [...refused].sort(([a], [b]) => a - b).map(([code, ids]) => failure(code, ids)),
      message:
        taken.size === 0
          ? 'No upgrade task was created'
          : refused.size === 0
            ? 'All upgrade tasks were created'
            : 'Some upgrade tasks were created',
    }),
  };
}

/** `GET /agents/upgrade_result?agents_list=…`: how far each upgrade is; what `GET /agents` says of the version decides. */
export function upgradeResults(state: ManagementState, ask: HttpAsk): HttpResponse {
  const ids = idsOf(ask.query['agents_list']);
  const chosen = ids.length === 0 ? state.agents.filter((a) => a.upgrade !== null).map((a) => a.id) : ids;
  const byId = new Map(state.agents.map((a) => [a.id, a]));
  const items: unknown[] = [];
  const refused = new Map<number, string[]>();
  for (const id of chosen) {
    const agent = byId.get(id);
    if (agent?.upgrade) items.push(shownTask(agent.id, agent.upgrade));
    else
      refused.set(agent === undefined ? 1701 : 1813, [...(refused.get(agent === undefined ? 1701 : 1813) ?? []), id]);
  }
  const failed = [...refused].map(([code, list]) => failure(code, list));
  return listAnswer({ items, total: items.length, failed, message: 'Upgrade tasks were returned' });
}

function refusal(agent: AgentRecord | undefined, target: string, query: HttpAsk['query']): number | undefined {
  if (agent === undefined) return 1701;
  if (agent.id === '000') return 1703;
  if (!filterOf({ ...query, agents_list: '' }, undefined)(agent)) return 1731;
  if (agent.status !== 'active' || agent.version === null) return 1707;
  if (newerThan(OLDEST_UPGRADABLE, agent.version)) return 1821;
  if (agent.upgrade !== null && underWay(agent.upgrade)) return 1820;
  if (!newerThan(target, agent.version) && query['force'] !== 'true') return 1822;
  return CODE_OF_FATE[agent.fate];
}

const versionInName = (path: string): string | undefined =>
  /\d+(?:\.\d+)+/.exec(path.slice(path.lastIndexOf('/')))?.[0];

/** Where the package comes from is tried once the agent may have it. */
function lacksPackage(
  { isolated, agentFiles = [] }: ManagementState,
  file: string | undefined,
  repository: string | undefined,
): number | undefined {
  if (file !== undefined) return agentFiles.includes(file) ? undefined : 1826;
  return isolated === true && repository === undefined ? 1824 : undefined;
}

const CODE_OF_FATE: Readonly<Partial<Record<Fate, number>>> = {
  'no-package': 1819,
  gone: 1701,
  inactive: 1707,
  filtered: 1731,
  'too-old': 1821,
  ahead: 1822,
};

/** Gives an end to another client's upgrade, which would have none. */
const endsSoon = (agent: AgentRecord, atMs: number): AgentRecord =>
  agent.fate === 'busy' && agent.upgrade?.endsAtMs === null
    ? { ...agent, upgrade: { ...agent.upgrade, endsAtMs: atMs + QUEUED_MS } }
    : agent;

function queued(
  agent: AgentRecord,
  taskId: number | undefined,
  to: string,
  takesMs: number | null,
  atMs: number,
): AgentRecord {
  if (taskId === undefined) return agent;
  const endsAtMs = takesMs === null ? null : atMs + QUEUED_MS + takesMs;
  return {
    ...agent,
    upgrade: { taskId, to, createdAtMs: atMs, startsAtMs: atMs + QUEUED_MS, endsAtMs, status: 'In queue' },
  };
}

function filterOf(query: HttpAsk['query'], state: ManagementState | undefined): (a: AgentRecord) => boolean {
  const statuses = idsOf(query['status']);
  const ids = new Set(idsOf(query['agents_list']));
  const { name, version } = query;
  return (a) =>
    (statuses.length === 0 || statuses.includes(a.status)) &&
    (ids.size === 0 || ids.has(a.id)) &&
    (name === undefined || a.name === name) &&
    (version === undefined || state === undefined || shownVersion(a, state) === version);
}

function shownAgent(agent: AgentRecord, state: ManagementState, select: string | undefined): Record<string, unknown> {
  const version = shownVersion(agent, state);
  const all: Record<string, unknown> = {
    id: agent.id,
    name: agent.name,
    ip: agent.ip,
    ...(version === undefined ? {} : { version }),
    status: agent.status,
    group: agent.groups ?? ['default'],
  };
  if (select === undefined) return all;
  const fields = select.split(',');
  return Object.fromEntries(Object.entries(all).filter(([key]) => key === 'id' || fields.includes(key)));
}

const shownVersion = (a: AgentRecord, state: ManagementState): string | undefined =>
  a.version === null ? undefined : `${state.versionPrefix}${a.version}`;

/** How a task stands, in the API's words. */
export const taskStatus = ({ status }: NonNullable<AgentRecord['upgrade']>): string => STATUS_WORDS[status] ?? status;

const STATUS_WORDS: Readonly<Record<string, string>> = {
  Timeout: 'Timeout reached while waiting for the response from the agent',
  Cancelled: 'Task cancelled since the manager was restarted',
  Legacy: 'Legacy upgrade: check the result manually since the agent cannot report the result of the task',
};

const shownTask = (agent: string, task: NonNullable<AgentRecord['upgrade']>): unknown => ({
  message: 'Success',
  agent,
  task_id: task.taskId,
  node: 'node01',
  module: 'upgrade_module',
  command: 'upgrade',
  status: taskStatus(task),
  ...(task.error === undefined ? {} : { error_msg: task.error }),
  create_time: new Date(task.createdAtMs).toISOString(),
});

const failure = (code: number, ids: readonly string[]): Failed => ({
  error: { code, message: MESSAGES[code] ?? '' },
  id: ids,
});

const idsOf = (list: string | undefined): string[] => (list ?? '').split(',').filter((id) => id !== '');

const wholeNumber = (text: string | undefined, otherwise: number): number | undefined =>
  text === undefined ? otherwise : /^\d+$/.test(text) ? Number(text) : undefined;
