import { fetchUrl } from './repository.js';
import { position, strike } from './faults.js';
import { putFile, removeEntry, textAt } from './files.js';
import { startJob } from './jobs.js';
import { runProgram } from './programs/run.js';
import type { Simulation } from './rules.js';
import type { Download, HostState, SimulatedState } from './state.js';
import type { Action, Command, Outcome } from '../terms/action.js';
import type { Answer } from '../terms/fact.js';
import { markerFile, type EffectId, type HostLease, type JobState, type Swapped } from '../terms/machine.js';
import { showText } from '../terms/secret.js';
import { failed } from '../machines/machine.js';
import { performOnFiles } from './actions.js';
import { createModelClock, type ModelClock } from './clock.js';
import { askModelHost } from './facts.js';

/** A request as it reaches the platform's network. */
export interface SentRequest {
  readonly host: string;
  readonly port: number;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `unreachable`: no process listens there. `lost`: it was sent, and no answer came. */
export type SentAnswer =
  | {
      readonly is: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly is: 'unreachable'; readonly reason: string }
  | { readonly is: 'untrusted'; readonly reason: string; readonly hint: string }
  | { readonly is: 'lost'; readonly why: 'connection'; readonly detail: string };

/** The file of a host that is to hold another line. */
export interface Swap {
  readonly host: string;
  readonly file: string;
  readonly expected: string;
  readonly wanted: string;
  readonly withMarker?: boolean | undefined;
}

export interface HostQuestion {
  readonly host: string;
  readonly fact: string;
  readonly key: string;
}

/** The model's doors: hosts, network and time, whether its state is in this process or in another. Secrets have been met before. */
export interface ModelPlatform {
  readonly clock: ModelClock;
  /** An answer for each question, in order. */
  ask(questions: readonly HostQuestion[]): Promise<readonly Answer[]>;
  perform(host: string, action: Action, id: EffectId, lease?: HostLease): Promise<Outcome>;
  job(host: string, id: EffectId): Promise<JobState>;
  swap(asked: Swap): Promise<Swapped>;
  send(request: SentRequest): Promise<SentAnswer>;
  /** A download; null when no server has that address. */
  fetch(url: string): Promise<Download | null>;
  close(): Promise<void>;
}

/** What an effect costs in virtual time where a program does not say, milliseconds. */
const FILE_MS = 20;
const REQUEST_MS = 50;
const LOST: Outcome = { is: 'unknown', why: 'connection', detail: 'the connection was cut' };

/** A simulation in this process; its state is the caller's, to look at, to break and to clone. */
export function createModelPlatform(simulation: Simulation): ModelPlatform {
  const { state } = simulation;
  const clock = createModelClock(simulation);
  return {
    clock,
    ask: (questions) => Promise.resolve(questions.map((q) => askOne(simulation, q))),
    async perform(name, action, id, lease) {
      const cut = nextEffect(state);
      if (cut?.when === 'before') return LOST;
      const host = reachHost(state, name);
      if (host.is !== 'there') return notReached(host);
      if (lease?.marker !== undefined)
        putFile(host.host, markerFile(lease.file), { text: `${lease.marker}\n` }, state.nowMs);
      const broken = strike(state, 'step', (f) => f.host === name && isOf(id, f.step));
      if (broken !== undefined && broken.how !== 'unknown') return breakStep(clock, action, broken.how);
      const outcome = performOn({ simulation, state, clock, host: host.host, leave: cut !== undefined }, action, id);
      return cut === undefined && broken === undefined ? outcome : outcome.then(() => LOST);
    },
    job: (name, id) => {
      const found = reachHost(state, name);
      return Promise.resolve(
        found.is === 'unreachable' ? { is: 'unreachable', reason: found.reason } : jobOf(state.hosts[name], id),
      );
    },
    swap: (asked) => Promise.resolve(swapOn(state, asked)),
    async send(request) {
      const cut = request.method === 'GET' ? undefined : nextEffect(state);
      const lost: SentAnswer = {
        is: 'lost',
        why: 'connection',
        detail: `${request.host}:${request.port} closed the connection before it answered`,
      };
      if (cut?.when === 'before') return lost;
      const answered = route(simulation, request);
      if (request.method !== 'GET') await clock.until(state.nowMs + REQUEST_MS);
      return cut === undefined ? answered : lost;
    },
    fetch: (url) => Promise.resolve(fetchUrl(state, url) ?? null),
    close: () => Promise.resolve(),
  };
}

/** An effect's id names its task: `RUN/PLAYBOOK/PLAY/STEP@host:NAME/ATTEMPT/INDEX`. */
const isOf = (id: EffectId, step: string): boolean => id.includes(`/${step}@`) || id.includes(`/${step} [`);

async function breakStep(clock: ModelClock, action: Action, how: 'fails' | 'hangs'): Promise<Outcome> {
  if (how === 'fails') return { is: 'refused', by: 'machine', found: 'this action fails in the model (fault step)' };
  const limitMs = action.do === 'run' || action.do === 'job' ? action.command.timeoutMs : FILE_MS;
  await clock.until(clock.nowMs() + limitMs);
  return { is: 'unknown', why: 'timeout', detail: `it did not end within ${limitMs / 1000} s (fault step)` };
}

/** Counts an effect, and finds the fault that cuts the connection in it. */
function nextEffect(state: SimulatedState): { readonly when: 'before' | 'after' } | undefined {
  state.effects += 1;
  return position(state, 'cut', (f) => f.at === state.effects);
}

function askOne(simulation: Simulation, { host: name, fact, key }: HostQuestion): Answer {
  const found = reachHost(simulation.state, name);
  return found.is === 'there' ? askModelHost(simulation, found.host, fact, key) : failed(found.is, found.reason);
}

function swapOn(state: SimulatedState, { host: name, file, expected, wanted, withMarker }: Swap): Swapped {
  const found = reachHost(state, name);
  if (found.is !== 'there') return failed(found.is, found.reason);
  const now = textAt(found.host, file)?.trimEnd() ?? '';
  const marker = textAt(found.host, markerFile(file))?.trimEnd();
  const beside = marker === undefined ? {} : { marker };
  if (now !== expected) return { is: 'found', text: now, ...beside };
  if (wanted === '' && withMarker === true) removeEntry(found.host, markerFile(file));
  if (wanted === '') removeEntry(found.host, file);
  else putFile(found.host, file, { text: `${wanted}\n` }, state.nowMs);
  return { is: 'swapped', ...beside };
}

interface NotReached {
  readonly is: 'unreachable' | 'no-access';
  readonly reason: string;
}

/** Without a connection nothing was begun; the engine asks again all the same. */
const notReached = ({ is, reason }: NotReached): Outcome =>
  is === 'no-access'
    ? { is: 'refused', by: 'machine', found: reason }
    : { is: 'unknown', why: 'connection', detail: reason };

function reachHost(
  state: SimulatedState,
  name: string,
): NotReached | { readonly is: 'there'; readonly host: HostState } {
  const host = state.hosts[name];
  if (host === undefined) return { is: 'unreachable', reason: `the model has no host ${name}` };
  if (position(state, 'unreachable', (f) => f.host === name) !== undefined)
    return { is: 'unreachable', reason: `${host.address}:22 cannot be reached (no route)` };
  if (position(state, 'no-sudo', (f) => f.host === name) !== undefined)
    return { is: 'no-access', reason: `${name}: the user may not become root` };
  return { is: 'there', host };
}

interface Stage {
  readonly simulation: Simulation;
  readonly state: SimulatedState;
  readonly clock: ModelClock;
  readonly host: HostState;
  /** The connection goes once the effect is under way: a job goes on by itself. */
  readonly leave: boolean;
}

async function performOn(stage: Stage, action: Action, id: EffectId): Promise<Outcome> {
  const { state, clock, host } = stage;
  if (action.do === 'run') return run(stage, action.command);
  if (action.do === 'job') return job(stage, action.command, id);
  if (action.do === 'ask' || action.do === 'request')
    return { is: 'refused', by: 'machine', found: `a host does not perform "${action.do}"` };
  if (action.do !== 'remove' && position(state, 'disk-full', (f) => f.host === host.name) !== undefined) {
    return { is: 'ended', exit: 1, stdout: '', stderr: 'write error: No space left on device' };
  }
  const outcome = await performOnFiles(state, host, action);
  await clock.until(state.nowMs + FILE_MS);
  return outcome;
}

async function run({ simulation, state, clock, host }: Stage, command: Command): Promise<Outcome> {
  const { tookMs, ...ended } = runProgram(simulation, host, command.argv, {
    ...(command.stdin === undefined ? {} : { stdin: showText(command.stdin) }),
    ...(command.env === undefined ? {} : { env: command.env }),
  });
  await clock.until(state.nowMs + Math.min(Math.max(tookMs, 1), command.timeoutMs));
  return tookMs <= command.timeoutMs
    ? { is: 'ended', ...ended }
    : { is: 'unknown', why: 'timeout', detail: `${command.argv[0]} did not end within ${command.timeoutMs / 1000} s` };
}

async function job(
  { state, clock, host, leave }: Stage,
  command: Omit<Command, 'stdin'>,
  id: EffectId,
): Promise<Outcome> {
  // One that an earlier attempt started is found, not started again.
  if (host.jobs[id] === undefined) startJob(state, host, { id, argv: command.argv, env: command.env ?? {} });
  if (leave) return LOST;
  const untilMs = state.nowMs + command.timeoutMs;
  for (;;) {
    const now = jobOf(host, id);
    if (now.is === 'ended') return now;
    if (now.is !== 'running') return { is: 'unknown', why: 'crash', detail: 'the job ended without a result' };
    if (state.nowMs >= untilMs)
      return {
        is: 'unknown',
        why: 'timeout',
        detail: `still running after ${command.timeoutMs / 1000} s; it was not ended`,
      };
    const nextMs = state.timers.find((t) => t.due === 'job' && 'id' in t && t.id === id)?.atMs ?? untilMs;
    await clock.until(Math.min(nextMs, untilMs));
  }
}

function jobOf(host: HostState | undefined, id: EffectId): JobState {
  const found = host?.jobs[id];
  if (found === undefined) return { is: 'absent' };
  if (found.is === 'running') return { is: 'running', sinceMs: found.sinceMs };
  if (found.is === 'lost') return { is: 'lost', why: found.why };
  return { is: 'ended', exit: found.exit, stdout: found.stdout, stderr: found.stderr };
}

function route(simulation: Simulation, { host, port, method, path, headers, body }: SentRequest): SentAnswer {
  const { state, rules } = simulation;
  const at = hostAt(simulation, host, port);
  if (at === undefined) return { is: 'unreachable', reason: `${host}:${port} has a name that cannot be resolved` };
  if (position(state, 'unreachable', (f) => f.host === at.name) !== undefined)
    return { is: 'unreachable', reason: `${host}:${port} cannot be reached (no route)` };
  if (position(state, 'untrusted', (f) => f.host === at.name) !== undefined)
    return {
      is: 'untrusted',
      reason: `${host}:${port} shows a certificate that has expired`,
      hint: 'renew it on the server',
    };
  const { pathname, searchParams } = new URL(`http://any${path}`);
  const query = Object.fromEntries(searchParams);
  const answered = rules.serve?.(state, at, port, { method, path: pathname, query, headers, body });
  return answered === undefined
    ? { is: 'unreachable', reason: `${host}:${port} refuses connections` }
    : { is: 'answered', ...answered };
}

/** The host with this address or name; an address that is no host's is a balancer's, before the first that listens there. */
function hostAt({ state, rules }: Simulation, host: string, port: number): HostState | undefined {
  const hosts = Object.values(state.hosts);
  return (
    hosts.find((h) => h.address === host || h.name === host) ??
    hosts.find((h) => rules.hasPort?.(state, h, port) === true)
  );
}
