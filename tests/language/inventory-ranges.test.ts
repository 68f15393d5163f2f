import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseRange, withNumber } from '../../engine/language/inventory/ranges.js';

const namesOf = (written: string): readonly string[] | string => {
  const range = parseRange(written);
  if (range.is === 'wrong') return range.message;
  return range.is === 'name' ? [range.name] : range.hosts.map(({ name }) => name);
};

describe('ranges of host names', () => {
  test.each([
    ['web-1', ['web-1']],
    ['web-[1:3]', ['web-1', 'web-2', 'web-3']],
    [
      'web-[08:11].example.com',
      ['web-08.example.com', 'web-09.example.com', 'web-10.example.com', 'web-11.example.com'],
    ],
    ['[9:10]', ['9', '10']],
    ['[0:1]', ['0', '1']],
    ['node-[a:c]', ['node-a', 'node-b', 'node-c']],
    ['node-[3:1]', '[3:1] is no range'],
    ['node-[01:100]', '[01:100] is no range'],
    ['node-[1:c]', '[1:c] is no range'],
    ['node-[c:a]', '[c:a] is no range'],
    ['node-[1:2][1:2]', '"node-[1:2][1:2]" is no range'],
    ['node-[1:2', '"node-[1:2" is no range'],
    ['node-[]', '"node-[]" is no range'],
    ['node-[1:10001]', '[1:10001] names 10001 hosts; a range may name 10000'],
  ])('%s', (written, expected) => {
    expect(namesOf(written)).toEqual(expected);
  });

  test('a range names each number once, in order, as wide as it is written', () => {
    fc.assert(
      fc.property(fc.nat(99_999), fc.nat(500), fc.integer({ min: 1, max: 6 }), (first, more, width) => {
        const digits = Math.max(width, String(first + more).length);
        const text = (n: number): string => String(n).padStart(digits, '0');
        const range = parseRange(`a[${text(first)}:${text(first + more)}]b`);
        const numbers = range.is === 'range' ? range.hosts.map(({ n }) => n) : [];
        expect(numbers.map(Number)).toEqual(Array.from({ length: more + 1 }, (_, i) => first + i));
        const padded = text(first).startsWith('0') && digits > 1;
        expect(numbers.every((n) => !padded || n.length === digits)).toBe(true);
        if (range.is === 'range') expect(range.hosts.map(({ name }) => name)).toEqual(numbers.map((n) => `a${n}b`));
      }),
    );
  });

  test('any text is a name, a range or a mistake', () => {
    fc.assert(fc.property(fc.string(), (text) => ['name', 'range', 'wrong'].includes(parseRange(text).is)));
  });

  test('the number stands in every text of an entry, and nothing else is touched', () => {
    expect(
      withNumber(
        {
          address: '10.0.0.1{{n}}',
          ssh: { port: '22{{ n }}' },
          roles: ['a', 'b-{{n}}'],
          keep: ['{{vars.n}}', 1, true, null],
        },
        '07',
      ),
    ).toEqual({
      address: '10.0.0.107',
      ssh: { port: '2207' },
      roles: ['a', 'b-07'],
      keep: ['{{vars.n}}', 1, true, null],
    });
  });
});
