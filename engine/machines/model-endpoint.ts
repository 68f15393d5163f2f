import type { AgentRecord, AgentsAnswer, AgentsQuestion, HttpAnswer, HttpQuestion } from '../facts/http.js';
import { serveRequest, type Served } from '../model/servers.js';
import { standing } from '../model/faults.js';
import type { HostState, PlatformState } from '../model/state.js';
import type { Endpoint, Inventory } from '../terms/inventory.js';
import type { Json } from '../terms/json.js';
import { showText, type Text } from '../terms/secret.js';

export interface EndpointCall {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly node?: string;
  readonly inHand?: readonly string[];
}

interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An inventory's endpoint on the model: signs in like the HTTP client does, once, and once more on 401. */
export interface ModelEndpoint {
  /** Undefined: nobody listens; the reason is the connection's. */
  call(call: EndpointCall): Promise<Response | { readonly refused: string }>;
  http(question: HttpQuestion, where: Pick<EndpointCall, 'node' | 'inHand'>): Promise<HttpAnswer>;
  agents(question: AgentsQuestion, where: Pick<EndpointCall, 'node' | 'inHand'>): Promise<AgentsAnswer>;
}

export interface ModelEndpointOptions {
  readonly state: PlatformState;
  readonly inventory: Inventory;
  readonly endpoint: Endpoint;
  /** The value of a text that holds secrets; absent: shown with their names, which a model without passwords takes. */
  readonly reveal?: (text: Text) => Promise<string>;
}

export function createModelEndpoint(options: ModelEndpointOptions): ModelEndpoint {
  const { endpoint } = options;
  let token: string | undefined;

  const send = async (call: EndpointCall): Promise<Response | { readonly refused: string }> => {
    if (endpoint.auth !== 'token') return route(options, { ...call, headers: { ...(await basic(options)), ...call.headers } });
    for (let attempt = 0; ; attempt++) {
      if (token === undefined) {
        const signed = await route(options, { ...call, method: 'POST', path: '/security/user/authenticate?raw=true', headers: await basic(options), body: '' });
        if ('refused' in signed || signed.status !== 200) return signed;
        token = signed.body;
      }
      const answered = route(options, { ...call, headers: { authorization: `Bearer ${token}`, ...call.headers } });
      if ('refused' in answered || answered.status !== 401 || attempt > 0) return answered;
      token = undefined;
    }
  };

  const http: ModelEndpoint['http'] = async ({ path, headers }, where) => {
    const answered = await send({ method: 'GET', path, ...(headers === undefined ? {} : { headers }), ...where });
    if ('refused' in answered) return { is: 'unreachable', reason: answered.refused };
    return { is: 'answered', status: answered.status, json: jsonOf(answered.body), text: answered.body };
  };

  return { call: send, http, agents: (question, where) => allPages(http, question, where) };
}

async function allPages(http: ModelEndpoint['http'], question: AgentsQuestion, where: Pick<EndpointCall, 'node' | 'inHand'>): Promise<AgentsAnswer> {
  const agents: AgentRecord[] = [];
  for (let pages = 1; ; pages++) {
    const status = question.status === undefined ? '' : `&status=${question.status}`;
    const answered = await http({ path: `/agents?limit=${question.pageSize}&offset=${agents.length}${status}` }, where);
    if (answered.is !== 'answered') return { is: 'failed', reason: answered.reason };
    const data = (answered.json as { data?: { affected_items?: Partial<AgentRecord>[]; total_affected_items?: number } } | null)?.data;
    if (answered.status !== 200 || data?.affected_items === undefined) return { is: 'failed', reason: `GET /agents answers ${answered.status}: ${answered.text}` };
    agents.push(...data.affected_items.map(({ id = '', name = '', version = null, status: now = '' }) => ({ id, name, version, status: now })));
    if (data.affected_items.length === 0 || agents.length >= (data.total_affected_items ?? 0)) return { is: 'answered', agents, pages };
  }
}

async function basic({ endpoint, reveal }: ModelEndpointOptions): Promise<Record<string, string>> {
  if (endpoint.auth === 'none' || endpoint.user === undefined) return {};
  const password = endpoint.password === undefined ? '' : await (reveal ?? ((t: Text) => Promise.resolve(showText(t))))(endpoint.password);
  return { authorization: `Basic ${Buffer.from(`${endpoint.user}:${password}`).toString('base64')}` };
}

/** Asks the addresses in their order, the ones being worked on only when there is no other; the first that listens answers. */
function route(options: ModelEndpointOptions, call: EndpointCall): Response | { readonly refused: string } {
  const { state, endpoint } = options;
  let refused = `${endpoint.name} has no address for ${call.node ?? 'this'}`;
  for (const { host, url } of candidates(options, call)) {
    if (standing(state, 'unreachable', (f) => f.host === host.name) !== undefined) {
      refused = `connect EHOSTUNREACH ${host.address}`;
      continue;
    }
    const [path = '', search = ''] = splitOnce(call.path, '?');
    const answered = serveRequest(state, host, servedBy(options, url, host), {
      method: call.method,
      path,
      query: Object.fromEntries(new URLSearchParams(search)),
      headers: { ...(call.body === undefined ? {} : { 'content-type': 'application/json' }), ...call.headers },
      body: call.body ?? '',
    });
    if (answered !== undefined) return answered;
    refused = `connect ECONNREFUSED ${host.address}:${url.port === '' ? '443' : url.port}`;
  }
  return { refused };
}

interface Candidate {
  readonly url: URL;
  readonly host: HostState;
}

function candidates({ state, endpoint, inventory }: ModelEndpointOptions, { node, inHand = [] }: EndpointCall): Candidate[] {
  const all = endpoint.urls.flatMap(({ url, host: name }): Candidate[] => {
    const parsed = new URL(url);
    const found = inventory.hosts.find((h) => h.name === name || (name === undefined && [h.address, h.name].includes(parsed.hostname)));
    const host = found === undefined ? undefined : state.hosts[found.name];
    return host === undefined ? [] : [{ url: parsed, host }];
  });
  if (node === undefined) {
    const others = all.filter((c) => !inHand.includes(c.host.name));
    return others.length > 0 ? others : all;
  }
  const own = all.filter((c) => c.host.name === node);
  const host = state.hosts[node];
  const first = endpoint.urls[0];
  return own.length > 0 || host === undefined || first === undefined ? own : [{ url: new URL(first.url), host }];
}

/** What stands at an address: by its port, or by the role of its host. */
function servedBy({ state }: ModelEndpointOptions, url: URL, host: HostState): Served {
  const port = url.port === '' ? 443 : Number(url.port);
  if (port === state.ports.management && host.roles.includes('server')) return 'management';
  if (port === state.ports.indexer && host.roles.includes('indexer')) return 'indexer';
  return host.roles.includes('dashboard') ? 'dashboard' : host.roles.includes('indexer') ? 'indexer' : 'management';
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

function splitOnce(text: string, at: string): [string, string] {
  const index = text.indexOf(at);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}
