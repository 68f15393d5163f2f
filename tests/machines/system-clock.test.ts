import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countingOn } from '../../engine/machines/system-clock.js';
import { WindowGuard } from '../../engine/run/window-guard.js';

/** What a clock shows that counts on, at each of these readings of the one beneath it. */
function shown(readings: readonly number[], lastMs?: number): readonly number[] {
  let nowMs = 0;
  const clock = countingOn({ nowMs: () => nowMs, sleep: () => Promise.resolve() }, lastMs);
  return readings.map((ms) => ((nowMs = ms), clock.nowMs()));
}

describe('a clock that is set back', () => {
  test.each([
    ['counts on from what it had shown', [50, 10, 59, 60], undefined, [50, 50, 99, 100]],
    ['counts on from the last record of a run', [40, 45], 100, [100, 105]],
    ['is not moved by a record that is older', [120, 130], 100, [120, 130]],
    ['is believed where it jumps forward', [10, 3600], undefined, [10, 3600]],
  ])('%s', (_what, readings, lastMs, expected) => {
    expect(shown(readings, lastMs)).toEqual(expected);
  });

  test('says how far it is ahead of the one beneath it, and of the one beneath that', () => {
    let nowMs = 50;
    const clock = countingOn(countingOn({ nowMs: () => nowMs, sleep: () => Promise.resolve() }), 60);
    const ahead = [50, 10, 15, 5].map((ms) => ((nowMs = ms), clock.nowMs(), clock.aheadMs?.()));
    expect(ahead).toEqual([10, 50, 50, 60]);
  });

  test('never goes back, and adds up what went forward', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1 }), (readings) => {
        const all = shown(readings);
        const steps = readings.slice(1).map((ms, i) => Math.max(0, ms - (readings[i] ?? 0)));
        expect(all).toEqual(steps.reduce((to, by) => [...to, (to.at(-1) ?? 0) + by], [readings[0] ?? 0]));
      }),
    );
  });

  test('opens no window that was over, and makes none longer', () => {
    let nowMs = 0;
    const clock = countingOn({ nowMs: () => nowMs, sleep: () => Promise.resolve() });
    const guard = new WindowGuard({ zone: 'UTC', closesMs: 100, rollbackMs: 0, restMs: {} }, clock);
    const over = [50, 10, 59, 60, 5].map((ms) => ((nowMs = ms), guard.over() !== undefined));
    expect(over).toEqual([false, false, false, true, true]);
  });
});
