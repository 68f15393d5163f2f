import { afterEach, describe, expect, test } from '@jest/globals';
import type { Event } from '../../engine/terms/event.js';
import type { Clock } from '../../engine/terms/machine.js';
import type { Bounds } from '../../engine/run/window-guard.js';
import { bench, createTestClock, fileStep, settledOf, stopOf, type Ran } from './bench-hosts.js';

const MIN = 60_000;
const START = createTestClock().nowMs();

let shop: ReturnType<typeof bench> | undefined;
afterEach(async () => {
  await shop?.end();
  shop = undefined;
});

const play = (name: string, ...steps: readonly string[]): string =>
  `  - play: ${name}\n    hosts: all\n    serial: 1\n    steps:\n${steps.map(fileStep).join('')}`;
const FINAL = play('Final', 'three').replace('serial: 1', 'point_of_no_return: the format is new');

const bounds = (closesMs: number, more: Partial<Bounds> = {}): Bounds => ({
  ...{ zone: 'UTC', closesMs, rollbackMs: 0, restMs: {} },
  ...more,
});

/** A clock that jumps once a step of this name is settled. */
function jumping(step: string, byMs: number): { clock: Clock; on: (event: Event) => void } {
  const clock = createTestClock();
  let addedMs = 0;
  return {
    clock: { nowMs: () => clock.nowMs() + addedMs, sleep: (ms, signal) => clock.sleep(ms, signal) },
    on: (event) => {
      if (event.e === 'settled' && event.name === step) addedMs += byMs;
    },
  };
}

async function apply(
  playbook: string,
  window: Bounds,
  more: Parameters<ReturnType<typeof bench>['run']>[1] = {},
): Promise<Ran> {
  shop ??= bench(`playbook: P\nplays:\n${playbook}`, ['a', 'b']);
  return shop.run('apply', { window, ...more });
}

describe('the end of the window', () => {
  test.each([
    ['an hour asleep: the run stops after the step at hand', 60 * MIN, ['a one: done'], 'interrupted'],
    ['less than is left: it goes on', 10 * MIN, ['a one: done', 'a two: done', 'b one: done', 'b two: done'], 'done'],
  ])('%s', async (_what, asleepMs, done, end) => {
    const { clock, on } = jumping('one', asleepMs);
    const ran = await apply(play('Work', 'one', 'two'), bounds(START + 30 * MIN), { clock, on });
    expect([ran.end, settledOf(ran)]).toEqual([end, done]);
    expect(stopOf(ran)).toEqual(end === 'done' ? undefined : { by: 'window', closesMs: START + 30 * MIN, zone: 'UTC' });
  });

  test.each([
    ['ends a wait that changed nothing', '', 'interrupted', 10],
    ['lets a host that was begun be completed', 'safe_point: true, ', 'failed', 60],
  ])('%s', async (_what, keys, end, minutes) => {
    const wait = `  - { play: Wait, hosts: a, ${keys}steps: [{ step: hope, wait_for: { that: host.name == "b" }, timeout: 1h }] }\n`;
    const clock = createTestClock();
    const ran = await apply(`${play('Work', 'one')}${wait}`, bounds(START + 10 * MIN), { clock });
    expect([ran.end, Math.round((clock.nowMs() - START) / MIN)]).toEqual([end, minutes]);
  });

  test('what is left is done by a resume in the next window', async () => {
    const { clock, on } = jumping('one', 60 * MIN);
    const first = await apply(play('Work', 'one', 'two'), bounds(START + 30 * MIN), { clock, on });
    const second = await apply('', bounds(START + 30 * MIN), { past: first.recorded });
    expect([second.end, settledOf(second).length]).toEqual(['done', 4]);
  });
});

describe('before a point of no return', () => {
  const PLAYS = `${play('Work', 'one')}${FINAL}`;
  const rest = { 'test/Final': 20 * MIN };

  test.each([
    ['the rest and a rollback fit: it goes on', 45 * MIN, 'done'],
    ['they just fit', 35 * MIN, 'done'],
    ['they do not: the run stops before it', 34 * MIN, 'interrupted'],
  ])('%s', async (_what, leftMs, end) => {
    const ran = await apply(PLAYS, bounds(START + leftMs, { rollbackMs: 15 * MIN, restMs: rest }));
    expect([ran.end, settledOf(ran).includes('a three: done')]).toEqual([end, end === 'done']);
    const numbers = { closesMs: START + leftMs, zone: 'UTC', takesMs: 20 * MIN, rollbackMs: 15 * MIN };
    expect(stopOf(ran)).toEqual(
      end === 'done' ? undefined : { by: 'no room', play: 'Final', pointOfNoReturn: 'the format is new', ...numbers },
    );
  });

  test('in the first play nothing is changed, and the run is not open', async () => {
    const ran = await apply(FINAL, bounds(START + 10 * MIN, { restMs: rest }));
    expect([ran.end, settledOf(ran)]).toEqual(['interrupted', []]);
  });

  test('that was passed before the run stopped, a resume goes on', async () => {
    const first = await apply(`${FINAL}${play('After', 'four')}`, bounds(START + 60 * MIN, { restMs: rest }), {
      stopAfter: 1,
    });
    const second = await apply('', bounds(START + MIN, { restMs: rest }), { past: first.recorded });
    expect([first.end, second.end]).toEqual(['interrupted', 'done']);
  });
});
