import { setTimeout as pause } from 'node:timers/promises';

/** What cannot be read by then is left out: it must not hide what is known. */
export const LIMIT_MS = 15_000;

/** What a reading gives; undefined where it fails, or takes longer than the limit. */
export const inTime = <T>(reading: Promise<T>, limitMs = LIMIT_MS): Promise<T | undefined> =>
  Promise.race([reading.catch(() => undefined), pause(limitMs, undefined, { ref: false })]);
