import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { leavesMissing, leavesOf, valueAt, withLeaves } from '../../engine/modules/shared/json-state.js';
import type { Json, JsonObject } from '../../engine/terms/json.js';

/** Settings as a server answers them: sections of nested names. No name is the beginning of another, as for real settings. */
const name = fc
  .tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('x', 'y'), fc.constantFrom('one', 'two', 'three'))
  .map((parts) => parts.join('.'));
const value = fc.oneof(fc.string(), fc.integer(), fc.boolean());
const settings = fc.dictionary(name, value, { maxKeys: 8 });
const section = 'persistent';

const nested = (flat: Readonly<Record<string, Json>>): Json =>
  withLeaves(
    { [section]: {} },
    Object.entries(flat).map(([key, v]) => ({ name: `${section}.${key}`, value: v })),
    false,
  );
const flat = (of: Readonly<Record<string, Json>>): Json => ({ [section]: { ...of } });

/** Names and values, in whatever form they stand. */
const meaning = (json: Json): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    leavesOf(json).flatMap((leaf): [string, Json][] => (leaf.name === section ? [] : [[leaf.name, leaf.value]])),
  );

describe('settings, nested or flat', () => {
  test('mean the same in both forms', () => {
    fc.assert(fc.property(settings, (s) => expect(meaning(nested(s))).toEqual(meaning(flat(s)))));
  });

  test('lack nothing once what was missing is set, and nothing else differs', () => {
    fc.assert(
      fc.property(settings, settings, fc.boolean(), (before, wanted, isFlat) => {
        const found = isFlat ? flat(before) : nested(before);
        const after = withLeaves(found, leavesMissing(flat(wanted), found), isFlat);
        expect(leavesMissing(flat(wanted), after)).toEqual([]);
        const untouched = Object.entries(meaning(found)).filter(
          ([key]) => !Object.hasOwn(wanted, key.slice(section.length + 1)),
        );
        for (const [key, v] of untouched) expect(valueAt(after, key)).toEqual(v);
      }),
    );
  });
});

test('a secret is one value, not a map of its own', () => {
  const wanted: JsonObject = { user: 'admin', password: { $secret: 'indexer' } };
  expect(leavesOf(wanted)).toEqual([
    { name: 'user', value: 'admin' },
    { name: 'password', value: { $secret: 'indexer' } },
  ]);
});

test('what becomes empty goes, but never a section', () => {
  const found = { persistent: { cluster: { routing: { enable: 'all' } } }, transient: {} };
  expect(withLeaves(found, [{ name: 'persistent.cluster.routing.enable', value: null }], false)).toEqual({
    persistent: {},
    transient: {},
  });
});
