import { getOrCreate } from '../../lib/get-or-create.js';
import type { Clock } from '../../terms/machine.js';

const WINDOW_MS = 60_000;

/**
 * Waits before a request where the last minute has had as many as the other side takes. By address; what other processes send is not
 * known here, which is what patience with 429 is for.
 */
export function createPace(clock: Clock): (address: string, perMinute: number) => Promise<void> {
  const sent = new Map<string, number[]>();
  return async (address, perMinute) => {
    const times = getOrCreate(sent, address, () => []);
    for (;;) {
      const nowMs = clock.nowMs();
      while (times[0] !== undefined && nowMs - times[0] >= WINDOW_MS) times.shift();
      const oldest = times[0];
      if (oldest === undefined || times.length < perMinute) {
        times.push(nowMs);
        return;
      }
      await clock.sleep(oldest + WINDOW_MS - nowMs);
    }
  };
}
