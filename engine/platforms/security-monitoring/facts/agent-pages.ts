import type { AgentRecord, AgentsAnswer, AgentsQuestion } from './agents.js';
import { jsonOrUndefined, pointer } from '../../../lib/json.js';
import { isObject, type Json } from '../../../terms/json.js';
import type { Exchanged } from '../../../machines/http/endpoint-request.js';
import type { Exchange } from '../../../machines/http/exchange.js';
import { saying } from '../../../machines/http/http-answer.js';
import { errorCode } from '../error-code.js';

/** Ends a list that grows while it is read. */
const MOST_PAGES = 10_000;
/** Ends the reading of a list from which agents are removed all the time. */
const MOST_STEPS_BACK = 100;
const PAGE_LIMIT_MS = 60_000;

export interface AgentPagesRequest {
  readonly endpoint: string;
  readonly node?: string | undefined;
  readonly question: AgentsQuestion;
  /** Only these; as many as a page takes. */
  readonly ids?: readonly string[];
  readonly inHand: readonly string[];
}

interface Page {
  readonly agents: readonly AgentRecord[];
  /** Items on it, agents or not. */
  readonly size: number;
  /** Of the whole list; absent where the API does not state it. */
  readonly total: number | undefined;
}

/**
 * Every agent that the management API lists (§9.8.1), each once. The list is sorted by id, and each page begins with the last agent of the page
 * before: where it does not, agents were removed meanwhile and the others moved up, so the page before is read again.
 */
export async function readAgents(exchange: Exchange, request: AgentPagesRequest): Promise<AgentsAnswer> {
  const { endpoint } = request;
  const pageSize = Math.max(2, request.question.pageSize);
  const found = new Map<string, AgentRecord>();
  let stepsBack = 0;
  let steppedBack = false;
  for (let pages = 1, offset = 0; pages <= MOST_PAGES; pages += 1) {
    const page = readPage(await exchange(pageRequest(request, pageSize, offset)), endpoint);
    if ('is' in page) return page;
    if (offset > 0 && !found.has(page.agents[0]?.id ?? '')) {
      stepsBack += 1;
      if (stepsBack > MOST_STEPS_BACK) return failure(`${endpoint} lists other agents each time it is asked`, AGAIN);
      steppedBack = true;
      offset = Math.max(0, offset - pageSize);
      continue;
    }
    const before = found.size;
    for (const agent of page.agents) found.set(agent.id, agent);
    const isLast = page.size < pageSize && offset + page.size >= (page.total ?? Infinity);
    if (isLast || page.size === 0) return { is: 'answered', agents: [...found.values()], pages };
    if (found.size === before && !steppedBack) {
      const isEnd = page.size === 1 || found.size >= (page.total ?? 0);
      return isEnd ? { is: 'answered', agents: [...found.values()], pages } : repeated(endpoint, offset, found.size);
    }
    steppedBack = false;
    offset += Math.max(1, page.size - 1);
  }
  return failure(`${endpoint} lists agents without an end (${MOST_PAGES} pages)`);
}

const AGAIN = 'agents are being removed: try again when that has ended';

const repeated = (endpoint: string, offset: number, count: number): Failure =>
  failure(
    `${endpoint} answers offset ${offset} of the agent list with agents of the page before (${count} agents so far)`,
    `does a proxy between here and endpoints.${endpoint} drop the parameter offset, or answer from its cache?`,
  );

function pageRequest(
  { endpoint, node, question, ids, inHand }: AgentPagesRequest,
  pageSize: number,
  offset: number,
): Parameters<Exchange>[0] {
  const { status, groups } = question;
  const query = new URLSearchParams({
    select: groups === true ? 'id,name,version,status,group' : 'id,name,version,status',
    sort: '+id',
    limit: String(pageSize),
    offset: String(offset),
  });
  if (status !== undefined) query.set('status', status);
  // Commas stay as they are: encoded, a thousand ids would not fit a URL.
  const only = ids === undefined ? '' : `&agents_list=${ids.join(',')}`;
  const path = `/agents?${query.toString()}${only}`;
  return { endpoint, node, method: 'GET', path, headers: {}, timeoutMs: PAGE_LIMIT_MS, reads: true, inHand };
}

type Failure = Extract<AgentsAnswer, { is: 'failed' }>;

const failure = (reason: string, hint?: string): Failure => ({
  is: 'failed',
  reason,
  ...(hint === undefined ? {} : { hint }),
});

const later = (reason: string): Failure => ({ ...failure(reason), later: true });

/** Overloaded, or behind a proxy that reaches no server; the manager's own "daemons are not ready", as after its restart. */
const LATER_STATUS: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const NOT_READY = 1017;
/** No such path; or one that is not for this user. */
const ABSENT: ReadonlySet<number> = new Set([403, 404, 405]);

function readPage(result: Exchanged, endpoint: string): Page | Failure {
  const list = readList(result, endpoint);
  if (!('is' in list)) return { agents: list.items.flatMap(agentOf), size: list.items.length, total: list.total };
  const { absent: _absent, ...failed } = list;
  return failed;
}

/** A list of the management API, or why there is none. `absent`: the release does not know this path. */
export function readList(
  result: Exchanged,
  endpoint: string,
): { readonly items: readonly Json[]; readonly total: number | undefined } | (Failure & { readonly absent?: true }) {
  if (result.is === 'lost') return later(result.detail);
  if (result.is === 'untrusted' || result.is === 'failed') return failure(result.reason, result.hint);
  if (result.is === 'unreachable') return later(result.reason);
  const json = jsonOrUndefined(result.body);
  const items = pointer(json ?? null, '/data/affected_items');
  const total = pointer(json ?? null, '/data/total_affected_items');
  if (result.status === 200 && Array.isArray(items))
    return { items: items as readonly Json[], total: typeof total === 'number' ? total : undefined };
  const code = errorCode(result);
  const hint = json === undefined ? `is endpoints.${endpoint} the address of the management API?` : undefined;
  const said = `${endpoint} ${saying(result)}${code === undefined ? '' : ` (${code})`}`;
  if (LATER_STATUS.has(result.status) || code === NOT_READY) return later(said);
  return ABSENT.has(result.status) ? { ...failure(said, hint), absent: true } : failure(said, hint);
}

/** One that never connected has no version. */
function agentOf(item: Json): readonly AgentRecord[] {
  if (!isObject(item) || typeof item['id'] !== 'string') return [];
  const text = (key: string): string => (typeof item[key] === 'string' ? item[key] : '');
  return [
    {
      id: item['id'],
      name: text('name'),
      version: text('version') === '' ? null : text('version'),
      status: text('status'),
      ...(Array.isArray(item['group']) ? { groups: item['group'].filter((g) => typeof g === 'string') } : {}),
    },
  ];
}
