import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { standing } from '../model/faults.js';
import { startJob } from '../model/jobs.js';
import { runProgram } from '../model/programs/run.js';
import type { HostState, PlatformState } from '../model/state.js';
import type { Action, Command, Outcome } from '../terms/action.js';
import { refKey, type Answer, type Need } from '../terms/fact.js';
import type { Inventory } from '../terms/inventory.js';
import type { EffectContext, EffectId, JobState, Secrets } from '../terms/machine.js';
import { showText } from '../terms/secret.js';
import type { Subject } from '../terms/subject.js';
import { createEndpoints, type Endpoints } from './endpoint-reader.js';
import { failed, type Machine } from './machine.js';
import { performOnFiles } from './model-actions.js';
import { createModelClock, type ModelClock } from './model-clock.js';
import { askModelHost } from './model-facts.js';
import { createModelHttpClient } from './model-http.js';

export interface ModelMachineOptions {
  readonly inventory: Inventory;
  readonly state: PlatformState;
  /** Shared with the run, so that its sleeping and the machine's effects are one time. */
  readonly clock?: ModelClock;
  /** For signing in; absent: nobody looks a secret up, which suits a model that takes any password. */
  readonly secrets?: Secrets;
  /** Where downloads are kept on the controller; absent: in a temporary directory, removed by `close`. */
  readonly cacheDir?: string;
}

/** What an effect costs in virtual time where a program does not say, milliseconds. */
const FILE_MS = 20;

/** The embedded platform behind the doors of a real machine: hosts, endpoints, and the controller's downloads. */
export function createModelMachine(options: ModelMachineOptions): Machine {
  const { state, inventory } = options;
  const clock = options.clock ?? createModelClock(state);
  const ownCacheDir = join(tmpdir(), `runbook-model-${randomUUID()}`);
  const endpoints = createEndpoints({
    inventory,
    clock,
    client: createModelHttpClient(state, clock),
    secrets: options.secrets ?? unknownSecrets,
    cacheDir: options.cacheDir ?? ownCacheDir,
  });
  const askOne = (need: Need, inHand: readonly string[]): Promise<Answer> | Answer => {
    if (!('host' in need.of)) return endpoints.ask(need, { inHand });
    const host = reachHost(state, need.of.host);
    return 'is' in host ? host : askModelHost(state, host, need.fact, need.key);
  };
  return {
    async ask(needs, context) {
      const answers = await Promise.all(needs.map(async (n) => [refKey(n), await askOne(n, context?.inHand ?? [])] as const));
      return new Map(answers);
    },
    async perform(on, action, context) {
      state.effects += 1;
      const cut = standing(state, 'cut', (f) => f.at === state.effects);
      const lost: Outcome = { is: 'unknown', why: 'connection', detail: 'the connection was cut' };
      if (cut?.when === 'before') return lost;
      const outcome = await performOne({ state, clock, endpoints, cut: cut !== undefined }, on, action, context);
      return cut === undefined ? outcome : lost;
    },
    job: (on, id) => Promise.resolve(jobOf(state, on, id)),
    async close() {
      await endpoints.close();
      await rm(ownCacheDir, { recursive: true, force: true });
    },
  };
}

const unknownSecrets: Secrets = {
  value: (name) => Promise.resolve({ is: 'value', value: `{{secret.${name}}}` }),
  redact: (text) => text,
};

function reachHost(state: PlatformState, name: string): HostState | ReturnType<typeof failed> {
  const host = state.hosts[name];
  if (host === undefined) return failed('unreachable', `the model has no host ${name}`);
  if (standing(state, 'unreachable', (f) => f.host === name) !== undefined) return failed('unreachable', `connect EHOSTUNREACH ${host.address}:22`);
  if (standing(state, 'no-sudo', (f) => f.host === name) !== undefined) return failed('denied', `${name}: the user may not become root`, 'see sudo -l on the host');
  return host;
}

interface Stage {
  readonly state: PlatformState;
  readonly clock: ModelClock;
  readonly endpoints: Endpoints;
  /** The connection goes once the effect is under way. */
  readonly cut: boolean;
}

async function performOne(stage: Stage, on: Subject, action: Action, context: EffectContext): Promise<Outcome> {
  const { state, clock } = stage;
  if (action.do === 'request') return stage.endpoints.perform(on, action, context);
  if (!('host' in on)) return { is: 'refused', by: 'machine', found: `"${action.do}" is performed on a host` };
  const host = reachHost(state, on.host);
  if ('is' in host) return host.why === 'unreachable' ? { is: 'unknown', why: 'connection', detail: host.reason } : { is: 'refused', by: 'machine', found: host.reason };
  if (action.do === 'run') return run(stage, host, action.command);
  if (action.do === 'job') return job(stage, host, action.command, context.id);
  if (action.do === 'ask') return { is: 'refused', by: 'machine', found: 'a model host answers no questions' };
  if (standing(state, 'disk-full', (f) => f.host === host.name) !== undefined && action.do !== 'remove') {
    return { is: 'ended', exit: 1, stdout: '', stderr: 'No space left on device' };
  }
  const outcome = await performOnFiles(state, host, action);
  await clock.until(state.nowMs + FILE_MS);
  return outcome;
}

async function run({ state, clock }: Stage, host: HostState, command: Command): Promise<Outcome> {
  const { tookMs, ...ended } = runProgram(state, host, command.argv, {
    ...(command.stdin === undefined ? {} : { stdin: showText(command.stdin) }),
    ...(command.env === undefined ? {} : { env: command.env }),
  });
  await clock.until(state.nowMs + Math.min(Math.max(tookMs, 1), command.timeoutMs));
  return tookMs > command.timeoutMs ? { is: 'unknown', why: 'timeout', detail: `${command.argv[0]} did not end within ${command.timeoutMs / 1000} s` } : { is: 'ended', ...ended };
}

async function job({ state, clock, cut }: Stage, host: HostState, command: Omit<Command, 'stdin'>, id: EffectId): Promise<Outcome> {
  // A job that an earlier attempt started is found, not started again.
  if (host.jobs[id] === undefined) startJob(state, host, { id, argv: command.argv, env: command.env ?? {} });
  if (cut) return { is: 'unknown', why: 'connection' };
  const untilMs = state.nowMs + command.timeoutMs;
  for (;;) {
    const now = jobOf(state, { host: host.name }, id);
    if (now.is === 'ended') return now;
    if (now.is !== 'running') return { is: 'unknown', why: 'crash', detail: 'the job ended without a result' };
    const ends = state.timers.find((t) => t.due === 'job' && t.id === id)?.atMs ?? untilMs;
    if (state.nowMs >= untilMs) return { is: 'unknown', why: 'timeout', detail: `still running after ${command.timeoutMs / 1000} s; it was not ended` };
    await clock.until(Math.min(ends, untilMs));
  }
}

function jobOf(state: PlatformState, on: Subject, id: EffectId): JobState {
  const found = 'host' in on ? state.hosts[on.host]?.jobs[id] : undefined;
  if (found === undefined) return { is: 'absent' };
  if (found.is === 'running') return { is: 'running', sinceMs: found.sinceMs };
  if (found.is === 'lost') return { is: 'lost', why: found.why };
  return { is: 'ended', exit: found.exit, stdout: found.stdout, stderr: found.stderr };
}
