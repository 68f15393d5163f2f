import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatDiagnostics } from '../../engine/language/diagnostic-text.js';

const at = (column: number, length = 3) => ({ file: 'a.yaml', line: 1, column, length, message: 'is wrong' });
const show = (text: string, column: number, length?: number): string[] =>
  formatDiagnostics([at(column, length)], [{ file: 'a.yaml', text }]).split('\n');

describe('mistakes as text', () => {
  test('the caret stands under what is wrong, with what to do', () => {
    const text = formatDiagnostics(
      [{ ...at(4), hint: 'did you mean "bar"?', spec: '9.4' }],
      [{ file: 'a.yaml', text: 'a: baz\nb: 1' }],
    );
    expect(text).toBe(
      'a.yaml:1:4  is wrong  (§9.4)\n    1 | a: baz\n      |    ^^^  did you mean "bar"?\n1 mistake in 1 file. Nothing was contacted.',
    );
  });

  test('on a line of any length it stands under the same text', () => {
    fc.assert(
      fc.property(fc.nat(3000), fc.nat(3000), (before, after) => {
        const lines = show(`${'x'.repeat(before)}ABC${'y'.repeat(after)}`, before + 1);
        expect(lines[1]?.length).toBeLessThanOrEqual(175);
        expect(lines[1]?.slice(lines[2]?.indexOf('^'), (lines[2]?.lastIndexOf('^') ?? 0) + 1)).toBe('ABC');
      }),
    );
  });

  test('a character of two halves is one wide', () => {
    expect(show('\u{1F600}: bad', 5)[2]).toBe('      |    ^^^');
  });

  test('what would move the cursor of a terminal is shown as a dot, a tab as an arrow', () => {
    expect(show('\u001b[2J\tbad\u202e', 6)[1]).toBe('    1 | ·[2J→bad·');
    expect(formatDiagnostics([{ ...at(1), message: 'there is no "\u001b[31m"' }])).toContain('there is no "·[31m"');
  });

  test.each([
    'password: hunter2',
    'x: { become_password: "hunter2", y: 1 }',
    "passphrase: 'hunter2' # old",
    '"password": hunter2 hunter2',
    'password: "a\\"hunter2"',
    "password: 'it''s hunter2'",
    'argv: [curl, -u, "ops:hunter2", x]',
    'url: https://ops:hunter2@host/',
    `${'x'.repeat(200)} password: hunter2`,
  ])('a password is not shown: %s', (line) => {
    expect(show(line, 1).join('\n')).not.toContain('hunter2');
  });

  test('a reference to one is', () => {
    expect(show('password: "{{secret.api}}"', 1)[1]).toContain('{{secret.api}}');
  });

  test('a file whose text is gone has its mistake told all the same', () => {
    expect(
      formatDiagnostics([{ ...at(1), hint: 'look elsewhere' }])
        .split('\n')
        .slice(0, 2),
    ).toEqual(['a.yaml:1:1  is wrong', '       look elsewhere']);
  });

  test('of very many, the first are shown and the rest counted', () => {
    const lines = formatDiagnostics(
      Array.from({ length: 250 }, (_, i) => ({ ...at(1), line: i + 1, file: i % 2 === 0 ? 'a' : 'b' })),
    ).split('\n');
    expect(lines.slice(-2)).toEqual(['… and 50 more', '250 mistakes in 2 files. Nothing was contacted.']);
  });
});
