import { afterEach, describe, expect, test } from '@jest/globals';
import type { Event } from '../../engine/terms/event.js';
import { bench, createTestClock, fileStep, settledOf, stopOf, type Ran } from '../run/bench-hosts.js';
import { platform } from './platform-bench.js';
import { versionsOf } from './platform-looks.js';

let shop: ReturnType<typeof bench> | undefined;
afterEach(async () => {
  await shop?.end();
  shop = undefined;
});

const play = (keys: string): string =>
  `playbook: P\nplays:\n  - play: Work\n    hosts: all\n${keys}    steps:\n${fileStep('one')}${fileStep('two')}  - play: Later\n    hosts: all\n    steps:\n${fileStep('three')}`;

const run = (keys: string, more: Parameters<ReturnType<typeof bench>['run']>[1]): Promise<Ran> => {
  shop ??= bench(play(keys), ['a', 'b', 'c']);
  return shop.run('apply', more);
};

describe('a stop in a play with a safe point', () => {
  test.each([
    ['serial: the host at hand is completed', '    serial: 1\n    safe_point: true\n', 5, ['a one', 'a two']],
    [
      'in batches: the hosts of the batch are',
      '    serial: 2\n    safe_point: true\n',
      5,
      ['a one', 'b one', 'a two', 'b two'],
    ],
    ['side by side: those that were begun are', '    safe_point: true\n', 1, ['a one', 'a two']],
    ['without one: the step at hand is', '    serial: 1\n', 5, ['a one']],
  ])('%s, and no other begins; a resume does the rest once', async (_what, keys, forks, done) => {
    const first = await run(keys, { stopAfter: 1, options: { forks } });
    expect([
      first.end,
      settledOf(first)
        .map((line) => line.replace(': done', ''))
        .toSorted(),
      stopOf(first),
    ]).toEqual(['interrupted', done.toSorted(), { by: 'operator' }]);
    const second = await run(keys, { past: first.recorded });
    expect(second.end).toBe('done');
    expect(settledOf(second).toSorted()).toEqual(
      ['a', 'b', 'c'].flatMap((host) => ['one', 'three', 'two'].map((step) => `${host} ${step}: done`)),
    );
  });

  test('which it resumes does not begin another host where it is stopped again', async () => {
    const keys = '    serial: 1\n    safe_point: true\n';
    const first = await run(keys, { stopAfter: 1 });
    const second = await run(keys, { past: first.recorded, stopAfter: 0 });
    expect([second.end, settledOf(second).length]).toEqual(['interrupted', 2]);
  });

  test('the end of the window is such a stop', async () => {
    const clock = createTestClock();
    let addedMs = 0;
    const on = (event: Event): void => {
      if (event.e === 'settled') addedMs = 3_600_000;
    };
    const window = { zone: 'UTC', closesMs: clock.nowMs() + 60_000, rollbackMs: 0, restMs: {} };
    const jumping = { ...clock, nowMs: () => clock.nowMs() + addedMs };
    const ran = await run('    serial: 1\n    safe_point: true\n', { clock: jumping, window, on });
    expect([settledOf(ran), stopOf(ran)]).toEqual([
      ['a one: done', 'a two: done'],
      expect.objectContaining({ by: 'window' }),
    ]);
  });
});

test('an upgrade that is to stop while its first indexer is down brings that node back first; a resume ends as usual', async () => {
  const p = await platform();
  let stop = false;
  const first = await p.run('apply', {
    stopAtSafePoint: () => stop,
    on: ({ event: e }) => {
      stop ||= e.e === 'settled' && e.name === 'Stop the indexer';
    },
  });
  expect(first.end).toBe('interrupted');
  expect(versionsOf(p.state)['platform-indexer']).toEqual(['4.12.0-1', '4.14.7-1']);
  const settled = first.events.flatMap((e) => (e.e === 'settled' && e.as === 'done' ? [e.name] : []));
  expect(settled.filter((name) => name === 'Stop the indexer' || name === 'Start the indexer')).toEqual([
    'Stop the indexer',
    'Start the indexer',
  ]);
  expect((await p.run('apply', { past: first.recorded })).end).toBe('done');
});
