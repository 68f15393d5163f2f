import type { Answer } from '../terms/fact.js';
import type { PackageDefinition } from './packages/definition.js';
import type { HostState, OtherTimer, SimulatedState } from './state.js';

/** A request as it reaches a host's port. */
export interface HttpAsk {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How long from the start of a unit until the service manager calls it active, and until its own interface answers. */
export interface Pace {
  readonly activeMs: number;
  readonly readyMs: number;
  readonly processes: number;
}

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

/** What a platform adds to hosts, files, units and packages. Its functions get the platform's own state and hosts. */
export interface Rules {
  /** A package in a version; undefined when there is none of that name. */
  packageOf(state: SimulatedState, name: string, version: string): PackageDefinition | undefined;
  /** A program of the platform's, or a reason not to have one of the system's. */
  program?(state: SimulatedState, host: HostState, name: string): Program | undefined;
  /** Answers to facts that no other host has; undefined: none of the platform's. */
  fact?(state: SimulatedState, host: HostState, fact: string, key: string): Answer | undefined;
  /** Does something listen on a port? Undefined: the platform does not know the port. */
  listens?(state: SimulatedState, host: HostState, port: number): boolean | undefined;
  /** Is this a port of the host's, whether something listens or not? */
  hasPort?(state: SimulatedState, host: HostState, port: number): boolean;
  /** Undefined when nothing listens: the connection is refused. */
  serve?(state: SimulatedState, host: HostState, port: number, ask: HttpAsk): HttpResponse | undefined;
  /** Why a unit would not start on this host as it stands. */
  refusesToStart?(state: SimulatedState, host: HostState, unit: string): string | undefined;
  pace?(state: SimulatedState, host: HostState, unit: string, starts: number): Pace | undefined;
  /** A start has begun; with a reason it will fail. */
  starting?(state: SimulatedState, host: HostState, unit: string, reason: string | undefined): void;
  started?(state: SimulatedState, host: HostState, unit: string): void;
  stopped?(state: SimulatedState, host: HostState, unit: string): void;
  /** A line for the system's log. */
  logged?(state: SimulatedState, host: HostState, line: string): void;
  /** A timer that only the platform knows. */
  due?(state: SimulatedState, timer: OtherTimer): void;
  /** Time has come to where it was to go. */
  settle?(state: SimulatedState): void;
}

/** A state and the rules by which it moves. */
export interface Simulation {
  readonly state: SimulatedState;
  readonly rules: Rules;
}
