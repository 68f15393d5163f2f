import type { ServerResponse } from 'node:http';
import {
  handleManagementRequest,
  type ManagementState,
} from '../../../engine/platforms/security-monitoring/simulator/management-api.js';
import type { HttpResponse } from '../../../engine/platforms/security-monitoring/simulator/management-answer.js';
import { revokeTokens } from '../../../engine/platforms/security-monitoring/simulator/management-state.js';
import { startServer, type Seen } from '../../machines/http-server.js';
import type { Issued } from '../../machines/certificates.js';

/** What a request of a disturbed API comes to. `after`: it is applied, and the answer is lost. */
const DISTURBANCES = ['429', '1017', '503', '504 after', 'cut before', 'cut after', '401'] as const;
type Disturbance = (typeof DISTURBANCES)[number];

/** One request of that kind in so many. */
const EVERY = 20;
/** What a request takes of the stand-in's time. */
const REQUEST_MS = 40;

/**
 * The embedded model's management API over real HTTPS, with its limits (300 requests a minute, short tokens) by a clock that the test
 * turns, and one request in twenty disturbed in one of seven ways. It counts what it was asked, and which agents it was told to upgrade.
 */
export async function startFleetApi(start: ManagementState, certificate: Issued) {
  const api = {
    state: start,
    nowMs: 1_800_000_000_000,
    requests: 0,
    refusedByLimit: 0,
    signIns: 0,
    disturbed: new Map<Disturbance, number>(),
    /** How often each agent's upgrade was begun. */
    begun: new Map<string, number>(),
    upgradeRequests: 0,
    longestUrl: 0,
    /** Called when an order to upgrade was applied and not yet answered; true: the client is gone. */
    onUpgrade: (_nth: number): boolean => false,
  };

  function handle(request: Seen, response: ServerResponse): void {
    const answer = answered(request);
    if (answer === 'cut') response.destroy();
    else response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  function answered(request: Seen): HttpResponse | 'cut' {
    api.requests += 1;
    api.nowMs += REQUEST_MS;
    api.longestUrl = Math.max(api.longestUrl, request.url.length);
    const how = disturbance();
    if (how === 'cut before') return 'cut';
    if (how === '401') api.state = revokeTokens(api.state);
    if (how === '429') return { status: 429, headers: { 'retry-after': '3' }, body: '{"error":6001}' };
    if (how === '1017') return { status: 500, headers: {}, body: '{"title":"not ready","error":1017}' };
    if (how === '503') return { status: 503, headers: {}, body: '<html>Service Unavailable</html>' };
    const answer = carriedOut(request);
    if (how === '504 after') return { status: 504, headers: {}, body: 'Gateway Timeout' };
    if (how === 'cut after') return 'cut';
    const isUpgrade = request.method === 'PUT' && answer.status === 200;
    return isUpgrade && api.onUpgrade((api.upgradeRequests += 1)) ? 'cut' : answer;
  }

  function disturbance(): Disturbance | undefined {
    if (api.requests % EVERY !== 0) return undefined;
    const how = DISTURBANCES[(api.requests / EVERY) % DISTURBANCES.length];
    if (how !== undefined) api.disturbed.set(how, (api.disturbed.get(how) ?? 0) + 1);
    return how;
  }

  function carriedOut(request: Seen): HttpResponse {
    const url = new URL(request.url, 'https://api');
    const before = new Map(api.state.agents.map((a) => [a.id, a.upgrade?.taskId]));
    const handled = handleManagementRequest(api.state, {
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
      body: request.body,
      atMs: api.nowMs,
    });
    api.state = handled.state;
    if (handled.response.status === 429) api.refusedByLimit += 1;
    if (request.method === 'POST' && handled.response.status === 200) api.signIns += 1;
    if (request.method === 'PUT')
      for (const { id, upgrade } of api.state.agents)
        if (upgrade !== null && upgrade.taskId !== before.get(id)) api.begun.set(id, (api.begun.get(id) ?? 0) + 1);
    return handled.response;
  }

  const server = await startServer(handle, certificate);
  return Object.assign(api, { url: server.url, end: () => server.end() });
}
