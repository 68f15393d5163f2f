import { getOrCreate } from '../../lib/get-or-create.js';
import type { Clock } from '../../terms/machine.js';

/** What the management API takes in a minute by default is 300 (429, code 6001); some are left to people. */
const REQUESTS = 280;
const WINDOW_MS = 60_000;

/**
 * Waits before a request where the last minute has had as many as the other side takes. By address; what other processes send is not
 * known here, which is what patience with 429 is for.
 */
export function createPace(clock: Clock): (address: string) => Promise<void> {
  const sent = new Map<string, number[]>();
  return async (address) => {
    const times = getOrCreate(sent, address, () => []);
    for (;;) {
      const nowMs = clock.nowMs();
      while (times[0] !== undefined && nowMs - times[0] >= WINDOW_MS) times.shift();
      const oldest = times[0];
      if (oldest === undefined || times.length < REQUESTS) {
        times.push(nowMs);
        return;
      }
      await clock.sleep(oldest + WINDOW_MS - nowMs);
    }
  };
}
