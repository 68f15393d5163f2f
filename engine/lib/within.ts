import { setTimeout as pause } from 'node:timers/promises';

/** Waits for work to end, at most so long: what it still does then is not waited for. Rejects as it does. */
export async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  try {
    await Promise.race([work, pause(limitMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
  } finally {
    timer.abort();
  }
}
