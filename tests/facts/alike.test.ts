import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { alike } from '../../engine/facts/alike.js';
import type { Json } from '../../engine/terms/json.js';

const answered = (json: Json, text: string): Json => ({ is: 'answered', status: 200, json, text });
const data = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.array(fc.boolean())), { minKeys: 1 });

test('an answer in JSON is as predicted whatever white space its text has, and not with another value', () => {
  fc.assert(
    fc.property(data, fc.constantFrom('', ' ', '\t', '    '), (json, space) => {
      const predicted = answered(json, JSON.stringify(json));
      expect(alike(predicted, answered(json, `${JSON.stringify(json, null, space)}\n`))).toBe(true);
      const other = { ...json, [Object.keys(json)[0] ?? '']: null };
      expect(alike(predicted, answered(other, JSON.stringify(other)))).toBe(false);
    }),
  );
});

test('a text that is no JSON is compared as it is', () => {
  expect(alike(answered(null, 'green '), answered(null, 'green'))).toBe(false);
});

test('of a unit, whether its file is to be read again is the work of its package: it is not predicted', () => {
  const unit = { load: 'loaded', active: 'inactive', startedAtMs: null, needsReload: false };
  expect(alike(unit, { ...unit, needsReload: true })).toBe(true);
  expect(alike(unit, { ...unit, needsReload: true, active: 'active' })).toBe(false);
});
