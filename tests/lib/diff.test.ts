import { describe, expect, it } from '@jest/globals';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { unifiedDiff } from '../../engine/lib/diff.js';

describe('unifiedDiff', () => {
  it('is what diff -u prints', () => {
    expect(unifiedDiff('/etc/a', 'one\ntwo\nthree\n', 'one\n2\nthree\n')).toBe(
      '--- /etc/a\n+++ /etc/a\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
    );
  });

  it('is empty when nothing differs, and names /dev/null for a file that is not there', () => {
    expect(unifiedDiff('/etc/a', 'x\n', 'x\n')).toBe('');
    expect(unifiedDiff('/etc/a', null, 'x\n')).toContain('--- /dev/null\n+++ /etc/a\n');
    expect(unifiedDiff('/etc/a', 'x\n', null)).toContain('--- /etc/a\n+++ /dev/null\n');
  });

  it('tells an end without a newline', () => {
    expect(unifiedDiff('/etc/a', 'x\n', 'x')).toContain(String.raw`\ No newline at end of file`);
  });

  it('gives up in one sentence where the two have nothing in common', () => {
    const many = (word: string): string => Array.from({ length: 5000 }, (_, i) => `${word} ${i}\n`).join('');
    expect(unifiedDiff('/etc/a', many('a'), many('b'))).toBe(
      '--- /etc/a\n+++ /etc/a\ntoo different to list: 5000 lines before, 5000 after\n',
    );
  });

  it('gives up likewise where the same lines stand in another order', () => {
    const text = (numbers: readonly number[]): string => numbers.map((n) => `${n}\n`).join('');
    const up = Array.from({ length: 1200 }, (_, i) => i);
    expect(unifiedDiff('/etc/a', text(up), text(up.toReversed()))).toContain('too different to list: 1200 lines');
  });

  it('leads from the one text to the other', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '', 'd d'), { maxLength: 30 }).map((l) => l.join('\n'));
    const property = fc.property(text, text, (before, after) => {
      fc.pre(before !== after);
      expect(applyPatch(before, unifiedDiff('/etc/a', before, after))).toBe(after);
    });
    fc.assert(property);
  });
});
