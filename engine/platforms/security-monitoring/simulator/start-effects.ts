import type { Pace } from '../../../simulator/rules.js';
import { writeLog } from '../../../simulator/logs.js';
import { chance, schedule } from '../../../simulator/timers.js';
import { agentStarts, agentStops, managerStarts } from './agents.js';
import { nodeLeaves } from './cluster.js';
import { connectorStarts } from './connector.js';
import { migrateSavedObjects } from './saved-indices.js';
import type { HostState, PlatformState } from './state.js';

/** A node needs 11 to 26 s from its start to the node list; the service manager hears of it a little earlier. */
export function paceOf(state: PlatformState, host: HostState, unit: string, starts: number): Pace | undefined {
  const n = state.names;
  if (unit === n.indexer.service) {
    const readyMs = 11_000 + chance(`${host.name}#${starts}`, 16) * 1_000;
    return { activeMs: readyMs - 3_000, readyMs, processes: 2 };
  }
  if (unit === n.manager.service) return { activeMs: 4_000, readyMs: 19_000, processes: 14 };
  if (unit === n.dashboard.service) return { activeMs: 500, readyMs: 15_000, processes: 1 };
  if (unit === n.agent.service) return { activeMs: 1_500, readyMs: 3_000, processes: 5 };
  return undefined;
}

/** A start has begun: a dashboard migrates, a node will join; a failed one leaves a line in the component's own log (§7). */
export function starting(state: PlatformState, host: HostState, unit: string, reason: string | undefined): void {
  const { indexer, manager, dashboard } = state.names;
  if (reason !== undefined) {
    if (unit === indexer.service) writeLog(state, host, indexer.log, `[ERROR][bootstrap] ${reason}`);
    if (unit === manager.service) writeLog(state, host, manager.log, `ERROR: ${reason}`);
    return;
  }
  const entry = host.services[unit];
  if (entry === undefined) return;
  if (unit === dashboard.service) migrateSavedObjects(state, entry.runs);
  if (unit === indexer.service)
    schedule(state, { atMs: entry.readyAtMs, due: 'node', host: host.name, starts: entry.starts });
}

export function started(state: PlatformState, host: HostState, unit: string): void {
  if (unit === state.names.manager.service) {
    managerStarts(state, host);
    connectorStarts(state, host);
  }
  if (unit === state.names.agent.service) agentStarts(state, host);
}

export function stopped(state: PlatformState, host: HostState, unit: string): void {
  if (unit === state.names.indexer.service) nodeLeaves(state, host.name);
  if (unit === state.names.agent.service) agentStops(state, host);
}
