import { setTimeout as timer } from 'node:timers/promises';
import type { Clock } from '../terms/machine.js';

/** This machine's own time. A sleep that is called off ends at once, without an error. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) => timer(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
};
