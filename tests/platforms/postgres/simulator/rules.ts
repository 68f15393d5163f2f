import type { PackageDefinition } from '../../../../engine/simulator/packages/definition.js';
import type { HttpAsk, HttpResponse, Rules } from '../../../../engine/simulator/rules.js';
import type { HostState, OtherTimer, SimulatedState } from '../../../../engine/simulator/state.js';
import { schedule } from '../../../../engine/simulator/timers.js';
import { isUp } from '../../../../engine/simulator/units.js';
import { isObject, type Json } from '../../../../engine/terms/json.js';
import { PACKAGE, UNIT, type PostgresState } from './state.js';

const CLUSTER_API = 8008;
const BALANCER_API = 8404;
const SESSIONS_END_MS = 30_000;

export const packageOf = (_: SimulatedState, name: string, version: string): PackageDefinition | undefined =>
  name === PACKAGE
    ? {
        service: UNIT,
        sizeBytes: 50_000_000,
        files: { '/usr/lib/postgresql/15/bin/postgres': { text: `postgres ${version}\n`, mode: '0755' } },
        conffiles: { '/etc/postgresql/15/main/postgresql.conf': { text: 'max_connections = 100\n' } },
      }
    : undefined;

const answer = (status: number, value: unknown): HttpResponse => ({ status, headers: {}, body: JSON.stringify(value) });
const bodyOf = ({ body }: HttpAsk): Readonly<Record<string, Json>> => {
  const json = JSON.parse(body || '{}') as Json;
  return isObject(json) ? json : {};
};

/** `GET /cluster`, `POST /switchover`: each node has the same. */
function clusterApi(state: PostgresState, ask: HttpAsk): HttpResponse {
  const hosts = Object.values(state.hosts);
  if (ask.path === '/switchover') {
    const other = hosts.find((host) => host.name !== bodyOf(ask)['from'] && isUp(host, UNIT));
    if (other === undefined) return answer(412, { error: 'no other member runs' });
    state.primary = other.name;
  }
  const members = hosts.map((host) => ({
    name: host.name,
    role: host.name === state.primary ? 'primary' : 'replica',
    state: isUp(host, UNIT) ? 'running' : 'stopped',
    version: host.services[UNIT]?.runs ?? '',
  }));
  return answer(200, { primary: state.primary, members });
}

/** `GET /servers/NAME`, `PUT /servers/NAME {mode}`. */
function balancerApi(state: PostgresState, ask: HttpAsk): HttpResponse {
  const name = ask.path.replace('/servers/', '');
  const server = state.balancer[name];
  if (server === undefined) return ask.path === '/servers' ? answer(200, state.balancer) : answer(404, {});
  if (ask.method === 'PUT') {
    server.mode = bodyOf(ask)['mode'] === 'drain' ? 'drain' : 'ready';
    if (server.mode === 'ready') server.sessions = 12;
    else schedule<SimulatedState['timers'][number]>(state, { atMs: state.nowMs + SESSIONS_END_MS, due: name });
  }
  return answer(200, server);
}

/** What PostgreSQL and its balancer add to simulated hosts. */
export const rules: Rules = {
  packageOf,
  hasPort: (_, __, port) => port === BALANCER_API,
  serve(state: PostgresState, host: HostState, port, ask) {
    if (port === BALANCER_API) return balancerApi(state, ask);
    return port === CLUSTER_API && isUp(host, UNIT) ? clusterApi(state, ask) : undefined;
  },
  listens: (_, host, port) => (port === CLUSTER_API || port === 5432 ? isUp(host, UNIT) : undefined),
  stopped(state: PostgresState, { name }: HostState) {
    const server = state.balancer[name];
    if (server !== undefined && server.sessions > 0) state.harm.push(`${name}: ${server.sessions} sessions cut`);
    if (state.primary !== name) return;
    state.harm.push(`${name}: stopped as the primary`);
    state.primary = Object.values(state.hosts).find((host) => isUp(host, UNIT))?.name ?? '';
  },
  due(state: PostgresState, { due }: OtherTimer) {
    const server = state.balancer[due];
    if (server?.mode === 'drain') server.sessions = 0;
  },
};
