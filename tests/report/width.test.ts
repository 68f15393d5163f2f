import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { columns, wrap } from '../../engine/report/columns.js';
import { cut, widthOf } from '../../engine/report/width.js';

/** Text as a host may write it: letters, ideographs, letters with marks of their own, emoji of several code points. */
const text = fc.string({
  unit: fc.constantFrom('a', 'Z', ' ', '界', '漢', '한', 'e\u0301', '👩‍💻', '🇩🇪', 'ﬁ', 'é'),
  maxLength: 40,
});

describe('the columns of a line', () => {
  test.each([
    ['plain', 5],
    ['世界', 4],
    ['e\u0301', 1],
    ['👩‍💻', 2],
    ['\u001b[31mrot\u001b[39m', 3],
    ['', 0],
  ])('%s takes %d', (line, width) => {
    expect(widthOf(line)).toBe(width);
  });

  test('what is counted without asking has the width that the library says', () => {
    const all = Array.from({ length: 0x3000 - 0x20 }, (_, i) => String.fromCodePoint(0x20 + i));
    expect(all.filter((one) => widthOf(one) !== stringWidth(one))).toEqual([]);
  });

  test('a line is never wider than it is cut to, and one that fits stays as it is', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 60 }), (line, width) => {
        const shown = cut(line, width);
        expect(widthOf(shown)).toBeLessThanOrEqual(width);
        if (widthOf(line) <= width) expect(shown).toBe(line);
        else expect(line.startsWith(shown.slice(0, -1))).toBe(true);
      }),
    );
  });

  test('cells stand under one another, whatever is in them', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 5 }), (cells) => {
        const lines = columns(cells.map((cell) => [cell, '|']));
        expect(new Set(lines.map((line) => widthOf(line))).size).toBe(1);
      }),
    );
  });

  test('words in lines are no wider than the terminal', () => {
    expect(wrap(['指示', '世界', 'und', '漢字'], 10, 'CAUSE ')).toEqual([
      'CAUSE 指示',
      '      世界',
      '      und',
      '      漢字',
    ]);
  });
});
