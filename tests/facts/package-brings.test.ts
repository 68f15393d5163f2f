import { describe, expect, test } from '@jest/globals';
import { readBrought } from '../../engine/facts/package-brought.js';
import { packageBrings } from '../../engine/facts/package-brings.js';
import { md5, sha256 } from '../../engine/lib/hash.js';

const P = '/etc/c';
const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');
const found = (text: string): string => `found ${sha256(text)} ${md5(text)} ${P}`;
const taken = (text: string | Buffer, status = '0'): string =>
  `text ${P} ${base64(Buffer.concat([Buffer.from(text), Buffer.from(`|${status}`)]))}`;
const dpkg = (...lines: string[]) => readBrought({ manager: 'dpkg', name: 'n', lines }, P);
const rpm = (...lines: string[]) => readBrought({ manager: 'rpm', name: 'n', lines }, P);
const row = (text: string, flags: number, { digest = sha256(text), algorithm = '8', mode = '100640' } = {}): string =>
  `${P}|${digest}|${algorithm}|${flags}|root|adm|${mode}|${text.length}`;

describe('what a staged .deb brings to a path', () => {
  test('a configuration file: its new default, byte by byte, and what the installed version recorded', () => {
    expect(dpkg(`was ${P} ${md5('A')}`, `conffile ${P}`, found('A'), taken('a | b\n'))).toMatchObject({
      next: { sha256: sha256('a | b\n'), content: { text: 'a | b\n' }, config: 'kept', sizeBytes: 6 },
      was: 'config',
      untouched: true,
      sameDefault: false,
      found: sha256('A'),
    });
  });

  test('nothing, and a file of the installed version', () => {
    expect(dpkg(`listed ${P}`, found('A'), taken('tar: ./etc/c: Not found in archive\n', '2'))).toMatchObject({
      next: null,
      was: 'file',
    });
  });

  test.each([
    ['an obsolete one', [`was ${P} ${md5('A')} obsolete`, found('A'), taken('B')]],
    ['one that the new version takes away', [`conffile remove-on-upgrade ${P}`, taken('', '2')]],
    ['a link', [`other ${P}`, `conffile ${P}`, taken('B')]],
    ['an archive that ends too soon', [`conffile ${P}`, taken('tar: Unexpected EOF in archive\n', '2')]],
    ['one that is too large', [`conffile ${P}`, `text ${P} ${base64(Buffer.alloc(1_048_592, '|'))}`]],
    ['one that was not extracted', [`conffile ${P}`, `text ${P} `]],
  ])('%s is not judged', (_, lines) => expect(dpkg(...lines)).toBeUndefined());

  test.each([
    ['a script of either version writes it', `script ${base64(`echo x >>${P}\n`)}`],
    ['another package waits for it', 'woken /etc'],
    ['another package put its own in its place', `woken ${P}`],
  ])('the result is unknown where %s', (_, line) =>
    expect(dpkg(`conffile ${P}`, found('A'), taken('B'), line)).toMatchObject({
      // Its default is known all the same: options are merged by it.
      next: { content: { text: 'B' } },
      scripts: { is: 'content' },
    }),
  );
});

describe('what a staged .rpm brings to a path', () => {
  test('one that stays when it was changed, with owner and mode', () => {
    expect(rpm(`next ${row('B', 17)}`, `was ${row('A', 17)}`, found('M'), taken('B'))).toMatchObject({
      next: { config: 'kept', content: { text: 'B' }, as: { owner: 'root', group: 'adm', mode: '0640' } },
      was: 'config',
      untouched: false,
    });
  });

  test('one that is replaced; what was taken out and is not what the header says does not count', () => {
    expect(rpm(`next ${row('B', 1)}`, taken('half of B'))).toMatchObject({
      next: { config: 'replaced', sha256: sha256('B'), content: null },
      was: 'nothing',
      found: null,
    });
  });

  test('an older one, whose digests are MD5', () => {
    const old = { algorithm: '(none)' };
    const lines = [
      `next ${row('B', 17, { ...old, digest: md5('B') })}`,
      `was ${row('A', 17, { ...old, digest: md5('A') })}`,
    ];
    expect(rpm(...lines, found('A'), taken('B'))).toMatchObject({ next: { sha256: sha256('B') }, untouched: true });
    expect(rpm(...lines, found('A'), taken(''))).toBeUndefined();
  });

  test.each([
    ['a link', [`next ${row('', 0, { mode: '120777' })}`]],
    ['a ghost', [`next ${row('', 65)}`]],
    ['one that may be missing', [`next ${row('B', 25)}`]],
    [
      'digests of two kinds',
      [`next ${row('B', 17)}`, `was ${row('A', 17, { digest: md5('A'), algorithm: '(none)' })}`],
    ],
  ])('%s is not judged', (_, lines) => expect(rpm(...lines, found('A'), taken('B'))).toBeUndefined());
});

test('a path that cannot be judged is left out', () => {
  const key = packageBrings.key({ name: 'n', file: '/f', paths: [P, '/etc/d'] });
  const stdout = ['dpkg', `conffile ${P}`, found('A'), taken('B'), 'other /etc/d', ''].join('\n');
  expect(packageBrings.parse({ exit: 0, stdout }, key)).toEqual({
    is: 'value',
    value: { manager: 'dpkg', paths: { [P]: expect.anything() } },
  });
});
