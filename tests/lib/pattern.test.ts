import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compilePattern, isPattern, patternMistake } from '../../engine/lib/pattern.js';

describe('patterns', () => {
  it('^ and $ are the ends of a line', () => {
    expect(compilePattern('^b$').test('a\nb\nc')).toBe(true);
    expect('a\nb'.replace(compilePattern('^', 'gm'), '#')).toBe('#a\n#b');
  });

  it.each<readonly [string, object | undefined]>([
    ['a.*b', undefined],
    ['(', { reason: 'unterminated group' }],
    ['a/(', { reason: 'unterminated group' }],
    ['(?i)a', { reason: 'invalid group', hint: expect.stringContaining('[Aa]') }],
    ['(?P<n>a)', { reason: 'invalid group', hint: expect.stringContaining('(?<name>') }],
    ['(?<n>a)', undefined],
    ['a*+', { reason: 'nothing to repeat', hint: expect.stringContaining('possessive') }],
  ])('%p: %j', (pattern, expected) => {
    expect(patternMistake(pattern)).toEqual(expected);
  });

  it('whatever is let pass compiles, in either use', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('ab(){}[]?*+|^$\\<>:!P1,-/\n')) }), (text) => {
        const compiles = (flags: 'm' | 'gm'): boolean => {
          try {
            return compilePattern(text, flags).flags === (flags === 'm' ? 'm' : 'gm');
          } catch {
            return false;
          }
        };
        expect([compiles('m'), compiles('gm')]).toEqual([isPattern(text), isPattern(text)]);
      }),
    );
  });
});
