import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { durationMs, showDuration } from '../../engine/lib/duration.js';

describe('durationMs', () => {
  it.each<readonly [string, number | undefined]>([
    ['30s', 30_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['500ms', 500],
    ['1d', 86_400_000],
    ['1.5h', 5_400_000],
    ['1h30m', 5_400_000],
    ['0s', 0],
    ['', undefined],
    ['30', undefined],
    ['30 s', undefined],
    ['-5s', undefined],
    ['s', undefined],
    ['5M', undefined],
    ['1e3s', undefined],
    ['9999999999999999d', undefined],
  ])('%p is %p ms', (text, expected) => {
    expect(durationMs(text)).toBe(expected);
  });

  it('adds the parts up', () => {
    const property = fc.property(fc.nat(99), fc.nat(99), fc.nat(999), (h, m, ms) => {
      expect(durationMs(`${h}h${m}m${ms}ms`)).toBe(h * 3_600_000 + m * 60_000 + ms);
    });
    fc.assert(property);
  });
});

describe('showDuration', () => {
  it.each([
    [0, '0 ms'],
    [999.6, '1 s'],
    [500, '500 ms'],
    [12_000, '12 s'],
    [59_600, '1 min'],
    [125_000, '2 min 5 s'],
    [600_000, '10 min'],
    [3_599_600, '1 h'],
    [5_400_000, '1 h 30 min'],
    [273_600_000, '3 d 4 h'],
    [-5000, '-5 s'],
  ])('%p ms is %p', (ms, expected) => {
    expect(showDuration(ms)).toBe(expected);
  });

  it('loses less than the half of its smaller unit', () => {
    const property = fc.property(fc.integer({ min: 1000, max: 400_000_000 }), (ms) => {
      const read = durationMs(showDuration(ms).replaceAll(' min', 'm').replaceAll(' ', ''));
      expect(Math.abs((read ?? Number.NaN) - ms)).toBeLessThanOrEqual(
        ms < 3_600_000 ? 500 : ms < 86_400_000 ? 30_500 : 1_830_500,
      );
    });
    fc.assert(property);
  });
});
