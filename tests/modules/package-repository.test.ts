import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { entriesOf, enabledAddresses, isBelow, readerOf } from '../../engine/modules/package-repository/text.js';

const URL_ = 'https://p.example.com/4.x';
const OTHERS = [
  'http://deb.example.org/debian',
  'https://p.example.com/4.xy/apt',
  'https://p.example.com.evil.org/4.x',
];
const word = fc.stringMatching(/^[a-z]{1,8}$/);
const comment = fc.constantFrom('', '#', '# ', '##  ');
const address = fc.constantFrom(`${URL_}/apt/`, URL_, ...OTHERS);

const aptLine = fc
  .tuple(comment, fc.constantFrom('', ' [signed-by=/k arch=amd64]'), address, word)
  .map(([c, options, url, suite]) => `${c}deb${options} ${url} ${suite} main`);
const prose = fc
  .tuple(fc.constantFrom('# ', '#'), fc.array(word, { minLength: 1, maxLength: 6 }))
  .map(([c, words]) => `${c}deb ${words.join(' ')}`);
const listFile = fc.array(fc.oneof(aptLine, prose, fc.constant('')), { maxLength: 12 });

const repoSection = fc
  .tuple(word, address, fc.constantFrom('0', '1'))
  .map(([name, url, enabled]) => `[${name}]\nname=${name}\nbaseurl=${url}\nenabled=${enabled}\ngpgcheck=1`);
const repoFile = fc.array(repoSection, { maxLength: 6 }).map((sections) => sections.join('\n').split('\n'));

const stanza = fc
  .tuple(address, word, fc.constantFrom([], ['Enabled: no'], ['Enabled: yes']))
  .map(([url, suite, enabled]) => ['Types: deb', `URIs: ${url}`, `Suites: ${suite}`, ...enabled, ''].join('\n'));
const sourcesFile = fc.array(stanza, { maxLength: 6 }).map((stanzas) => stanzas.join('\n').split('\n'));

const FILES = [
  ['/a.list', listFile],
  ['/a.repo', repoFile],
  ['/a.sources', sourcesFile],
] as const;

function switched(path: string, lines: readonly string[], enabled: boolean): readonly string[] {
  const own = entriesOf(readerOf(path)(lines), URL_);
  return own.toReversed().reduce<readonly string[]>((now, entry) => entry.set(now, enabled), lines);
}
/** Every other entry of the file, and whether it is enabled. */
const others = (path: string, lines: readonly string[]): readonly unknown[] =>
  readerOf(path)(lines).flatMap(({ urls, isEnabled }) =>
    urls.some((url) => isBelow(url, URL_)) ? [] : [[urls, isEnabled]],
  );

test.each(FILES)('%s: what is switched on or off is the named repository alone, and twice is once', (path, file) => {
  fc.assert(
    fc.property(file, fc.boolean(), (lines, enabled) => {
      const after = switched(path, lines, enabled);
      expect(others(path, after)).toEqual(others(path, lines));
      const own = entriesOf(readerOf(path)(after), URL_);
      expect(own).toHaveLength(entriesOf(readerOf(path)(lines), URL_).length);
      expect(own.filter(({ isEnabled }) => isEnabled !== enabled)).toEqual([]);
      expect(enabledAddresses(after.join('\n'), path, URL_)).toEqual(enabled ? own.flatMap(({ urls }) => urls) : []);
      expect(switched(path, after, enabled)).toEqual(after);
    }),
  );
});

test('prose of a list is never touched', () => {
  fc.assert(
    fc.property(fc.array(prose, { maxLength: 10 }), fc.boolean(), (lines, enabled) => {
      expect(switched('/a.list', lines, enabled)).toEqual(lines);
    }),
  );
});

test.each([
  ['https://p.example.com/4.x/apt', true],
  ['http://P.EXAMPLE.COM/4.x', true],
  ['mirror+https://p.example.com/4.x/', true],
  ['https://user:pass@p.example.com/4.x/yum/$basearch', true],
  ['https://p.example.com:8443/4.x', false],
  ['https://p.example.com/4.xy', false],
  ['https://p.example.com.evil.org/4.x', false],
  ['cdrom:[Debian]/', false],
  ['packages', false],
])('%s is of that repository: %s', (found, is) => {
  expect(isBelow(found, URL_)).toBe(is);
});
