import type { Clock } from '../../engine/terms/machine.js';

/**
 * A clock that the test moves. A wait (without a signal) is over at once, and noted; a time limit (with one) passes only by
 * `pass`, which waits until one is set.
 */
export function createManualClock() {
  const waits: number[] = [];
  const limits = new Set<{ readonly atMs: number; readonly end: () => void }>();
  let nowMs = 1_000_000;
  const clock: Clock = {
    nowMs: () => nowMs,
    sleep(ms, signal) {
      if (signal === undefined) {
        waits.push(ms);
        nowMs += ms;
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        const limit = { atMs: nowMs + ms, end: resolve };
        limits.add(limit);
        signal.addEventListener('abort', () => {
          limits.delete(limit);
          resolve();
        });
      });
    },
  };
  return Object.assign(clock, {
    waits,
    pass(ms: number): void {
      nowMs += ms;
      for (const limit of limits) if (limit.atMs <= nowMs) limit.end();
    },
  });
}
