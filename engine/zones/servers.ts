import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Silence } from '../machines/host-pool.js';

/** How long the servers have to answer, how often they are asked, and how long they are waited for. Milliseconds. */
const ANSWER_MS = 2_000;
const AGAIN_MS = 1_000;
const AWAY_MS = 600_000;

/**
 * Whether the servers of the store answer: at once, or after they were waited for. `not`: at the time limit or the signal, or the
 * connection is closed. While they are away no worker can be heard, so a worker's silence says nothing about it.
 */
export async function serversAnswer(
  connection: NatsConnection,
  signal: AbortSignal,
  onWait: (silence: Silence) => void,
): Promise<'at-once' | 'later' | 'not'> {
  if (await answerNow(connection)) return 'at-once';
  const startMs = performance.now();
  onWait({ for: 'no answer from the servers of the store', forMs: ANSWER_MS, limitMs: AWAY_MS });
  while (!connection.isClosed() && !signal.aborted && performance.now() - startMs < AWAY_MS) {
    await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    if (await answerNow(connection)) return 'later';
  }
  return 'not';
}

async function answerNow(connection: NatsConnection): Promise<boolean> {
  const late = new AbortController();
  try {
    const answered = connection.rtt().then(
      () => true,
      () => false,
    );
    return await Promise.race([answered, sleep(ANSWER_MS, false, { signal: late.signal })]);
  } finally {
    late.abort();
  }
}
