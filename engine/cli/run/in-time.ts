import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../machines/system-clock.js';
import { within } from '../../machines/time-limit.js';

/** What cannot be read by then is left out: it must not hide what is known. */
export const LIMIT_MS = 15_000;

/** What a reading gives; undefined where it fails, or takes longer than the limit. */
export const inTime = <T>(reading: Promise<T>, limitMs = LIMIT_MS): Promise<T | undefined> =>
  Promise.race([reading.catch(() => undefined), pause(limitMs, undefined, { ref: false })]);

/**
 * How long each last write may take: a host that no longer answers, or a disk that is full, holds up no end. A lease then stays, and counts
 * for nothing once this process has ended.
 */
const LAST_WRITE_MS = 5000;

export async function lastWrite(writing: Promise<unknown>): Promise<void> {
  await within(writing, LAST_WRITE_MS, systemClock);
}
