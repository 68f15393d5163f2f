import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Scope } from '../../engine/expressions/at.js';
import { checkCondition } from '../../engine/expressions/check.js';
import { decode } from '../../engine/expressions/decode.js';
import { environmentOf, type Names } from '../../engine/expressions/environment.js';
import { evaluate } from '../../engine/expressions/evaluate.js';
import { parseExpression } from '../../engine/expressions/parse.js';
import { Quantity } from '../../engine/expressions/quantity.js';
import { Version } from '../../engine/expressions/value.js';
import type { Json } from '../../engine/terms/json.js';

test.each<readonly [string, Json, unknown]>([
  ['string', 'a', 'a'],
  ['string', 5, '5'],
  ['string', true, 'true'],
  ['int', 5, 5],
  ['int', '5', 5],
  ['int', ' -7 ', -7],
  ['double', '1.5', 1.5],
  ['bool', 'true', true],
  ['bool', false, false],
  ['Version', '4.12.0-1', new Version('4.12.0-1')],
  ['Version', 'v4.12.0', new Version('v4.12.0')],
  ['Version', '', new Version(null)],
  ['Version', null, new Version(null)],
  ['Duration', '1h30m', new Quantity('Duration', '1h30m', 5_400_000)],
  ['Size', '3GB', new Quantity('Size', '3GB', 3e9)],
  ['Size', '', new Quantity('Size', '', null)],
  ['Count', '10%', '10%'],
  ['Count', '5', 5],
  ['list<string>', ['a', 5], ['a', '5']],
  ['list<int>', ['1', 2], [1, 2]],
  ['dyn', { a: 1 }, { a: 1 }],
])('as %s %j is read', (type, json, value) => {
  expect(decode(type, json)).toEqual({ value });
});

test.each<readonly [string, Json, string]>([
  ['string', null, 'is null, not text'],
  ['string', ['a'], 'is ["a"], not text'],
  ['int', 'abc', 'is "abc", not a number'],
  ['int', '', 'is "", not a number'],
  ['int', '1e5', 'is "1e5", not a number'],
  ['int', '0x10', 'is "0x10", not a number'],
  ['int', '99999999999999999999', 'is "99999999999999999999", not a number'],
  ['int', true, 'is true, not a number'],
  ['bool', 'yes', 'is "yes", not true or false'],
  ['bool', 1, 'is 1, not true or false'],
  ['Version', 'latest', 'is "latest", not a version'],
  ['Version', 4.9, 'is 4.9, not a version'],
  ['Duration', '20 minutes', 'is "20 minutes", not a duration'],
  ['Duration', 20, 'is 20, not a duration'],
  ['list<string>', 'a', 'is "a", not a list'],
  ['list<string>', [['a']], 'is a list of 1 element, not a list'],
  ['Secret', { $secret: 'x' }, 'is a map of 1 key, not a secret'],
])('as %s %j is a mistake', (type, json, mistake) => {
  expect(decode(type, json)).toEqual({ mistake });
});

test('what is read as a type is of that type, and is read again as itself', () => {
  const fits: Readonly<Record<string, (value: unknown) => boolean>> = {
    string: (value) => typeof value === 'string',
    int: Number.isFinite,
    bool: (value) => typeof value === 'boolean',
    Version: (value) => value instanceof Version,
    Duration: (value) => value instanceof Quantity && value.type === 'Duration',
    'list<string>': (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  };
  const written = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('5', '-1.5', 'true', '10m', '4.12.0-1', '', 'abc'),
    fc.array(fc.string()),
  );
  let read = 0;
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(fits)), written, (type, json) => {
      const decoded = decode(type, json as Json);
      if ('mistake' in decoded) return;
      read += 1;
      expect(fits[type]?.(decoded.value)).toBe(true);
      if (!(decoded.value instanceof Version || decoded.value instanceof Quantity))
        expect(decode(type, decoded.value as Json)).toEqual(decoded);
    }),
    { numRuns: 2_000 },
  );
  expect(read).toBeGreaterThan(200);
});

const TYPES = {
  s: 'string',
  i: 'int',
  v: 'Version',
  d: 'Duration',
  z: 'Size',
  c: 'Count',
  l: 'list<string>',
  b: 'bool',
};
const NAMES: Names = { roots: { x: TYPES, y: TYPES }, host: { name: 'string' }, hostLists: [] };
const env = environmentOf(NAMES);
const valueOf = {
  s: fc.string({ maxLength: 4 }),
  i: fc.integer({ min: -9, max: 9 }),
  v: fc.constantFrom(null, '4.12.0-1', '4.14.7'),
  d: fc.constantFrom('', '10m', '1h'),
  z: fc.constantFrom('', '3GB', '10MB'),
  c: fc.constantFrom(5, '10%'),
  l: fc.array(fc.constantFrom('a', 'b')),
  b: fc.boolean(),
};
const values = fc.record({ x: fc.record(valueOf), y: fc.record(valueOf) });
const operand = fc.oneof(
  fc.tuple(fc.constantFrom('x', 'y'), fc.constantFrom(...Object.keys(TYPES))).map((path) => path.join('.')),
  fc.constantFrom(
    '"4.13"',
    '"10m"',
    '"5GB"',
    '"a"',
    '""',
    '3',
    '1.5',
    'true',
    '["a"]',
    '[]',
    'size(x.l)',
    'string(x.v)',
  ),
);
const comparison = fc
  .tuple(operand, fc.constantFrom('==', '!=', '<', '<=', '>', '>=', 'in', '+', '-'), operand)
  .map(([a, op, b]) => (op === '+' || op === '-' ? `${a} ${op} ${b} == ${b}` : `${a} ${op} ${b}`));
const condition = fc.oneof(
  comparison,
  fc.tuple(comparison, comparison).map(([a, b]) => `x.l.exists(e, ${a} || e + ${b})`),
  operand,
);

/** The names of one evaluation. */
const scopeOf = (all: Readonly<Record<string, Readonly<Record<string, Json>>>>): Scope => ({
  get: ([root = '', key = '']) => {
    const value = all[root]?.[key];
    return value === undefined ? 'missing' : { known: true, value };
  },
  hosts: () => undefined,
  check: () => undefined,
  typeOf: ([, key = '']) => (Object.hasOwn(TYPES, key) ? TYPES[key as keyof typeof TYPES] : 'dyn'),
});

test('a condition that passes the check is true or false for all values of the declared types, and never a mistake of the run', () => {
  let passed = 0;
  fc.assert(
    fc.property(condition, values, (text, all) => {
      if (checkCondition(text, env, NAMES).length > 0) return;
      const parsed = parseExpression(text);
      if (!parsed.ok) throw new Error(text);
      passed += 1;
      const { is, because } = evaluate(parsed.ast, scopeOf(all));
      // Not every text is a version or a duration, and nothing is added to an absent version: that shows only then.
      const ofText =
        /\.s|\be\b|string\(|\+/.test(text) && /cannot be compared|have no order|calculated with/.test(because);
      if (ofText) return;
      expect([text, is, because]).toEqual([text, expect.any(Boolean), because]);
    }),
    { numRuns: 5_000 },
  );
  expect(passed).toBeGreaterThan(300);
});
