import { expect, test } from '@jest/globals';
import { systemClock } from '../../engine/machines/system-clock.js';
import { within } from '../../engine/machines/time-limit.js';

test('what never ends is not waited for, what ends is, and a failure is one', async () => {
  await within(new Promise(() => undefined), 10, systemClock);
  let hasEnded = false;
  await within(
    new Promise((resolve) => setImmediate(resolve)).then(() => (hasEnded = true)),
    60_000,
    systemClock,
  );
  expect(hasEnded).toBe(true);
  await expect(within(Promise.reject(new Error('full')), 60_000, systemClock)).rejects.toThrow('full');
});
