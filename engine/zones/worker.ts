import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import type { OwnFleet } from '../machines/fleet.js';
import { sha256 } from '../lib/hash.js';
import type { Silence } from '../machines/host-pool.js';
import { failed } from '../machines/machine.js';
import { refKey, type Answer, type Need } from '../terms/fact.js';
import { keyOf, type Subject } from '../terms/subject.js';
import { isObject, type Json } from '../terms/json.js';
import type { Outcome } from '../terms/action.js';
import type { Secrets } from '../terms/machine.js';
import { mask, unmask } from './masking.js';
import {
  encode,
  WORKING_MS,
  type Addressed,
  type FromWorker,
  type Hello,
  type Permit,
  type Results,
  type Subjects,
  type Work,
} from './messages.js';
import type { WorkerFiles } from './worker-files.js';

export interface WorkerRequest {
  readonly connection: NatsConnection;
  /** The largest message. */
  readonly maxBytes: () => number;
  readonly subjects: Subjects;
  readonly hello: Hello;
  /** Which hosts these are, by the worker's own inventory (`identityOf`): it reaches no others, whatever it is sent. */
  readonly hosts: ReadonlyMap<string, string>;
  readonly fleet: OwnFleet;
  readonly secrets: Secrets;
  readonly files: WorkerFiles;
  /** What it does to a host, as it begins. */
  readonly onAct: (host: string, id: string) => void;
}

/** How long the controller has to answer a question, milliseconds: it asks the store meanwhile. */
const ANSWER_MS = 30_000;
/** A permit that took longer may be out of date, milliseconds. */
const PERMIT_MS = 5_000;
/** A piece of base64 in JSON is larger than its bytes. */
const PIECE_SHARE = 0.7;

/** The controller did not allow it, or does not answer: nothing may be done. */
class NotAllowed extends Error {}

export interface Worker {
  /** It takes no more work, because the servers do not let it; undefined: it was drained. */
  readonly ended: Promise<Error | undefined>;
  /** A host is being connected to, and has not answered: whoever waits for it hears of that. */
  silent(host: string, silence: Silence): void;
  /** Takes no more work, and returns when all of it is done. */
  drain(): Promise<void>;
}

/** Does what controllers send to a zone, one message each, side by side. It decides nothing, and keeps nothing. */
export function serveZone(request: WorkerRequest): Worker {
  const { connection, subjects, hello } = request;
  const underWay = new Set<Promise<void>>();
  const waiting: Waiting = new Map();
  let refuse = (_error: Error): void => undefined;
  const refused = new Promise<Error>((resolve) => (refuse = resolve));
  const take = (subject: string, act: (message: Msg) => void): Subscription =>
    connection.subscribe(subject, { callback: (error, message) => (error === null ? act(message) : refuse(error)) });
  const greetings = take(subjects.hello, (message) => void message.respond(encode(hello)));
  const work = take(subjects.workOf(hello.worker), (message) => {
    const one = answer(request, waiting, message).finally(() => underWay.delete(one));
    underWay.add(one);
  });
  return {
    ended: Promise.race([refused, connection.closed().then((error) => error || undefined)]),
    silent(host, silence) {
      for (const [say, its] of waiting) if (its === host) say({ is: 'silent', silence });
    },
    async drain() {
      await Promise.all([greetings.drain(), work.drain()]);
      await Promise.all(underWay);
      await connection.flush();
    },
  };
}

type Send = (body: Buffer) => void;

type Say = (said: FromWorker) => void;
/** The controllers that wait, each for a host. */
type Waiting = Map<Say, string>;

async function answer(request: WorkerRequest, waiting: Waiting, message: Msg): Promise<void> {
  const send: Send = (body) => {
    // What is closed answers no more.
    if (!request.connection.isClosed()) message.respond(body);
  };
  const say: Say = (said) => send(encode(said));
  say({ is: 'working' });
  const working = setInterval(() => say({ is: 'working' }), WORKING_MS);
  try {
    const work = workOf(message);
    if (work !== undefined) waiting.set(say, work.host);
    if (work === undefined) say({ is: 'refused', refusal: { code: 'malformed' } });
    else if (!request.hosts.has(work.host) || request.hosts.get(work.host) !== work.identity)
      say({ is: 'refused', refusal: { code: 'host', host: work.host } });
    else
      sayResult(mask(await perform(request, unmask(work, request.secrets), message), request.secrets), request, send);
  } catch (error) {
    const reason = request.secrets.redact(error instanceof Error ? error.message : String(error));
    say({ is: 'refused', refusal: { code: 'failed', reason } });
  } finally {
    waiting.delete(say);
    clearInterval(working);
  }
}

/** In pieces where it is larger than a message. */
function sayResult(result: Results[Work['do']], request: WorkerRequest, send: Send): void {
  const whole = encode({ is: 'done', result });
  if (whole.length <= request.maxBytes()) {
    send(whole);
    return;
  }
  const bytes = Buffer.from(JSON.stringify(result));
  const size = pieceOf(request);
  for (let from = 0; from < bytes.length; from += size)
    send(encode({ is: 'part', bytes: bytes.subarray(from, from + size).toString('base64') }));
  send(encode({ is: 'done', sha256: sha256(bytes) }));
}

async function perform(request: WorkerRequest, work: Work, message: Msg): Promise<Results[Work['do']]> {
  const { fleet } = request;
  switch (work.do) {
    case 'ask':
      return answersOf(work.needs, await fleet.reader.ask(work.needs));
    case 'perform':
      return act(request, work, message);
    case 'job':
      return fleet.actor.job(work.on, work.id);
    case 'forget-job':
      await fleet.actor.forgetJob(work.on, work.id);
      return null;
    case 'swap':
      // One that was given up must not write a lease when it wakes up.
      if (work.wanted !== '') await mayActOf(request, message)();
      return fleet.swap(work.host, work.file, work.expected, work.wanted, work.withMarker);
    case 'exchange':
      return fleet.exchange({
        ...work.request,
        node: work.host,
        ...(work.request.reads ? {} : { mayAct: mayActOf(request, message) }),
      });
  }
}

async function act(request: WorkerRequest, work: Work & { readonly do: 'perform' }, message: Msg): Promise<Outcome> {
  const { on, action, id, lease } = work;
  const allowed = mayActOf(request, message);
  let isSaid = false;
  const mayAct = async (): Promise<void> => {
    await allowed();
    // An upload asks once more when the file is on the host.
    if (!isSaid) request.onAct(work.host, id);
    isSaid = true;
  };
  const context = { id, mayAct, ...(lease === undefined ? {} : { lease }) };
  try {
    if (action.do !== 'upload') return await request.fleet.actor.perform(on, action, context);
    const source = await request.files.fetch(action.sha256, pieceOf(request), (from, most) =>
      ask(request, message, { is: 'bytes', from, most }),
    );
    if (source === undefined)
      return { is: 'refused', by: 'machine', found: `${action.source} did not arrive whole at the worker` };
    return await request.fleet.actor.perform(on, { ...action, source }, context);
  } catch (error) {
    if (error instanceof NotAllowed) return { is: 'unknown', why: 'connection', detail: error.message };
    throw error;
  }
}

const pieceOf = (request: WorkerRequest): number => Math.floor(request.maxBytes() * PIECE_SHARE);

/** A question to the controller, at the subject where it waits. Throws NotAllowed where it does not answer. */
async function ask({ connection }: WorkerRequest, { reply = '' }: Msg, question: FromWorker): Promise<Buffer> {
  try {
    return Buffer.from((await connection.request(reply, encode(question), { timeout: ANSWER_MS })).data);
  } catch {
    throw new NotAllowed('the controller does not answer');
  }
}

const answersOf = (needs: readonly Need[], answers: ReadonlyMap<string, Answer>): readonly Answer[] =>
  needs.map((need) => answers.get(refKey(need)) ?? failed('unreadable', 'no answer'));

const mayActOf = (request: WorkerRequest, message: Msg) => async (): Promise<void> => {
  for (;;) {
    const askedMs = performance.now();
    const { may } = JSON.parse((await ask(request, message, { is: 'may-act' })).toString()) as Permit;
    if (!may) throw new NotAllowed('the controller has lost the run');
    // Who was frozen meanwhile may have been given up since: then nothing answers any more.
    if (performance.now() - askedMs < PERMIT_MS) return;
  }
};

const KINDS: readonly Work['do'][] = ['ask', 'perform', 'job', 'forget-job', 'swap', 'exchange'];

/** Undefined: another program wrote it, or it is about another host than it says. */
function workOf(message: Msg): (Work & Addressed) | undefined {
  try {
    const json = message.json<Json>();
    const isWork = isObject(json) && KINDS.some((kind) => kind === json['do']) && typeof json['host'] === 'string';
    if (!isWork) return undefined;
    const work = json as unknown as Work & Addressed;
    return subjectsIn(work).every((on) => keyOf(on) === keyOf({ host: work.host })) ? work : undefined;
  } catch {
    return undefined;
  }
}

function subjectsIn(work: Work): readonly Subject[] {
  switch (work.do) {
    case 'ask':
      return work.needs.map(({ of }) => of);
    case 'perform':
      // A request goes to an endpoint, by `exchange`.
      return work.action.do === 'request' ? [{ controller: true }] : [work.on];
    case 'job':
    case 'forget-job':
      return [work.on];
    case 'swap':
    case 'exchange':
      return [];
  }
}
