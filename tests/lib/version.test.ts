import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { compareByPrefix, compareDeb, compareVersions, isRelease } from '../../engine/lib/version.js';
import { sampled } from './sampled.js';

const pairs: readonly (readonly [string, string, number])[] = [
  ['4.12.0-1', '4.14.7-1', -1],
  ['4.9.0-1', '4.14.0-1', -1],
  ['7.10.2-1', '7.10.2-2', -1],
  ['7.10.2', '7.10.2-1', -1],
  ['7.10.2', '7.10.2-0', 0],
  ['1.0~rc1-1', '1.0-1', -1],
  ['1.0~~', '1.0~', -1],
  ['1.0~~a', '1.0~', -1],
  ['1.0a', '1.0+', -1],
  ['1.0a', '1.0', 1],
  ['1:1.0-1', '2.0-1', 1],
  ['0:1.0', '1.0', 0],
  ['1.010', '1.10', 0],
  ['1.0-1-2', '1.0-1-10', -1],
  ['1.0+dfsg', '1.0.1', -1],
  ['9999999999999999999999', '10000000000000000000000', -1],
  ['1.2.3', '1.2.3a~', -1],
  ['2.0.b', '2.0.10', 1],
];

/** What dpkg says of each pair. One shell asks it for all of them: starting a shell takes longer than comparing. */
function asDpkg(asked: readonly (readonly [string, string])[]): readonly number[] {
  const script = `while read -r a b; do
  if dpkg --compare-versions "$a" lt "$b"; then echo -1; elif dpkg --compare-versions "$a" eq "$b"; then echo 0; else echo 1; fi
done`;
  const input = asked.map((pair) => `${pair.join(' ')}\n`).join('');
  const said = execFileSync('sh', ['-c', script], { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] });
  return said.trim().split('\n').map(Number);
}

const dpkgIsHere = (() => {
  try {
    execFileSync('dpkg', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

const version = fc.stringMatching(/^(?:[0-9]:)?[0-9][0-9a-c.+~]{0,6}(?:-[0-9a-c+~]{1,3})?$/);

describe('compareDeb', () => {
  it.each(pairs)('%s against %s is %i', (a, b, expected) => {
    expect(compareDeb(a, b)).toBe(expected);
    expect(compareDeb(b, a)).toBe(expected === 0 ? 0 : -expected);
  });

  (dpkgIsHere ? it : it.skip)('agrees with dpkg itself, on the table and on made-up versions', () => {
    expect(asDpkg(pairs.map(([a, b]) => [a, b]))).toEqual(pairs.map(([, , expected]) => expected));
    const property = fc.property(fc.array(fc.tuple(version, version), { minLength: 10, maxLength: 20 }), (madeUp) => {
      expect(madeUp.map(([a, b]) => [a, b, compareDeb(a, b)])).toEqual(
        asDpkg(madeUp).map((said, i) => [...(madeUp[i] ?? []), said]),
      );
    });
    fc.assert(property, { numRuns: sampled(50) });
  });

  it('is a total order', () => {
    const property = fc.property(version, version, version, (a, b, c) => {
      expect(compareDeb(a, a)).toBe(0);
      expect(compareDeb(a, b) + compareDeb(b, a)).toBe(0);
      const [low, middle, high] = [a, b, c].sort(compareDeb) as [string, string, string];
      expect(compareDeb(low, middle)).toBeLessThanOrEqual(0);
      expect(compareDeb(low, high)).toBeLessThanOrEqual(0);
    });
    fc.assert(property, { numRuns: sampled(1000) });
  });
});

describe('compareByPrefix', () => {
  it.each<readonly [string, string, number | undefined]>([
    ['4.12.9', '4.12', 0],
    ['4.12.9', '4.12.0', 1],
    ['4.9.1', '4.14', -1],
    ['4.14.7-1', '4.14.7', 0],
    ['4.14.7-2', '4.14.7-1', 1],
    ['4.14.7-1', '4.14.7-1', 0],
    ['v4.12.0', '4.12.0', 0],
    ['Wazuh v4.12.0', '4.12', 0],
    ['Wazuh v4.12.0', 'v4.14.7', -1],
    ['4.12', '4.12.0', 0],
    ['4', '4.12', -1],
    ['1:4.12.0-1', '4.12.0', 0],
    ['1:4.12.0-1', '0:4.12.0', 1],
    ['4.14.0~rc1-1', '4.14.0', -1],
    ['v4.14.7-rc1', '4.14.7', -1],
    ['4.14.7rc1', '4.14.7', -1],
    ['4.14.7-rc1-1', '4.14.7', -1],
    ['4.14.7-rc2', '4.14.7-rc1', 1],
    ['4.14.7', '4.14.7-rc1', 1],
    ['4.14.7-1', '4.14.7', 0],
    ['4.14.0~rc1-1', '4.14', 0],
    ['10.0', '9', 1],
    ['', '4.12', undefined],
    ['never connected', '4.12', undefined],
    ['4.12', 'the target', undefined],
  ])('%p against %p is %p', (found, operand, expected) => {
    expect(compareByPrefix(found, operand)).toBe(expected);
  });

  it('says 0 for every longer version of a prefix, and agrees with the order of packages on whole versions', () => {
    const numbers = fc.array(fc.nat(20), { minLength: 1, maxLength: 4 });
    const property = fc.property(numbers, numbers, fc.array(fc.nat(20), { maxLength: 2 }), (a, b, more) => {
      expect(compareByPrefix([...a, ...more].join('.'), a.join('.'))).toBe(0);
      const [x, y] = [[...a, 0, 0, 0].slice(0, 4).join('.'), [...b, 0, 0, 0].slice(0, 4).join('.')];
      expect(compareByPrefix(x, y)).toBe(compareDeb(x, y));
    });
    fc.assert(property);
  });
});

describe('isRelease', () => {
  it.each([
    ['15', undefined, true],
    ['15.9', undefined, true],
    ['4.14.7', undefined, true],
    ['1.2.3.4', undefined, true],
    ['1.2.3.4.5', undefined, false],
    ['15.', undefined, false],
    ['v15.9', undefined, false],
    ['4.14', '4.14.7', false],
    ['4.14.7.1', '4.14.7', false],
    ['4.14.8-rc1', '4.14.7', true],
    ['15.20', '15.18', true],
  ])('%s, like %s: %s', (text, like, is) => {
    expect(isRelease(text, like)).toBe(is);
  });

  it('is compared by number', () => {
    expect([compareVersions('15.9', '15.20'), compareByPrefix('15.20-1', '15.9')]).toEqual([-1, 1]);
  });
});
