import { strike, position } from './faults.js';
import { writeJournal } from './logs.js';
import type { Pace, Simulation } from './rules.js';
import { schedule } from './timers.js';
import type { HostState, ServiceEntry, Timer } from './state.js';

/** Starts a unit. `tookMs` is how long the caller waits; false when it will fail. A unit that runs stays as it is. */
export function startService(
  simulation: Simulation,
  host: HostState,
  unit: string,
): { ok: boolean; tookMs: number; reason?: string } {
  const { state, rules } = simulation;
  const entry = host.services[unit];
  if (entry === undefined) return { ok: false, tookMs: 0, reason: `Unit ${unit}.service not found.` };
  if (entry.active === 'active' || entry.active === 'activating') return { ok: true, tookMs: 50 };
  const pace = paceOf(simulation, host, unit, entry.starts + 1);
  entry.starts += 1;
  const reason = refusal(simulation, host, unit);
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
    entry.runs = versionOf(simulation, host, unit);
  }
  tell(simulation, host, unit, reason);
  rules.starting?.(state, host, unit, reason);
  return { ok: reason === undefined, tookMs, ...(reason === undefined ? {} : { reason }) };
}

function refusal({ state, rules }: Simulation, host: HostState, unit: string): string | undefined {
  if (strike(state, 'start-fails', (f) => f.host === host.name && f.unit === unit) !== undefined)
    return 'this start fails in the model (fault start-fails)';
  if (position(state, 'disk-full', (f) => f.host === host.name) !== undefined) return 'No space left on device';
  return rules.refusesToStart?.(state, host, unit);
}

/** Of the package that brings the unit; empty where no package does. */
const versionOf = ({ state, rules }: Simulation, { packages }: HostState, unit: string): string =>
  Object.entries(packages).find(([name, { version }]) => rules.packageOf(state, name, version)?.service === unit)?.[1]
    .version ?? '';

/** What a start leaves in the unit's journal: where people look. */
function tell({ state }: Simulation, host: HostState, unit: string, reason: string | undefined): void {
  const entry = host.services[unit];
  if (entry === undefined) return;
  writeJournal(state, host, entry, `systemd[1]: Starting ${unit}.service...`);
  if (reason === undefined) return;
  writeJournal(state, host, entry, `${unit}[4711]: ${reason}`);
  writeJournal(state, host, entry, `systemd[1]: ${unit}.service: Failed with result 'exit-code'.`);
}

/** Stops a unit and all its processes. */
export function stopService({ state, rules }: Simulation, host: HostState, unit: string): number {
  const entry = host.services[unit];
  if (entry === undefined || entry.active === 'inactive') return 50;
  const ran = entry.active !== 'failed';
  Object.assign(entry, { active: 'inactive', startedAtMs: null, processes: 0 } satisfies Partial<ServiceEntry>);
  rules.stopped?.(state, host, unit);
  return ran ? 2_000 : 50;
}

/** A timer of a start has come: the unit is active, or it failed. */
export function serviceDue(simulation: Simulation, timer: Extract<Timer, { due: 'service' }>): void {
  const { state, rules } = simulation;
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
  entry.processes = dead ? 0 : paceOf(simulation, host, timer.unit, entry.starts).processes;
  rules.started?.(state, host, timer.unit);
}

const paceOf = ({ state, rules }: Simulation, host: HostState, unit: string, starts: number): Pace =>
  rules.pace?.(state, host, unit, starts) ?? { activeMs: 500, readyMs: 2_000, processes: 1 };
