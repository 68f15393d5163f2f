import type { NatsConnection } from '@nats-io/transport-node';
import type { Executor } from '../machines/executor.js';
import { failed, type Failed } from '../machines/machine.js';
import type { Outcome } from '../terms/action.js';
import { refKey } from '../terms/fact.js';
import { hostName } from '../terms/subject.js';
import { encode, SILENT_MS, subjectsOf, type Results, type Work, type WorkerRefusal } from './messages.js';
import type { OnSilence } from '../machines/host-pool.js';
import { serversAnswer } from './servers.js';
import { silentHosts } from './silent-hosts.js';
import { callWorker, type Means } from './zone-call.js';
import { zoneWorkers, type ZoneWorkers } from './zone-workers.js';

/** `acted`: it was allowed to act, and it is not known whether it did. */
type Got<D extends Work['do']> =
  { readonly is: 'done'; readonly result: Results[D] } | (Failed & { readonly acted?: true });

/** How often what only reads is asked, each time of a worker that answers. */
const ROUNDS = 3;

/** A zone, and who works there. */
export interface Zone {
  readonly executor: Executor;
  readonly workers: ZoneWorkers;
  /** Of hosts that do not answer. */
  stopWaiting(): void;
}

export interface ZoneRequest {
  readonly store: string;
  readonly zone: string;
  /** Of this program: workers of another one are not sent work. */
  readonly version: string;
  /** Of each host of the zone, by its name. */
  readonly identities: ReadonlyMap<string, string>;
  /** The largest message. */
  readonly maxBytes: () => number;
  readonly onSilence?: OnSilence | undefined;
  /** How long the servers of the store are waited for, milliseconds. */
  readonly awayMs: number;
}

/** The hosts of a zone by its workers, over a connection to the servers of the store. */
export function openZone(
  connection: NatsConnection,
  { store, zone, version, identities, maxBytes, onSilence, awayMs }: ZoneRequest,
): Zone {
  const subjects = subjectsOf(store, zone);
  const workers = zoneWorkers(connection, subjects, version);
  const silent = silentHosts(onSilence);

  const stopped = new AbortController();

  /** What was not begun is sent again once servers that were away are back. */
  async function call<D extends Work['do']>(work: Work & { readonly do: D }, means: Means = {}): Promise<Got<D>> {
    for (;;) {
      const got = await silent.waitFor(work.host, (givenUp) => callOnce<D>(work, means, givenUp));
      if (got.is === 'done' || got.why !== 'unreachable' || got.acted === true) return got;
      const ends = AbortSignal.any([stopped.signal, ...(means.signal === undefined ? [] : [means.signal])]);
      const servers = await serversAnswer(connection, awayMs, ends, (silence) => onSilence?.(work.host, silence));
      if (servers === 'at-once' || ends.aborted) return got;
      if (servers === 'not')
        return failed('unreachable', `the servers of the store do not answer, and zone ${zone} is reached over them`);
    }
  }

  async function callOnce<D extends Work['do']>(
    work: Work & { readonly do: D },
    means: Means,
    givenUp: AbortSignal,
  ): Promise<Got<D>> {
    const worker = await workers.workerOf(work.host);
    if (worker === undefined)
      return noWorker(
        zone,
        (await workers.all()).find((one) => one.version !== version),
        version,
      );
    const body = encode({ ...work, identity: identities.get(work.host) ?? '' });
    const most = maxBytes();
    if (body.length > most) return refused({ code: 'too-large', bytes: body.length, most }, zone);
    const called = await callWorker<D>(
      connection,
      { subject: subjects.workOf(worker.worker), replies: subjects.replies, most },
      body,
      {
        ...means,
        givenUp,
        onSilence: (silence) => silent.hear(work.host, silence),
      },
    );
    switch (called.is) {
      case 'done':
        return called;
      case 'refused':
        // Another one may have a newer inventory.
        if (called.refusal.code === 'host') workers.exclude(work.host, worker.worker);
        return refused(called.refusal, zone);
      case 'gone':
      case 'lost': {
        if (givenUp.aborted)
          return failed('unreachable', `${work.host} does not answer, and is not waited for: the run is to stop`);
        workers.lose(worker.worker);
        if (means.signal?.aborted === true) return failed('unreachable', 'interrupted by an operator');
        const why = called.is === 'gone' ? 'has ended' : `has not answered for ${SILENT_MS / 1000} s`;
        const lost = failed('unreachable', `the worker of zone ${zone} on ${worker.machine} ${why}`);
        return called.is === 'lost' && called.mayHaveActed ? { ...lost, acted: true } : lost;
      }
    }
  }

  /** For what only reads, and a swap, which comes to the same a second time. */
  async function read<D extends Work['do']>(work: Work & { readonly do: D }): Promise<Got<D>> {
    for (let round = 1; ; round += 1) {
      const got = await call<D>(work);
      if (got.is === 'done' || got.why !== 'unreachable' || round === ROUNDS) return got;
      if ((await workers.workerOf(work.host)) === undefined) return got;
    }
  }

  return {
    workers,
    stopWaiting() {
      stopped.abort();
      silent.stopWaiting();
    },
    executor: {
      async ask(needs) {
        const [first] = needs;
        if (first === undefined) return new Map();
        const got = await read<'ask'>({ do: 'ask', host: hostName(first.of), needs });
        const lost = got.is === 'done' ? failed('unreadable', 'the worker did not answer this') : got;
        return new Map(needs.map((need, n) => [refKey(need), (got.is === 'done' ? got.result[n] : got) ?? lost]));
      },
      async perform(on, action, { id, signal, mayAct, lease }) {
        const file = action.do === 'upload' ? { file: action.source } : {};
        const work = { do: 'perform', host: hostName(on), on, action, id, lease } as const;
        const got = await call<'perform'>(work, { mayAct, signal, ...file });
        return got.is === 'done' ? got.result : outcomeOf(got);
      },
      async job(on, id) {
        const got = await read<'job'>({ do: 'job', host: hostName(on), on, id });
        return got.is === 'done' ? got.result : { is: 'unreachable', reason: got.reason };
      },
      async forgetJob(on, id) {
        await read<'forget-job'>({ do: 'forget-job', host: hostName(on), on, id });
      },
      async swap(host, file, expected, wanted, withMarker) {
        const got = await read<'swap'>({ do: 'swap', host, file, expected, wanted, withMarker });
        return got.is === 'done' ? got.result : got;
      },
      async exchange({ mayAct, ...request }) {
        const work = { do: 'exchange', host: request.node ?? '', request } as const;
        const got = await (request.reads ? read<'exchange'>(work) : call<'exchange'>(work, { mayAct }));
        if (got.is === 'done') return got.result;
        if (got.acted === true) return { is: 'lost', why: 'connection', detail: got.reason };
        return got.why === 'unreachable' ? { is: 'unreachable', reason: got.reason } : got;
      },
      close: () => Promise.resolve(),
    },
  };
}

/** As of a host that cannot be reached: what was not done is unknown, too, and the host is asked. */
const outcomeOf = ({ why, reason, hint }: Failed): Outcome =>
  why === 'unreachable'
    ? { is: 'unknown', why: 'connection', detail: reason }
    : { is: 'refused', by: 'machine', found: reason, ...(hint === undefined ? {} : { hint }) };

function noWorker(zone: string, other: { machine: string; version: string } | undefined, version: string): Failed {
  if (other === undefined)
    return failed(
      'unreachable',
      `no worker of zone ${zone} answers`,
      `start one in the zone: runbook worker --zone ${zone}`,
    );
  return failed(
    'unreachable',
    `the worker of zone ${zone} on ${other.machine} is version ${other.version}, and this is ${version}`,
    'the versions must be the same: update one of them',
  );
}

function refused(refusal: WorkerRefusal, zone: string): Failed {
  switch (refusal.code) {
    case 'host':
      return failed(
        'unreachable',
        `the inventory of the worker has no host ${refusal.host} in zone ${zone}`,
        'give the worker the inventory of the controller, and start it again',
      );
    case 'too-large':
      return failed(
        'unreadable',
        `a message has ${refusal.bytes} bytes, and the servers of the store take ${refusal.most}`,
        'raise max_payload in their configuration',
      );
    case 'malformed':
      return failed('unreadable', `the worker of zone ${zone} did not understand the message`);
    case 'failed':
      return failed('unreadable', `the worker of zone ${zone} failed: ${refusal.reason}`);
  }
}
