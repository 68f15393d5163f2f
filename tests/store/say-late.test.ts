import { afterEach, expect, jest, test } from '@jest/globals';
import { sayLate } from '../../engine/cli/terminal/say-late.js';

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

test('what takes long is named once, and what does not is not', async () => {
  jest.useFakeTimers();
  const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(await sayLate('Reading', Promise.resolve(1))).toBe(1);
  jest.advanceTimersByTime(60_000);
  expect(written.mock.calls).toEqual([]);
  let end = (_value: number): void => undefined;
  const slow = sayLate('Reading', new Promise<number>((resolve) => (end = resolve)));
  jest.advanceTimersByTime(60_000);
  end(2);
  expect(await slow).toBe(2);
  expect(written.mock.calls).toEqual([['Reading …\n']]);
});
