import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import fc from 'fast-check';
import { quote, quoteOne } from '../../engine/lib/quote.js';
import { anyText, sampled } from './sampled.js';

/** Each shell once, though it may have several names. */
const shells = [
  ...new Set(
    ['/bin/sh', '/bin/dash', '/bin/bash'].filter((path) => existsSync(path)).map((path) => realpathSync(path)),
  ),
];

/** What a shell takes the text for: one NUL-ended word after the other. Many lists go to one shell, parted by a marker. */
function readBack(shell: string, lists: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const script = lists.map((argv) => `printf '%s\\0' ${quote(argv)} ''; printf '%s\\0' END-OF-LIST`).join('\n');
  const words = execFileSync(shell, { input: script, maxBuffer: 1 << 26, env: { LC_ALL: 'C' } })
    .toString('utf8')
    .split('\0');
  const found: string[][] = [[]];
  for (const word of words.slice(0, -1)) {
    if (word === 'END-OF-LIST') found.push([]);
    else found.at(-1)?.push(word);
  }
  return found.slice(0, -1).map((list) => list.slice(0, -1));
}

const awkward = fc.oneof(
  anyText(12),
  fc.string({ unit: fc.constantFrom(...'\'"\\$`!*?[]{}()<>|&;#~=%^ \t\n\r-aZ0é€'.split('')), maxLength: 12 }),
  fc.constantFrom(
    '',
    ' ',
    "'",
    "''",
    '-n',
    '--',
    '~root',
    '$(id)',
    '`id`',
    'a=b',
    'if',
    '{',
    '!',
    '#x',
    '\\',
    '\\n',
    '*',
  ),
);
// A lone surrogate has no UTF-8, so it is no argument either.
const argument = awkward.map((text) => Buffer.from(text.replaceAll('\0', ''), 'utf8').toString('utf8'));

describe('quote', () => {
  it.each(shells)('is read back by %s as it was', (shell) => {
    const property = fc.property(
      fc.array(fc.array(argument, { minLength: 1, maxLength: 4 }), { minLength: 20, maxLength: 40 }),
      (lists) => {
        expect(readBack(shell, lists)).toEqual(lists);
      },
    );
    fc.assert(property, { numRuns: sampled(50) });
  });

  it.each(shells)('lets %s run a program of any name', (shell) => {
    for (const name of ['if', 'while', '!', '{', 'a=b', '~', '[[', 'time', 'function']) {
      const out = execFileSync(shell, { input: `PATH=; ${quote([name])} 2>/dev/null; printf %s "$?"` }).toString();
      // 126 and 127 mean that it looked for a program, instead of taking the word for syntax.
      expect([name, ['126', '127'].includes(out)]).toEqual([name, true]);
    }
  });

  it('leaves plain words as people write them', () => {
    expect(quote(['apt-get', '-y', 'install', 'platform-indexer:amd64', '/etc/a_b.conf'])).toBe(
      'apt-get -y install platform-indexer:amd64 /etc/a_b.conf',
    );
    expect(quoteOne("it's")).toBe(String.raw`'it'\''s'`);
    expect(quoteOne('')).toBe("''");
  });

  it('throws at a NUL: that is a bug of the caller', () => {
    expect(() => quoteOne('a\0b')).toThrow('NUL');
  });
});
