import type { Rules } from '../rules.js';
import type { HostState, SimulatedState } from '../state.js';

/** A program as it is called on a host; it alters the state and says how long its caller waits. */
export interface Call<S extends SimulatedState = SimulatedState, H extends HostState = HostState> {
  readonly state: S;
  readonly rules: Rules;
  readonly host: H;
  /** Without the program's own name. */
  readonly args: readonly string[];
  readonly stdin: string;
  /** Who runs it. */
  readonly user: string;
  readonly env: Readonly<Record<string, string>>;
  /** How long it has waited for the package lock before. */
  readonly waitedMs: number;
}

export interface Ended {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly tookMs: number;
}

export type Program = (call: Call) => Ended;

export const done = (stdout = '', tookMs = 20): Ended => ({ exit: 0, stdout, stderr: '', tookMs });

export const fails = (exit: number, stderr: string, tookMs = 20): Ended => ({ exit, stdout: '', stderr, tookMs });
