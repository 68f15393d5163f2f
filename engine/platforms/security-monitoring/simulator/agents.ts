import { reportAgent, type ManagementState } from './management-state.js';
import { packageDefinition } from './packages/definition.js';
import { releaseOf } from './packages/release.js';
import { configure, unpack } from '../../../simulator/packages/install.js';
import { writeLog } from '../../../simulator/logs.js';
import type { HostState, PlatformState, ServiceEntry } from './state.js';
import { isUp } from '../../../simulator/units.js';
import { newerThan } from '../../../simulator/versions.js';

/** A manager has started: the API is the master's, and it is ready a while later. */
export function managerStarts(state: PlatformState, host: HostState): void {
  const entry = host.services[state.names.manager.service];
  if (entry === undefined) return;
  noteDetached(state, host, entry);
  if (!host.roles.includes('master')) return;
  const version = releaseOf(entry.runs);
  const agents = state.management.agents.map((a) => (a.id === '000' ? { ...a, version } : a));
  state.management = { ...state.management, version, agents, readyAtMs: entry.readyAtMs };
  for (const each of Object.values(state.hosts)) {
    if (each.agentId !== null && isUp(each, state.names.agent.service) && turnedAway(state, each))
      agentStarts(state, each);
  }
}

/** A worker whose version differs from its master's is detached, and logs so. */
function noteDetached(state: PlatformState, host: HostState, { runs }: ServiceEntry): void {
  const [own, masters] = [releaseOf(runs), state.management.version];
  if (!host.roles.includes('worker') || own === masters) return;
  const line = `platform-clusterd: ERROR: [Worker ${host.name}] Could not join the cluster: the master's version is v${masters}, not v${own}`;
  writeLog(state, host, state.names.manager.log, line);
}

const turnedAway = (state: PlatformState, host: HostState): boolean =>
  state.management.agents.find((a) => a.id === host.agentId)?.status !== 'active';

/** An agent connects and says its version; one newer than its manager is turned away (§9.1.3). */
export function agentStarts(state: PlatformState, host: HostState): void {
  if (host.agentId === null) return;
  const version = releaseOf(host.services[state.names.agent.service]?.runs ?? '');
  const status = newerThan(version, state.management.version) ? 'disconnected' : 'active';
  state.management = reportAgent(state.management, host.agentId, { version, status }, state.nowMs);
}

export function agentStops(state: PlatformState, host: HostState): void {
  if (host.agentId === null) return;
  state.management = reportAgent(state.management, host.agentId, { status: 'disconnected' }, state.nowMs);
}

/** Remote upgrades that ended since `before` have brought the new package to the agents' hosts. */
export function agentsUpgraded(state: PlatformState, before: ManagementState): void {
  if (before === state.management) return;
  const versions = new Map(before.agents.map((a) => [a.id, a.version]));
  const hosts = new Map(Object.values(state.hosts).map((h) => [h.agentId, h]));
  for (const agent of state.management.agents) {
    const host = hosts.get(agent.id);
    if (host !== undefined && agent.version !== null && versions.get(agent.id) !== agent.version)
      replaceAgent(state, host, `${agent.version}-1`);
  }
}

function replaceAgent(state: PlatformState, host: HostState, version: string): void {
  const { package: name, service } = state.names.agent;
  const definition = packageDefinition(state.names, name, version);
  if (definition === undefined || host.packages[name]?.version === version) return;
  unpack(host, { name, version, definition }, state.nowMs);
  configure(host, { name, version, definition }, 'keep', state.nowMs);
  const entry = host.services[service];
  if (entry !== undefined) Object.assign(entry, { runs: version, startedAtMs: state.nowMs });
}
