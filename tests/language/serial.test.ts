import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { batches } from '../../engine/language/playbook/serial.js';
import type { Serial } from '../../engine/terms/playbook.js';

describe('batches', () => {
  it.each<readonly [number, readonly Serial[] | undefined, readonly number[]]>([
    [5, undefined, [5]],
    [0, [1], []],
    [3, [1], [1, 1, 1]],
    [5, [2], [2, 2, 1]],
    [10, [1, 3], [1, 3, 3, 3]],
    [10, ['25%'], [3, 3, 3, 1]],
    [3, ['1%'], [1, 1, 1]],
    [100, ['7%', '50%', '100%'], [7, 50, 43]],
    [4, ['100%'], [4]],
    [7, [1, '50%'], [1, 4, 2]],
    [2, [9], [2]],
    [2, ['x', 0], [1, 1]],
  ])('%p hosts by %p', (count, serial, expected) => {
    expect(batches(count, serial)).toEqual(expected);
  });

  const size = fc.oneof(
    fc.integer({ min: 1, max: 50 }),
    fc.integer({ min: 0, max: 150 }).map((n) => `${n}%`),
  );

  it('sum to the number of hosts, each at least one', () => {
    const property = fc.property(fc.nat(300), fc.array(size, { maxLength: 4 }), (count, serial) => {
      const found = batches(count, serial);
      expect(found.reduce((sum, n) => sum + n, 0)).toBe(count);
      expect(found.every((n) => Number.isInteger(n) && n >= 1)).toBe(true);
    });
    fc.assert(property);
  });

  it('round a share up, and by less than one host', () => {
    const property = fc.property(
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 1, max: 100 }),
      (count, percent) => {
        const first = batches(count, [`${percent}%`])[0] ?? 0;
        expect(first * 100).toBeGreaterThanOrEqual(count * percent);
        expect((first - 1) * 100).toBeLessThan(count * percent);
      },
    );
    fc.assert(property);
  });

  it('have the last size written until none is left', () => {
    const property = fc.property(
      fc.nat(300),
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 4 }),
      (count, serial) => {
        const found = batches(count, serial);
        found.slice(0, -1).forEach((n, i) => expect(n).toBe(serial[Math.min(i, serial.length - 1)]));
      },
    );
    fc.assert(property);
  });
});
