import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Silence } from '../machines/host-pool.js';

/** How long the servers have to answer, and how often they are asked. Milliseconds. */
const ANSWER_MS = 2_000;
const AGAIN_MS = 1_000;
/** How long servers that do not answer are waited for: by a run, which waits for its store as well, and by what only reads. Milliseconds. */
export const AWAY_MS = { run: 86_400_000, reading: 600_000 } as const;

/**
 * Whether the servers of the store answer: at once, or after they were waited for. `not`: at the time limit or the signal, or the
 * connection is closed. While they are away no worker can be heard, so a worker's silence says nothing about it.
 */
export async function serversAnswer(
  connection: NatsConnection,
  awayMs: number,
  signal: AbortSignal,
  onWait: (silence: Silence) => void,
): Promise<'at-once' | 'later' | 'not'> {
  if (await answerNow(connection)) return 'at-once';
  const startMs = performance.now();
  onWait({ for: 'no answer from the servers of the store', forMs: ANSWER_MS, limitMs: awayMs });
  while (!connection.isClosed() && !signal.aborted && performance.now() - startMs < awayMs) {
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
