import { runProgram } from './programs/run.js';
import { schedule } from './timers.js';
import type { HostState, PlatformState } from './state.js';

/** A job's own name; it lives on when the connection goes. */
export interface NewJob {
  readonly id: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const STARTUP_MS = 500;
const PACKAGE_MS = 18_000;

/** Starts a job; its effects come at its end, which a timer brings. Gives the time of the end. */
export function startJob(state: PlatformState, host: HostState, job: NewJob): number {
  host.jobs[job.id] = { argv: job.argv, env: job.env, sinceMs: state.nowMs, is: 'running' };
  const endsAtMs = state.nowMs + duration(state, host, job.argv);
  schedule(state, { atMs: endsAtMs, due: 'job', host: host.name, id: job.id });
  return endsAtMs;
}

/** A package lock is waited for, or until the job gives up on it. */
function duration(state: PlatformState, host: HostState, argv: readonly string[]): number {
  const ownMs = argv.includes('install') ? PACKAGE_MS : STARTUP_MS;
  const lockedMs = Math.max(0, host.lockedUntilMs - state.nowMs);
  const patience = argv.map((a) => /^DPkg::Lock::Timeout=(-?\d+)$/i.exec(a)?.[1]).find((t) => t !== undefined);
  const patienceMs = Number(patience ?? '0') * 1_000;
  return lockedMs > 0 && patienceMs >= 0 && patienceMs < lockedMs ? patienceMs : lockedMs + ownMs;
}

/** The timer of a job: what it does happens now. */
export function endJob(state: PlatformState, hostName: string, id: string): void {
  const host = state.hosts[hostName];
  const job = host?.jobs[id];
  if (host === undefined || job?.is !== 'running') return;
  const { exit, stdout, stderr } = runProgram(state, host, job.argv, { env: job.env });
  host.jobs[id] = { argv: job.argv, env: job.env, sinceMs: job.sinceMs, is: 'ended', exit, stdout, stderr };
}
