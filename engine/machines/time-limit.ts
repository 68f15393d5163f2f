import type { Clock } from '../terms/machine.js';

/** What a promise comes to, or `timeout` when the clock has gone on by so much before. The promise itself goes on. */
export async function within<T>(promise: Promise<T>, limitMs: number, clock: Clock): Promise<T | 'timeout'> {
  const isOver = new AbortController();
  const limit = clock.sleep(limitMs, isOver.signal).then(
    () => 'timeout' as const,
    () => 'timeout' as const,
  );
  try {
    return await Promise.race([promise, limit]);
  } finally {
    isOver.abort();
  }
}
