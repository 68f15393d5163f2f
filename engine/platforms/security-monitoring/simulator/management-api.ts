import { createHash } from 'node:crypto';
import { listAgents, upgradeAgents, upgradeResults } from './management-agents.js';
import {
  basicOf,
  headerOf,
  jsonAnswer,
  listAnswer,
  problem,
  textAnswer,
  unauthorized,
  type HttpAsk,
  type HttpResponse,
} from './management-answer.js';
import { createManagement, revokeTokens, settleManagement, type ManagementState } from './management-state.js';

export { createManagement };
export type { ManagementState };

const REQUESTS_A_MINUTE = 300;
const FAILED_LOGINS = 50;
const LOGIN_WINDOW_MS = 300_000;
/** What Node's own servers take of a request's head; ids of more than some thousand agents do not fit. */
const HEAD_LIMIT = 16_384;

type Handled = { readonly state: ManagementState; readonly response: HttpResponse };

/**
 * One request to the management API (§4.1, §5.1, §5.2) and the state after it; alters nothing in place. Answers every mistake as
 * the real one does: 401 as JSON even for `raw=true`, 403 with 4000 or 6000, 429 with 6001, 1017 while the daemons are not ready.
 */
export function handleManagementRequest(state: ManagementState, request: HttpAsk): Handled {
  const now = settleManagement(state, request.atMs);
  if (headSize(request) > HEAD_LIMIT) return { state: now, response: textAnswer(431, '') };
  const minute =
    request.atMs - now.minute.sinceMs >= 60_000
      ? { sinceMs: request.atMs, requests: 1 }
      : { ...now.minute, requests: now.minute.requests + 1 };
  const counted = { ...now, minute };
  if (minute.requests > REQUESTS_A_MINUTE) {
    return {
      state: counted,
      response: problem(429, 'Permission Denied', 'Maximum number of requests per minute reached', 6001),
    };
  }
  return request.path === '/security/user/authenticate' && request.method === 'POST'
    ? signIn(counted, request)
    : signedIn(counted, request);
}

function signIn(state: ManagementState, request: HttpAsk): Handled {
  if (request.atMs < state.blockedUntilMs) return { state, response: BLOCKED };
  const given = basicOf(request.headers);
  if (given?.user !== state.user || (state.password !== null && given.password !== state.password))
    return failedLogin(state, request.atMs);
  const text = tokenText(state, request.atMs);
  const token = { text, expiresAtMs: request.atMs + state.tokenLifeMs };
  return {
    state: {
      ...state,
      failedLoginsAtMs: [],
      tokens: [...state.tokens.filter((t) => t.expiresAtMs > request.atMs), token],
      issued: { ...state.issued, tokens: state.issued.tokens + 1 },
    },
    response: isTrue(request.query['raw'])
      ? textAnswer(200, text)
      : jsonAnswer(200, { data: { token: text }, error: 0 }),
  };
}

function failedLogin(state: ManagementState, atMs: number): Handled {
  const failed = [...state.failedLoginsAtMs.filter((at) => atMs - at < LOGIN_WINDOW_MS), atMs];
  const blocks = failed.length >= FAILED_LOGINS;
  return {
    state: {
      ...state,
      failedLoginsAtMs: blocks ? [] : failed,
      blockedUntilMs: blocks ? atMs + LOGIN_WINDOW_MS : state.blockedUntilMs,
    },
    response: unauthorized('Invalid credentials'),
  };
}

function signedIn(state: ManagementState, request: HttpAsk): Handled {
  const given = /^Bearer\s+(\S+)$/i.exec(headerOf(request.headers, 'authorization') ?? '')?.[1];
  if (given === undefined) return { state, response: unauthorized('No authorization token provided') };
  const token = state.tokens.find((t) => t.text === given);
  if (token === undefined || token.expiresAtMs <= request.atMs)
    return { state, response: unauthorized('Invalid token') };
  const route = ROUTES.find((r) => r.method === request.method && r.path === request.path);
  if (route === undefined) return { state, response: noRoute(request) };
  const extra = Object.keys(request.query).find(
    (name) => ![...route.query, 'pretty', 'wait_for_complete'].includes(name),
  );
  if (extra !== undefined)
    return { state, response: problem(400, 'Bad Request', `Extra query parameter(s) {'${extra}'} not in spec`) };
  if (request.atMs < state.readyAtMs && route.daemons) {
    return {
      state,
      response: problem(
        500,
        'Internal Error',
        'Some daemons are not ready yet in node "node01" (analysisd->starting)',
        1017,
      ),
    };
  }
  if (state.denied.includes(route.permission)) {
    return { state, response: problem(403, 'Permission Denied', `Permission denied: ${route.permission}`, 4000) };
  }
  return route.handle(state, request);
}

interface Route {
  readonly method: string;
  readonly path: string;
  readonly permission: string;
  readonly query: readonly string[];
  /** Needs the manager's daemons. */
  readonly daemons: boolean;
  handle(state: ManagementState, request: HttpAsk): Handled;
}

const AGENT_FILTERS = ['agents_list', 'status', 'name', 'version'];
const ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/manager/info',
    permission: 'manager:read',
    query: [],
    daemons: true,
    handle: (state) => ({ state, response: managerInfo(state) }),
  },
  {
    method: 'GET',
    path: '/agents',
    permission: 'agent:read',
    query: [...AGENT_FILTERS, 'limit', 'offset', 'select', 'sort'],
    daemons: true,
    handle: (state, request) => ({ state, response: listAgents(state, request) }),
  },
  {
    method: 'GET',
    path: '/rules',
    permission: 'rules:read',
    query: ['relative_dirname', 'status', 'limit', 'offset'],
    daemons: true,
    handle: (state) => ({
      state,
      response: listAnswer({ items: [], total: state.ownRules, message: 'All selected rules were returned' }),
    }),
  },
  {
    method: 'GET',
    path: '/decoders',
    permission: 'decoders:read',
    query: ['relative_dirname', 'status', 'limit', 'offset'],
    daemons: true,
    handle: (state) => ({
      state,
      response: listAnswer({ items: [], total: state.ownDecoders, message: 'All selected decoders were returned' }),
    }),
  },
  {
    method: 'PUT',
    path: '/agents/upgrade',
    permission: 'agent:upgrade',
    query: [...AGENT_FILTERS, 'upgrade_version', 'force', 'wpk_repo', 'use_http'],
    daemons: true,
    handle: upgradeAgents,
  },
  {
    method: 'PUT',
    path: '/agents/upgrade_custom',
    permission: 'agent:upgrade',
    query: [...AGENT_FILTERS, 'file_path', 'installer'],
    daemons: true,
    handle: upgradeAgents,
  },
  {
    method: 'GET',
    path: '/agents/upgrade_result',
    permission: 'agent:upgrade',
    query: AGENT_FILTERS,
    daemons: true,
    handle: (state, request) => ({ state, response: upgradeResults(state, request) }),
  },
  {
    method: 'GET',
    path: '/security/users/me/policies',
    permission: '',
    query: [],
    daemons: false,
    handle: (state) => ({ state, response: ownPolicies(state) }),
  },
  {
    method: 'PUT',
    path: '/security/user/revoke',
    permission: 'security:revoke',
    query: [],
    daemons: false,
    handle: (state) => ({
      state: revokeTokens(state),
      response: jsonAnswer(200, { message: 'Tokens were successfully revoked', error: 0 }),
    }),
  },
];

/** In the mode `white` what is not listed is denied. */
function ownPolicies({ denied }: ManagementState): HttpResponse {
  const all = [...new Set([...ROUTES.map(({ permission }) => permission), 'cluster:read'])];
  const allowed = all.filter((permission) => permission !== '' && !denied.includes(permission));
  const policies = Object.fromEntries(allowed.map((permission) => [permission, { '*:*:*': 'allow' }]));
  return jsonAnswer(200, {
    data: { ...policies, rbac_mode: 'white' },
    message: 'Current user processed policies information was returned',
    error: 0,
  });
}

const managerInfo = (state: ManagementState): HttpResponse =>
  listAnswer({
    items: [{ version: `v${state.version}`, type: 'server', max_agents: 'unlimited', openssl_support: 'yes' }],
    total: 1,
    message: 'Basic information was successfully read',
  });

const noRoute = (request: HttpAsk): HttpResponse =>
  ROUTES.some((r) => r.path === request.path)
    ? problem(405, 'Method Not Allowed', '405: Method Not Allowed')
    : problem(404, 'Not Found', '404: Not Found');

const BLOCKED = problem(
  403,
  'Permission Denied',
  'Limit of login attempts reached. The current address has been blocked due to a high number of login attempts',
  6000,
);

/** Looks like a signed token, and is none: it is good because the state remembers it. */
function tokenText(state: ManagementState, atMs: number): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    iss: 'platform',
    sub: state.user,
    nbf: Math.floor(atMs / 1000),
    exp: Math.floor((atMs + state.tokenLifeMs) / 1000),
    n: state.issued.tokens,
  };
  const body = `${part({ alg: 'ES512', typ: 'JWT' })}.${part(claims)}`;
  return `${body}.${createHash('sha256')
    .update(`${body}.${state.password ?? ''}`)
    .digest('base64url')}`;
}

const isTrue = (text: string | undefined): boolean => text === 'true' || text === '';

const headSize = (request: HttpAsk): number =>
  request.path.length + Object.entries(request.query).reduce((sum, [k, v]) => sum + k.length + v.length + 2, 0);
