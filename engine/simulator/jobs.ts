import { runProgram } from './programs/run.js';
import { schedule } from './timers.js';
import type { Simulation } from './rules.js';
import type { HostState, SimulatedState } from './state.js';

/** A job's own name; it lives on when the connection goes. */
export interface NewJob {
  readonly id: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const STARTUP_MS = 500;

/** Starts a job: its effects come once it has begun, or the package lock is free; then it goes on for as long as it takes. */
export function startJob(state: SimulatedState, host: HostState, job: NewJob): void {
  host.jobs[job.id] = { argv: job.argv, env: job.env, sinceMs: state.nowMs, is: 'running' };
  schedule(state, {
    atMs: state.nowMs + waitForLock(state, host, job.argv) + STARTUP_MS,
    due: 'job',
    host: host.name,
    id: job.id,
  });
}

/** How long a package lock is waited for: until it is free, or until the job gives up on it. */
function waitForLock(state: SimulatedState, host: HostState, argv: readonly string[]): number {
  const lockedMs = Math.max(0, host.lockedUntilMs - state.nowMs);
  const patience = argv.map((a) => /^DPkg::Lock::Timeout=(-?\d+)$/i.exec(a)?.[1]).find((t) => t !== undefined);
  const patienceMs = Number(patience ?? '0') * 1_000;
  return patienceMs >= 0 && patienceMs < lockedMs ? patienceMs : lockedMs;
}

/** The timer of a job: what it does happens now; when it comes again, the job has ended. */
export function jobDue(simulation: Simulation, hostName: string, id: string): void {
  const { state } = simulation;
  const host = state.hosts[hostName];
  const job = host?.jobs[id];
  if (host === undefined || job?.is !== 'running') return;
  const { argv, env, sinceMs } = job;
  if (job.result !== undefined) {
    host.jobs[id] = { argv, env, sinceMs, is: 'ended', ...job.result };
    return;
  }
  const { tookMs, ...result } = runProgram(simulation, host, argv, { env, waitedMs: state.nowMs - sinceMs });
  host.jobs[id] = { argv, env, sinceMs, is: 'running', result };
  schedule(state, { atMs: state.nowMs + tookMs, due: 'job', host: hostName, id });
}
