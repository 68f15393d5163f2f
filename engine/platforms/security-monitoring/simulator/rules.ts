import type { Rules } from '../../../simulator/rules.js';
import { agentsUpgraded } from './agents.js';
import { allocate, nodeJoins } from './cluster.js';
import { heartbeat, writeAlert } from './events.js';
import { settleManagement } from './management-state.js';
import { packageOf } from './packages/definition.js';
import { ownProgram } from './programs/own.js';
import { modelRotatedLog } from './rotated-log.js';
import { listens, servedAt, serveRequest } from './servers.js';
import { refusesToStart } from './start-conditions.js';
import { paceOf, started, starting, stopped } from './start-effects.js';
import type { HostState, PlatformState, Timer } from './state.js';

/** What the security monitoring platform adds to simulated hosts. */
export const rules: Rules = {
  packageOf,
  program: ownProgram,
  fact: (state: PlatformState, host: HostState, fact, key) =>
    fact === 'rotated-log' ? modelRotatedLog(state, host, key) : undefined,
  listens,
  hasPort: (state: PlatformState, host: HostState, port) => servedAt(state, host, port) !== undefined,
  serve: serveRequest,
  refusesToStart,
  pace: paceOf,
  starting,
  started,
  stopped,
  // Its lines reach the manager, whose rules here alert on each of them.
  logged(state: PlatformState, host: HostState, line) {
    if (host.roles.includes('server')) writeAlert(state, host, line);
  },
  due(state: PlatformState, timer: Timer) {
    if (timer.due === 'node') nodeJoins(state, timer.host, timer.starts);
    else if (timer.due === 'allocate') allocate(state);
    else if (timer.due === 'heartbeat') heartbeat(state);
  },
  settle(state: PlatformState) {
    const before = state.management;
    state.management = settleManagement(before, state.nowMs);
    agentsUpgraded(state, before);
  },
};
