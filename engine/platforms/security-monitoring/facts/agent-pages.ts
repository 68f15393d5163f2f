import type { AgentRecord, AgentsAnswer, AgentsQuestion } from './agents.js';
import { jsonOrUndefined, pointer } from '../../../lib/json.js';
import { isObject, type Json } from '../../../terms/json.js';
import type { Exchanged } from '../../../machines/http/endpoint-request.js';
import type { Exchange } from '../../../machines/http/exchange.js';
import { saying } from '../../../machines/http/http-answer.js';
import { errorCode } from '../error-code.js';

/** Ends a list that grows while it is read. */
const mostPages = 10_000;
const pageLimitMs = 60_000;

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
  readonly total: number;
}

/** A list that changed while it was read is read again, so often at most. */
const mostPasses = 3;

/**
 * Every agent that the management API lists (§9.8.1), page after page, each once. A full page is followed by another whatever total the API
 * states; a list whose pages shift is read again, and what any pass saw counts.
 */
export async function readAgents(exchange: Exchange, request: AgentPagesRequest): Promise<AgentsAnswer> {
  const found = new Map<string, AgentRecord>();
  let pages = 0;
  for (let passes = 1; ; passes += 1) {
    const pass = await readOnce(exchange, request, found);
    if ('is' in pass) return pass;
    pages += pass.pages;
    if (!pass.shifted || passes >= mostPasses) return { is: 'answered', agents: [...found.values()], pages };
  }
}

/** One pass over the list. `shifted`: an agent stood on two pages, or the total changed in between, so another may have been missed. */
async function readOnce(
  exchange: Exchange,
  request: AgentPagesRequest,
  found: Map<string, AgentRecord>,
): Promise<{ readonly pages: number; readonly shifted: boolean } | Failure> {
  const { pageSize } = request.question;
  const seen = new Set<string>();
  const totals = new Set<number>();
  let shifted = false;
  for (let pages = 1, offset = 0; pages <= mostPages; pages += 1) {
    const page = readPage(await exchange(pageRequest(request, offset)), request.endpoint);
    if ('is' in page) return page;
    for (const agent of page.agents) {
      shifted ||= seen.has(agent.id);
      seen.add(agent.id);
      found.set(agent.id, agent);
    }
    totals.add(page.total);
    offset += page.size;
    if (page.size === 0 || (page.size < pageSize && offset >= page.total))
      return { pages, shifted: shifted || totals.size > 1 };
  }
  return failure(`${request.endpoint} lists agents without an end (${mostPages} pages)`);
}

function pageRequest(
  { endpoint, node, question, ids, inHand }: AgentPagesRequest,
  offset: number,
): Parameters<Exchange>[0] {
  const { status, pageSize, groups } = question;
  const query = new URLSearchParams({
    select: groups === true ? 'id,name,version,status,group' : 'id,name,version,status',
    limit: String(pageSize),
    offset: String(offset),
  });
  if (status !== undefined) query.set('status', status);
  // Commas stay as they are: encoded, a thousand ids would not fit a URL.
  const only = ids === undefined ? '' : `&agents_list=${ids.join(',')}`;
  const path = `/agents?${query.toString()}${only}`;
  return { endpoint, node, method: 'GET', path, headers: {}, timeoutMs: pageLimitMs, reads: true, inHand };
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
): { readonly items: readonly Json[]; readonly total: number } | (Failure & { readonly absent?: true }) {
  if (result.is === 'lost') return later(result.detail);
  if (result.is === 'untrusted' || result.is === 'failed') return failure(result.reason, result.hint);
  if (result.is === 'unreachable') return later(result.reason);
  const json = jsonOrUndefined(result.body);
  const items = pointer(json ?? null, '/data/affected_items');
  const total = pointer(json ?? null, '/data/total_affected_items');
  if (result.status === 200 && Array.isArray(items))
    return { items: items as readonly Json[], total: typeof total === 'number' ? total : Number.POSITIVE_INFINITY };
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
