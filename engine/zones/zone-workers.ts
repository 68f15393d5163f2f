import { createInbox, type NatsConnection } from '@nats-io/transport-node';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hello, Subjects } from './messages.js';
import { isNoResponder } from './zone-call.js';

/** How long workers have to say that they are there, milliseconds. */
const HELLO_MS = 1_000;
/** How often the workers of a zone are looked for, and how long after each time. */
const TRIES = 12;
const AGAIN_MS = 500;
/** How long to wait for others after the first. */
const OTHERS_MS = 300;

/** The workers that answer now. */
export async function findWorkers(connection: NatsConnection, subjects: Subjects): Promise<readonly Hello[]> {
  const inbox = createInbox(subjects.replies);
  const answers = connection.subscribe(inbox);
  const found: Hello[] = [];
  let limit = setTimeout(() => answers.unsubscribe(), HELLO_MS);
  connection.publish(subjects.hello, '', { reply: inbox });
  for await (const answer of answers) {
    if (isNoResponder(answer)) break;
    if (found.push(answer.json<Hello>()) > 1) continue;
    clearTimeout(limit);
    limit = setTimeout(() => answers.unsubscribe(), OTHERS_MS);
  }
  clearTimeout(limit);
  answers.unsubscribe();
  return found.toSorted((a, b) => (a.worker < b.worker ? -1 : 1));
}

/** Which worker of a zone reaches a host. */
export interface ZoneWorkers {
  /** The same one as before, as long as it answers: it has the connection to the host. Undefined: none of the zone does. */
  workerOf(host: string): Promise<Hello | undefined>;
  /** It does not answer: the others are asked who is there. */
  lose(worker: string): void;
  /** By its own inventory it does not reach this host. */
  exclude(host: string, worker: string): void;
  /** All that answer, of any version. */
  all(): Promise<readonly Hello[]>;
}

export function zoneWorkers(connection: NatsConnection, subjects: Subjects, version: string): ZoneWorkers {
  const chosen = new Map<string, Hello>();
  const excluded = new Set<string>();
  let finding: Promise<readonly Hello[]> | undefined;
  let hadAny = false;
  const all = (): Promise<readonly Hello[]> => (finding ??= find());

  /** A worker that was there connects again once its server was lost, or is started again. */
  async function find(): Promise<readonly Hello[]> {
    for (let tries = hadAny ? TRIES : 1; ; tries -= 1) {
      const found = await findWorkers(connection, subjects);
      hadAny ||= found.length > 0;
      if (found.length > 0 || tries <= 1) return found;
      await sleep(AGAIN_MS);
    }
  }

  /** The one with the fewest hosts. */
  const leastOf = (workers: readonly Hello[]): Hello | undefined => {
    const hosts = new Map(workers.map(({ worker }) => [worker, 0]));
    for (const { worker } of chosen.values()) hosts.set(worker, (hosts.get(worker) ?? 0) + 1);
    return workers.toSorted((a, b) => (hosts.get(a.worker) ?? 0) - (hosts.get(b.worker) ?? 0))[0];
  };

  return {
    async workerOf(host) {
      const workers = (await all()).filter((one) => one.version === version && !excluded.has(`${one.worker} ${host}`));
      // One that is started while none was there is found by the next question.
      if (workers.length === 0) finding = undefined;
      const before = chosen.get(host);
      const worker = workers.some((one) => one.worker === before?.worker) ? before : leastOf(workers);
      if (worker !== undefined) chosen.set(host, worker);
      return worker;
    },
    lose(worker) {
      for (const [host, { worker: its }] of chosen) if (its === worker) chosen.delete(host);
      finding = undefined;
    },
    exclude(host, worker) {
      excluded.add(`${worker} ${host}`);
      chosen.delete(host);
    },
    all,
  };
}
