import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hostPattern } from '../../engine/ansible/host-pattern.js';
import { readIni } from '../../engine/ansible/ini.js';
import { jumpFrom } from '../../engine/ansible/jump.js';
import { nothingWritten } from '../../engine/ansible/types.js';
import { shellWords } from '../../engine/ansible/words.js';

/** A word as a careful person writes it for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const doubled = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

describe('words', () => {
  test('a quoted word is itself again, whatever it holds', () => {
    const words = fc.array(fc.tuple(fc.string(), fc.boolean()));
    fc.assert(
      fc.property(words, (list) => {
        const line = list.map(([text, single]) => (single ? quoted(text) : doubled(text))).join(' ');
        expect(shellWords(line)).toEqual(list.map(([text]) => text));
      }),
    );
  });

  test.each([
    ['a  b\t"c d" # e', ['a', 'b', 'c d']],
    [String.raw`a\ b'c'"d"`, ['a bcd']],
    ['a#b', ['a']],
    ['"" x', ['', 'x']],
    ['"a', undefined],
  ])('%s', (line, words) => expect(shellWords(line)).toEqual(words));
});

describe('ranges', () => {
  test('have as many names as they say, all different, of one width where it begins with 0', () => {
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.nat(500),
        fc.nat(300),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 4 }),
        (from, more, step, width) => {
          const [first, last] = [from, from + more].map((n) => String(n).padStart(width, '0'));
          const got = hostPattern(`web[${first}:${last}:${step}]x`);
          if ('mistake' in got) {
            expect(first?.length).not.toBe(last?.length);
            return;
          }
          accepted += 1;
          expect(new Set(got.names).size).toBe(Math.floor(more / step) + 1);
          expect(got.names[0]).toBe(`web${first}x`);
        },
      ),
    );
    expect(accepted).toBeGreaterThan(50);
  });

  test.each([
    ['a[1:2][x:y]', ['a1x', 'a1y', 'a2x', 'a2y'], undefined],
    ['h:2222', ['h'], 2222],
    ['[::1]:22', ['::1'], 22],
    ['fe80::1', ['fe80::1'], undefined],
    ['w[1:2]:2200', ['w1', 'w2'], 2200],
    ['n[:2]', ['n0', 'n1', 'n2'], undefined],
  ])('%s', (text, names, port) =>
    expect(hostPattern(text)).toEqual({ names, ...(port === undefined ? {} : { port }) }),
  );

  test('a range of a million hosts is refused, not made', () => {
    expect(hostPattern('a[1:1000000]')).toHaveProperty('mistake');
    expect(hostPattern('a[1:10001]')).toEqual({ mistake: 'range [1:10001] names more than 10000 hosts' });
    expect(hostPattern('a[1:10000]')).toHaveProperty('names.length', 10_000);
    expect(hostPattern('a[1:999][1:999]')).toHaveProperty('mistake');
  });
});

describe('INI', () => {
  test('variables of a host are read as they were quoted', () => {
    const key = fc.stringMatching(/^[a-z_]{1,8}$/);
    // A text that is a Python literal is no text.
    const value = fc.string().filter((text) => /^[^\s\d'"+-]/.test(text) && !/\s$|^(?:True|False)\b/.test(text));
    let hosts = 0;
    fc.assert(
      fc.property(fc.dictionary(key, value), (vars) => {
        const written = nothingWritten();
        readIni(
          'hosts',
          `[g]\nh ${Object.entries(vars)
            .map(([k, v]) => `${k}=${quoted(v)}`)
            .join(' ')}\n`,
          written,
        );
        expect(written.mistakes).toEqual([]);
        expect({ ...written.hosts.get('h') }).toEqual({ ...vars });
        hosts += Object.keys(vars).length;
      }),
    );
    expect(hosts).toBeGreaterThan(50);
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        readIni('hosts', text, nothingWritten());
      }),
    );
  });
});

describe('jump hosts', () => {
  test.each([
    ['-J ops@b:22,c', ['ops@b:22', 'c']],
    ['-o ProxyJump=b -o X=y', ['b']],
    ['-oProxyJump=b', ['b']],
    ['-o "ProxyJump b"', ['b']],
    ['-o ProxyCommand="ssh -W %h:%p -q -i ~/.ssh/k -p 2222 ops@b"', ['ops@b:2222']],
    ["-o ProxyCommand='exec /usr/bin/ssh -l ops -W [%h]:%p b'", ['ops@b']],
    ['-o ProxyJump=none', undefined],
    ['-o StrictHostKeyChecking=no', undefined],
  ])('%s', (args, jump) => expect(jumpFrom(args)).toEqual(jump));

  test.each(["-o ProxyCommand='ssh b nc %h %p'", '-o ProxyCommand="nc %h %p"'])('%s is refused', (args) => {
    expect(jumpFrom(args)).toHaveProperty('mistake');
  });
});
