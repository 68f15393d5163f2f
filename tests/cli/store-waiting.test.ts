import { afterEach, expect, jest, test } from '@jest/globals';
import { sayWaiting } from '../../engine/cli/team/sending.js';
import { StoreUnavailable } from '../../engine/store/run-store.js';

afterEach(() => void jest.useRealTimers());

const away = new StoreUnavailable('unreachable', 'append', 'no answer', 15_000);

test('a store that does not answer is named every 20 s, until it answers or the operator stops', () => {
  jest.useFakeTimers();
  const said: string[] = [];
  const stop = new AbortController();
  const onWaiting = sayWaiting('upgrades', stop.signal, (text) => said.push(text));
  onWaiting(away);
  jest.advanceTimersByTime(60 * 60_000);
  expect(said).toHaveLength(1 + 180);
  expect(said.at(-1)).toBe('The store upgrades has not answered for 1 h. The run waits.');
  onWaiting(undefined);
  jest.advanceTimersByTime(60_000);
  expect(said.slice(181)).toEqual(['The store upgrades answers again; the run continues.']);
  onWaiting(away);
  stop.abort();
  jest.advanceTimersByTime(60_000);
  expect(said).toHaveLength(183);
});
