import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { createRedactor } from '../../engine/lib/redact.js';
import { quoteOne } from '../../engine/lib/quote.js';

const value = String.raw`pä ss"w/o\rd&<'+%`;
const redact = createRedactor(new Map([['api', value]]));
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('createRedactor', () => {
  it.each<readonly [string, string]>([
    ['itself', value],
    ['base64', base64(value)],
    ['base64 for URLs', Buffer.from(value).toString('base64url')],
    ['a Basic header', base64(`admin:${value}`)],
    ['a Basic header of another length', base64(`ops:${value}`)],
    ['a Basic header of a third length', base64(`oper:${value}`)],
    ['base64 with an end', base64(`${value}\n`)],
    ['a URL', encodeURIComponent(value)],
    ['a form', new URLSearchParams({ p: value }).toString().slice(2)],
    ['JSON', JSON.stringify(value)],
    ['JSON in JSON', JSON.stringify(JSON.stringify(value))],
    ['JSON in ASCII', JSON.stringify(value).replace('ä', '\\u00e4')],
    ['XML', value.replace('&', '&amp;').replace('<', '&lt;')],
    [
      'JSON with escaped characters of HTML',
      JSON.stringify(value).replaceAll('&', '\\u0026').replaceAll('<', '\\u003C'),
    ],
    ['JSON four levels deep', [1, 2, 3, 4].reduce((text) => JSON.stringify(text), value)],
    [
      'a URL that leaves what a path may hold',
      encodeURIComponent(value).replace(/%(?:24|26|27|28|29)/g, decodeURIComponent),
    ],
    ['a URL in lower case', encodeURIComponent(value).toLowerCase()],
    ['a URL in a URL', encodeURIComponent(encodeURIComponent(value))],
    ['a URL of latin1', value.replace('ä', '%E4').replaceAll(' ', '+')],
    ['HTML', value.replace('&', '&#38;').replace("'", '&#x27;').replace('<', '&lt;').replace('"', '&quot;')],
    ['HTML in HTML', value.replace('&', '&amp;amp;').replace('<', '&amp;lt;')],
    ['a shell word', quoteOne(value)],
    ['a shell word in double quotes', `"${value.replace(/[$`"\\]/g, '\\$&')}"`],
    ['printf %q', execFileSync('bash', ['-c', 'printf %q "$V"'], { env: { V: value, LC_ALL: 'C.UTF-8' } }).toString()],
    [
      'printf %q of bytes',
      execFileSync('bash', ['-c', 'printf %q "$V"'], { env: { V: value, LC_ALL: 'C' } }).toString(),
    ],
    ['hex', Buffer.from(value).toString('hex')],
    ['hex of latin1 in capitals', Buffer.from(value, 'latin1').toString('hex').toUpperCase()],
    ['base64 of latin1', Buffer.from(value, 'latin1').toString('base64')],
    ['base64 in a URL', encodeURIComponent(base64(`admin:${value}`))],
    [
      'hex between colons',
      Buffer.from(value)
        .toString('hex')
        .replace(/..(?=.)/g, '$&:'),
    ],
    [
      'hex as xxd prints it',
      Buffer.from(value)
        .toString('hex')
        .replace(/.{4}(?=.)/g, '$& '),
    ],
    [
      'hex as C writes it',
      Array.from(Buffer.from(value), (b) => `0x${b.toString(16)}`)
        .join(', ')
        .slice(2),
    ],
    [
      'hex in lines',
      Buffer.from(value)
        .toString('hex')
        .replace(/.{6}(?=.)/g, '$&\n'),
    ],
    ['base64 of UTF-16', Buffer.from(value, 'utf16le').toString('base64')],
    ['base64 of UTF-16 with the high byte first', Buffer.from(value, 'utf16le').swap16().toString('base64')],
    ['hex of UTF-16', Buffer.from(value, 'utf16le').toString('hex')],
    [
      'hex of UTF-16 between spaces, up to its last zero',
      Buffer.from(value, 'utf16le')
        .subarray(0, -1)
        .toString('hex')
        .replace(/..(?=.)/g, '$& '),
    ],
    ...['_', '\t'].map((by): readonly [string, string] => [
      `hex between ${JSON.stringify(by)}`,
      Buffer.from(value)
        .toString('hex')
        .replace(/..(?=.)/g, `$&${by}`),
    ]),
    ['itself, broken by a line end', `${value.slice(0, 5)}\n${value.slice(5)}`],
    [
      'a URL, broken by a line end of Windows',
      `${encodeURIComponent(value).slice(0, 7)}\r\n${encodeURIComponent(value).slice(7)}`,
    ],
    ['base64 in lines of 4', base64(value).replace(/.{4}(?=.)/g, '$&\n')],
    ['base64 in lines', `${base64(value).slice(0, 8)}\n${base64(value).slice(8)}`],
    ['decomposed characters', value.normalize('NFD')],
    ['decomposed UTF-8 read as latin1', Buffer.from(value.normalize('NFD')).toString('latin1')],
    ['a URL of decomposed characters', encodeURIComponent(value.normalize('NFD'))],
    ['UTF-8 read as latin1', Buffer.from(value).toString('latin1')],
    ['latin1 read as UTF-8', Buffer.from(value, 'latin1').toString('utf8')],
  ])('takes the value out of %s', (_form, text) => {
    const shown = redact(`before ${text} after`);
    expect(shown).toContain('{{secret.api}}');
    expect(
      shown
        .replaceAll('{{secret.api}}', '')
        .replace(/^before \$?["'\\]*/, '')
        .replace(/["'\\]* after$/, ''),
    ).toBe('');
  });

  it.each([
    [
      'a key of many lines',
      `-----BEGIN KEY-----\n${`${'MIIEvQIBADANBgkqhkiG9w0'.repeat(3)}\n`.repeat(60)}-----END KEY-----\n`,
    ],
    ['a token of many characters', 'aB3$+/='.repeat(2000)],
    ['a phrase of many characters beyond ASCII', 'süß-'.repeat(100)],
  ])('takes out %s, whole, read as latin1, in JSON and in base64', (_what, long) => {
    const hide = createRedactor(new Map([['key', long]]));
    for (const text of [
      long,
      Buffer.from(long).toString('latin1'),
      JSON.stringify(long),
      JSON.stringify(JSON.stringify(long)),
      base64(long),
      base64(long).replace(/.{76}(?=.)/g, '$&\n'),
      base64(`user:${long}`),
    ])
      expect(hide(`before ${text} after`)).toMatch(/^before ["\\]*\{\{secret\.key\}\}[="\\]* after$/);
  });

  it('takes out a value with a run of backslashes, and is not led astray by a text of them', () => {
    const hide = createRedactor(new Map([['key', String.raw`a\\\\\b`]]));
    expect(hide(`x ${String.raw`a\\\\\b`} y`)).toBe('x {{secret.key}} y');
    const text = `a${'\\'.repeat(100)} `.repeat(50);
    expect(hide(text)).toBe(text);
  });

  it('takes out a character that has a canonical form of its own', () => {
    const hide = createRedactor(new Map([['key', '\u212bngstrom']]));
    for (const text of ['\u212bngstrom', Buffer.from('\u212bngstrom').toString('latin1')])
      expect(hide(`x ${text} y`)).toBe('x {{secret.key}} y');
  });

  it('finds a value that a line end breaks, where a shorter one would be found by chance', () => {
    const hide = createRedactor(
      new Map([
        ['pin', '1234'],
        ['key', 'k1-k2-k3'],
      ]),
    );
    expect(hide('1\n2\n12\n34 k1-\nk2-k3 k1-\nk2-\nk3 k1-k2-k3 1234')).toBe(
      '1\n2\n12\n34 {{secret.key}} k1-\nk2-\nk3 {{secret.key}} {{secret.pin}}',
    );
  });

  it('takes nothing out of logs in which the value does not stand', () => {
    const logs = ['CHANGELOG.md', 'docs/roadmap.md', 'docs/reference.md', 'package-lock.json'].map((file) =>
      readFileSync(file, 'utf8'),
    );
    const values = Array.from(
      { length: 40 },
      (_, i) =>
        [
          `s${i}`,
          createHash('sha256')
            .update(`${i}`)
            .digest('base64')
            .slice(0, 8 + i / 2),
        ] as const,
    );
    const hide = createRedactor(new Map(values));
    for (const log of logs) expect(hide(log)).toBe(log);
  });

  it('leaves everything else', () => {
    expect(redact('GET /_cluster/health 200')).toBe('GET /_cluster/health 200');
    expect(createRedactor(new Map())('anything')).toBe('anything');
  });

  it('takes a key of several lines out line by line', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\n-----END KEY-----\n';
    expect(createRedactor(new Map([['key', key]]))('error near MIIEvQIBADANBgkqhkiG')).toBe(
      'error near {{secret.key}}',
    );
  });

  it('takes a line of a long value out that was read as latin1', () => {
    const [line, more] = ['müller-p4ß-q9-x7', 'another long line\n'.repeat(20)];
    const hide = createRedactor(new Map([['key', `${line}\n${more}`]]));
    expect(hide(`near ${Buffer.from(line).toString('latin1')}.`)).toBe('near {{secret.key}}.');
  });

  it('never lets a value through, whatever is around it and whichever values overlap', () => {
    const secret = fc.string({ unit: fc.constantFrom(...'abc$/ "é\\'.split('')), minLength: 4, maxLength: 8 });
    const piece = fc.string({ unit: fc.constantFrom(...'abc$/ "é\\'.split('')), maxLength: 6 });
    const property = fc.property(
      fc.array(secret, { minLength: 1, maxLength: 3 }),
      fc.array(piece, { maxLength: 4 }),
      fc.nat(7),
      (secrets, pieces, how) => {
        const values = new Map(secrets.map((s, i) => [`s${i}`, s]));
        const encode =
          [(s: string) => s, base64, encodeURIComponent, (s: string) => JSON.stringify(s)][how % 4] ?? String;
        const text = pieces.map((p, i) => p + encode(secrets[i % secrets.length] ?? '')).join('');
        const left = createRedactor(values)(text).split(/(?:\{\{secret\.s\d\}\})+/);
        for (const s of secrets) for (const part of left) expect(part).not.toContain(s);
        if (pieces.length > 0) expect(left.length).toBeGreaterThan(1);
      },
    );
    fc.assert(property, { numRuns: 500 });
  });

  it('agrees with the base64 of the system', () => {
    const encoded = execFileSync('base64', ['-w0'], { input: `user:${value}` }).toString();
    expect(redact(`Authorization: Basic ${encoded}`)).toBe('Authorization: Basic {{secret.api}}');
  });
});
