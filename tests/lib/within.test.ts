import { expect, test } from '@jest/globals';
import { within } from '../../engine/lib/within.js';

test('what never ends is not waited for, what ends is, and a failure is one', async () => {
  await within(10, new Promise(() => undefined));
  let hasEnded = false;
  await within(
    60_000,
    new Promise((resolve) => setImmediate(resolve)).then(() => (hasEnded = true)),
  );
  expect(hasEnded).toBe(true);
  await expect(within(60_000, Promise.reject(new Error('full')))).rejects.toThrow('full');
});
