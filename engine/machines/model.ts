import { answer } from '../facts/answer.js';
import type { AgentsAnswer, AgentsQuestion, DownloadQuestion, DownloadState, HttpAnswer, HttpQuestion } from '../facts/http.js';
import { sha256 } from '../lib/hash.js';
import { fetchUrl } from '../model/downloads.js';
import { standing } from '../model/faults.js';
import { startJob } from '../model/jobs.js';
import { runProgram } from '../model/programs/run.js';
import type { HostState, PlatformState } from '../model/state.js';
import type { Action, Command, Outcome } from '../terms/action.js';
import { refKey, type Answer, type Need } from '../terms/fact.js';
import type { Inventory } from '../terms/inventory.js';
import type { EffectContext, EffectId, JobState, ReadContext } from '../terms/machine.js';
import { showText, type Text } from '../terms/secret.js';
import type { Subject } from '../terms/subject.js';
import { failed, type Machine } from './machine.js';
import { performOnFiles } from './model-actions.js';
import { createModelClock, type ModelClock } from './model-clock.js';
import { createModelEndpoint, type ModelEndpoint } from './model-endpoint.js';
import { askModelHost } from './model-facts.js';

export interface ModelMachineOptions {
  readonly inventory: Inventory;
  readonly state: PlatformState;
  /** Shared with the run, so that its sleeping and the machine's effects are one time. */
  readonly clock?: ModelClock;
  /** The value of a text that holds secrets, for signing in; absent: references stay as they are. */
  readonly reveal?: (text: Text) => Promise<string>;
}

/** What an effect costs in virtual time where a program does not say, milliseconds. */
const FILE_MS = 20;
const REQUEST_MS = 50;

/** The embedded platform behind the doors of a real machine: hosts, endpoints, and the controller's downloads. */
export function createModelMachine(options: ModelMachineOptions): Machine {
  const { state, inventory, reveal } = options;
  const clock = options.clock ?? createModelClock(state);
  const endpoints = new Map<string, ModelEndpoint>(
    Object.entries(inventory.endpoints).map(([name, endpoint]) => [
      name,
      createModelEndpoint({ state, inventory, endpoint, ...(reveal === undefined ? {} : { reveal }) }),
    ]),
  );
  return {
    async ask(needs, context) {
      const answers = await Promise.all(needs.map(async (n) => [refKey(n), await askOne(state, endpoints, n, context)] as const));
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
    close: () => Promise.resolve(),
  };
}

async function askOne(state: PlatformState, endpoints: ReadonlyMap<string, ModelEndpoint>, need: Need, context: ReadContext = {}): Promise<Answer> {
  if ('controller' in need.of) return askController(state, need);
  if ('host' in need.of) {
    const host = reachHost(state, need.of.host);
    return 'is' in host ? host : askModelHost(state, host, need.fact, need.key);
  }
  const endpoint = endpoints.get(need.of.endpoint);
  if (endpoint === undefined) return failed('unreadable', `there is no endpoint ${need.of.endpoint}`);
  const where = { ...(need.of.node === undefined ? {} : { node: need.of.node }), ...(context.inHand === undefined ? {} : { inHand: context.inHand }) };
  if (need.fact === 'agents') return answer<AgentsAnswer>(await endpoint.agents(JSON.parse(need.key) as AgentsQuestion, where));
  return answer<HttpAnswer>(await endpoint.http(JSON.parse(need.key) as HttpQuestion, where));
}

function reachHost(state: PlatformState, name: string): HostState | ReturnType<typeof failed> {
  const host = state.hosts[name];
  if (host === undefined) return failed('unreachable', `the model has no host ${name}`);
  if (standing(state, 'unreachable', (f) => f.host === name) !== undefined) return failed('unreachable', `connect EHOSTUNREACH ${host.address}:22`);
  if (standing(state, 'no-sudo', (f) => f.host === name) !== undefined) return failed('denied', `${name}: the user may not become root`, 'see sudo -l on the host');
  return host;
}

function askController(state: PlatformState, need: Need): Answer {
  if (need.fact !== 'download') return failed('unreadable', `the model's controller cannot tell "${need.fact}"`);
  const { url } = JSON.parse(need.key) as DownloadQuestion;
  const got = fetchUrl(state, url);
  if (got === undefined) return answer<DownloadState>({ is: 'failed', reason: `${url} cannot be reached` });
  if (got.status !== 200) return answer<DownloadState>({ is: 'failed', reason: `${url} answers ${got.status}`, hint: 'is the address right?' });
  const bytes = Buffer.from(got.latin1, 'latin1');
  const hash = sha256(bytes);
  const path = `/model/downloads/${hash}`;
  state.fetched[path] = got.latin1;
  const text = got.contentType.startsWith('application/gzip') ? {} : { text: bytes.toString('utf8') };
  return answer<DownloadState>({ is: 'fetched', path, sizeBytes: bytes.length, sha256: hash, contentType: got.contentType, ...text });
}

interface Stage {
  readonly state: PlatformState;
  readonly clock: ModelClock;
  readonly endpoints: ReadonlyMap<string, ModelEndpoint>;
  /** The connection goes once the effect is under way. */
  readonly cut: boolean;
}

async function performOne(stage: Stage, on: Subject, action: Action, context: EffectContext): Promise<Outcome> {
  const { state, clock } = stage;
  if (action.do === 'request') return request(stage, action, context);
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

async function request({ state, clock, endpoints }: Stage, { request: wanted }: Extract<Action, { do: 'request' }>, { inHand }: EffectContext): Promise<Outcome> {
  const endpoint = endpoints.get(wanted.endpoint);
  if (endpoint === undefined) return { is: 'refused', by: 'machine', found: `there is no endpoint ${wanted.endpoint}` };
  const answered = await endpoint.call({
    method: wanted.method,
    path: wanted.path,
    headers: Object.fromEntries(Object.entries(wanted.headers ?? {}).map(([name, text]) => [name.toLowerCase(), showText(text)])),
    ...(wanted.json === undefined ? {} : { body: JSON.stringify(wanted.json) }),
    ...(wanted.node === undefined ? {} : { node: wanted.node }),
    ...(inHand === undefined ? {} : { inHand }),
  });
  await clock.until(state.nowMs + REQUEST_MS);
  if ('refused' in answered) return { is: 'unknown', why: 'connection', detail: answered.refused };
  return { is: 'answered', status: answered.status, body: answered.body, headers: answered.headers };
}

function jobOf(state: PlatformState, on: Subject, id: EffectId): JobState {
  const found = 'host' in on ? state.hosts[on.host]?.jobs[id] : undefined;
  if (found === undefined) return { is: 'absent' };
  if (found.is === 'running') return { is: 'running', sinceMs: found.sinceMs };
  if (found.is === 'lost') return { is: 'lost', why: found.why };
  return { is: 'ended', exit: found.exit, stdout: found.stdout, stderr: found.stderr };
}
