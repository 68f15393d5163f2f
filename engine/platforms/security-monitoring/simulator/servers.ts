import { handleDashboardRequest } from './dashboard-api.js';
import { handleIndexerRequest } from './indexer-api.js';
import { handleManagementRequest } from './management-api.js';
import type { HttpAsk, HttpResponse } from './management-answer.js';
import type { ManagementState } from './management-state.js';
import { position } from '../../../simulator/faults.js';
import { agentsUpgraded } from './agents.js';
import { isUp } from '../../../simulator/units.js';
import type { HostState, PlatformState } from './state.js';

type Served = 'indexer' | 'management' | 'dashboard';

/** How long a node is deaf after its start, before it answers 503. */
const DEAF_MS = 5_000;

/** One request to what listens on a host's port; undefined when nothing does: the connection is refused. Effects are in the state. */
export function serveRequest(
  state: PlatformState,
  host: HostState,
  port: number,
  request: Omit<HttpAsk, 'atMs'>,
): HttpResponse | undefined {
  const served = servedAt(state, host, port);
  if (served === undefined) return undefined;
  const ask = { ...request, atMs: state.nowMs };
  const n = state.names;
  if (served === 'indexer') return indexerListens(state, host) ? handleIndexerRequest(state, host, ask) : undefined;
  if (served === 'dashboard')
    return isUp(host, n.dashboard.service)
      ? handleDashboardRequest(state, host, ask, (to, at, asked) => serveRequest(state, to, at, asked))
      : undefined;
  if (!isUp(host, n.manager.service)) return undefined;
  const before = { ...managementOn(state, host), readyAtMs: host.services[n.manager.service]?.readyAtMs ?? 0 };
  const handled = handleManagementRequest(before, ask);
  state.management = handled.state;
  agentsUpgraded(state, before);
  return handled.response;
}

/** The management as this manager has it: what it reaches, and the files that are on it. */
export function managementOn(state: PlatformState, host: HostState): ManagementState {
  const isolated = position(state, 'agent-packages-unreachable') !== undefined;
  return { ...state.management, isolated, agentFiles: Object.keys(host.files).filter((path) => path.endsWith('.wpk')) };
}

/** What a host has at a port, whether it listens or not: by the port, and by the roles of the host. */
export function servedAt(state: PlatformState, { roles }: HostState, port: number): Served | undefined {
  if (port === state.ports.management && roles.includes('server')) return 'management';
  if (port === state.ports.indexer && roles.includes('indexer')) return 'indexer';
  return port === state.ports.dashboard && roles.includes('dashboard') ? 'dashboard' : undefined;
}

/** Does something listen on a port of the host? */
export function listens(state: PlatformState, host: HostState, port: number): boolean | undefined {
  const { indexer, management, dashboard } = state.ports;
  if (port === indexer && host.packages[state.names.indexer.package] !== undefined) return indexerListens(state, host);
  if (port === dashboard && host.packages[state.names.dashboard.package] !== undefined)
    return isUp(host, state.names.dashboard.service);
  if (port === management || port === 1514 || port === 1515) return isUp(host, state.names.manager.service);
  return undefined;
}

function indexerListens(state: PlatformState, host: HostState): boolean {
  const entry = host.services[state.names.indexer.service];
  if (entry === undefined || (entry.active !== 'active' && entry.active !== 'activating')) return false;
  return entry.readyAtMs - state.nowMs < 11_000 - DEAF_MS;
}
