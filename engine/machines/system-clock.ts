import { setTimeout as timer } from 'node:timers/promises';
import type { Clock } from '../terms/machine.js';

/**
 * A clock that counts on when the one beneath it is set back, or shows less than `lastMs` from the start: no wait and no window gets longer, and
 * nothing takes less than no time. One that jumps forward is believed at once: the machine may have slept.
 */
export function countingOn(clock: Clock, lastMs = -Infinity): Clock {
  let setBackMs = 0;
  let shownMs = lastMs;
  return {
    nowMs: () => {
      const nowMs = clock.nowMs();
      setBackMs += Math.max(0, shownMs - nowMs);
      shownMs = nowMs;
      return nowMs + setBackMs;
    },
    aheadMs: () => setBackMs + (clock.aheadMs?.() ?? 0),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}

/** This machine's own time. A sleep that is called off ends at once, without an error. */
export const systemClock: Clock = countingOn({
  nowMs: () => Date.now(),
  sleep: (ms, signal) => timer(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
});
