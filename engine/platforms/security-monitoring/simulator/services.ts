import { nodeLeaves } from './cluster.js';
import { strike, position } from './faults.js';
import { managerStarts, agentStarts, agentStops } from './agents.js';
import { writeJournal, writeLog } from './logs.js';
import { migrateSavedObjects } from './saved-indices.js';
import { refusesToStart } from './start-conditions.js';
import { chance, schedule } from './timers.js';
import { unitPackage } from './units.js';
import type { HostState, PlatformState, ServiceEntry, Timer } from './state.js';

/** How long from the start of a unit until the service manager calls it active, and until its own interface answers. */
interface Pace {
  readonly activeMs: number;
  readonly readyMs: number;
  readonly processes: number;
}

/** Starts a unit. `tookMs` is how long the caller waits; false when it will fail. A unit that runs stays as it is. */
export function startService(
  state: PlatformState,
  host: HostState,
  unit: string,
): { ok: boolean; tookMs: number; reason?: string } {
  const entry = host.services[unit];
  if (entry === undefined) return { ok: false, tookMs: 0, reason: `Unit ${unit}.service not found.` };
  if (entry.active === 'active' || entry.active === 'activating') return { ok: true, tookMs: 50 };
  const pace = paceOf(state, host, unit, entry.starts + 1);
  entry.starts += 1;
  const reason =
    strike(state, 'start-fails', (f) => f.host === host.name && f.unit === unit) !== undefined
      ? 'this start fails in the model (fault start-fails)'
      : refusesToStart(state, host, unit);
  entry.active = 'activating';
  entry.processes = 1;
  entry.startedAtMs = null;
  const tookMs = reason === undefined ? pace.activeMs : 2_000;
  schedule(state, {
    atMs: state.nowMs + tookMs,
    due: 'service',
    host: host.name,
    unit,
    starts: entry.starts,
    becomes: reason === undefined ? 'active' : 'failed',
  });
  if (reason === undefined) {
    entry.readyAtMs = state.nowMs + pace.readyMs;
    entry.runs = host.packages[unitPackage(state, unit)]?.version ?? '';
    if (unit === state.names.dashboard.service) migrateSavedObjects(state, entry.runs);
    if (unit === state.names.indexer.service)
      schedule(state, { atMs: entry.readyAtMs, due: 'node', host: host.name, starts: entry.starts });
  }
  tell(state, host, unit, reason);
  return { ok: reason === undefined, tookMs, ...(reason === undefined ? {} : { reason }) };
}

/** What a start leaves in the unit's journal, and a failed one in the component's own log: where people look (§7). */
function tell(state: PlatformState, host: HostState, unit: string, reason: string | undefined): void {
  const entry = host.services[unit];
  if (entry === undefined) return;
  writeJournal(state, host, entry, `systemd[1]: Starting ${unit}.service...`);
  if (reason === undefined) return;
  writeJournal(state, host, entry, `${unit}[4711]: ${reason}`);
  writeJournal(state, host, entry, `systemd[1]: ${unit}.service: Failed with result 'exit-code'.`);
  const { indexer, manager } = state.names;
  if (unit === indexer.service) writeLog(state, host, indexer.log, `[ERROR][bootstrap] ${reason}`);
  if (unit === manager.service) writeLog(state, host, manager.log, `ERROR: ${reason}`);
}

/** Stops a unit and all its processes. */
export function stopService(state: PlatformState, host: HostState, unit: string): number {
  const entry = host.services[unit];
  if (entry === undefined || entry.active === 'inactive') return 50;
  const ran = entry.active !== 'failed';
  Object.assign(entry, { active: 'inactive', startedAtMs: null, processes: 0 } satisfies Partial<ServiceEntry>);
  if (unit === state.names.indexer.service) nodeLeaves(state, host.name);
  if (unit === state.names.agent.service) agentStops(state, host);
  return ran ? 2_000 : 50;
}

/** A timer of a start has come: the unit is active, or it failed. */
export function serviceDue(state: PlatformState, timer: Extract<Timer, { due: 'service' }>): void {
  const host = state.hosts[timer.host];
  const entry = host?.services[timer.unit];
  if (host === undefined || entry === undefined || entry.starts !== timer.starts || entry.active !== 'activating')
    return;
  if (timer.becomes === 'failed') {
    Object.assign(entry, { active: 'failed', processes: 0, startedAtMs: null } satisfies Partial<ServiceEntry>);
    return;
  }
  entry.active = 'active';
  entry.startedAtMs = state.nowMs;
  const dead = position(state, 'dead-daemons', (f) => f.host === host.name && f.unit === timer.unit) !== undefined;
  entry.processes = dead ? 0 : paceOf(state, host, timer.unit, entry.starts).processes;
  if (timer.unit === state.names.manager.service) managerStarts(state, host);
  if (timer.unit === state.names.agent.service) agentStarts(state, host);
}

/** A node needs 11 to 26 s from its start to the node list; the service manager hears of it a little earlier. */
function paceOf(state: PlatformState, host: HostState, unit: string, starts: number): Pace {
  const n = state.names;
  if (unit === n.indexer.service) {
    const readyMs = 11_000 + chance(`${host.name}#${starts}`, 16) * 1_000;
    return { activeMs: readyMs - 3_000, readyMs, processes: 2 };
  }
  if (unit === n.manager.service) return { activeMs: 4_000, readyMs: 19_000, processes: 14 };
  if (unit === n.dashboard.service) return { activeMs: 500, readyMs: 15_000, processes: 1 };
  if (unit === n.agent.service) return { activeMs: 1_500, readyMs: 3_000, processes: 5 };
  return { activeMs: 500, readyMs: 2_000, processes: 1 };
}
