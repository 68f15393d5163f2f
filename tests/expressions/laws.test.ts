import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Scope } from '../../engine/expressions/at.js';
import { evaluate } from '../../engine/expressions/evaluate.js';
import { parseExpression } from '../../engine/expressions/parse.js';
import { compareVersions } from '../../engine/lib/version.js';

type Three = true | false | 'unknown' | 'wrong';
const NAMES = ['a', 'b', 'c'] as const;

const scopeOf = (values: Readonly<Record<string, Three>>): Scope => ({
  get: ([name = '']) => {
    const value = values[name];
    if (value === undefined || value === 'wrong') return 'missing';
    return value === 'unknown'
      ? { known: false, because: `${name} is not known`, dependsOn: [] }
      : { known: true, value };
  },
  hosts: () => undefined,
  check: () => undefined,
  typeOf: () => 'dyn',
});

function answer(text: string, values: Readonly<Record<string, Three>>): Three {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.mistake.reason}`);
  const truth = evaluate(parsed.ast, scopeOf(values));
  return truth.is === 'unknown' && truth.never === true ? 'wrong' : truth.is;
}

const expression = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...NAMES),
    fc.tuple(tie('any'), fc.constantFrom('&&', '||'), tie('any')).map(([x, op, y]) => `(${x} ${op} ${y})`),
    tie('any').map((x) => `!(${x})`),
    fc.tuple(tie('any'), tie('any'), tie('any')).map(([x, y, z]) => `(${x} ? ${y} : ${z})`),
  ),
})).any;
const values = (...of: Three[]): fc.Arbitrary<Record<'a' | 'b' | 'c', Three>> =>
  fc.record({ a: fc.constantFrom(...of), b: fc.constantFrom(...of), c: fc.constantFrom(...of) });

test('an answer that is given while something is unknown stays, whatever that turns out to be', () => {
  let decided = 0;
  fc.assert(
    fc.property(expression, values(true, false, 'unknown'), values(true, false), (text, now, later) => {
      const before = answer(text, now);
      if (before === 'unknown') return;
      decided += 1;
      const full = Object.fromEntries(NAMES.map((name) => [name, now[name] === 'unknown' ? later[name] : now[name]]));
      expect(answer(text, full)).toBe(before);
    }),
    { numRuns: 1000 },
  );
  expect(decided).toBeGreaterThan(300);
});

test('the order of operands never matters', () => {
  const any = values(true, false, 'unknown', 'wrong');
  fc.assert(
    fc.property(expression, expression, fc.constantFrom('&&', '||'), any, (x, y, op, now) => {
      expect(answer(`(${x}) ${op} (${y})`, now)).toBe(answer(`(${y}) ${op} (${x})`, now));
    }),
    { numRuns: 1000 },
  );
});

const release = fc
  .array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('.'));
const version = fc
  .tuple(release, fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }))
  .map(([text, revision]) => (revision === undefined ? text : `${text}-${revision}`));

test('versions: the order has no direction of its own, and zeros at the end do not count', () => {
  fc.assert(
    fc.property(version, version, (a, b) => {
      expect(compareVersions(a, b)).toBe(-(compareVersions(b, a) ?? Number.NaN) + 0);
    }),
  );
  fc.assert(fc.property(release, (a) => expect(compareVersions(a, `${a}.0`)).toBe(0)));
});

test('versions: of releases that differ no revision counts; of equal ones it counts where both have one', () => {
  fc.assert(
    fc.property(release, release, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), (a, b, m, n) => {
      const releases = compareVersions(a, b);
      expect(compareVersions(`${a}-${m}`, `${b}-${n}`)).toBe(releases === 0 ? Math.sign(m - n) : releases);
      expect(compareVersions(`${a}-${m}`, b)).toBe(releases);
    }),
  );
});

test.each([
  ['4.12.9', '4.13', -1],
  ['4.13.0', '4.13', 0],
  ['4.13.1', '4.13', 1],
  ['4.14.7-rc1', '4.14.7', -1],
  ['v4.14.7', '4.14.7-1', 0],
  ['1:4.14.7-1', '4.14.7-2', -1],
  ['2.9.0', '2.16.0', -1],
  ['nothing', '4.13', undefined],
])('version %s against %s: %s', (a, b, order) => {
  expect(compareVersions(a, b)).toBe(order);
});
