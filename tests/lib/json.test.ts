import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  jsonOrUndefined,
  type JsonLike,
  MOST_LEVELS,
  MOST_VALUES,
  pointer,
  stableStringify,
  subsetOf,
  whyNoJson,
} from '../../engine/lib/json.js';
import { sha256 } from '../../engine/lib/hash.js';

const json = fc.jsonValue({ maxDepth: 3 }).map((v) => JSON.parse(JSON.stringify(v)) as JsonLike);

/** The same value with the keys of each object in the other order. */
const turned = (v: JsonLike): JsonLike =>
  Array.isArray(v)
    ? (v as readonly JsonLike[]).map(turned)
    : typeof v === 'object' && v !== null
      ? Object.fromEntries(
          Object.entries(v)
            .reverse()
            .map(([k, x]) => [k, turned(x)]),
        )
      : v;

describe('stableStringify', () => {
  it('does not depend on the order of keys, and reads back', () => {
    const property = fc.property(json, (value) => {
      expect(stableStringify(turned(value))).toBe(stableStringify(value));
      expect(JSON.parse(stableStringify(value))).toEqual(value);
    });
    fc.assert(property);
  });
});

describe('pointer', () => {
  const value = { a: { 'b/c': [10, { '': 'empty' }], 'm~n': 1 }, list: ['x'] };
  it.each<readonly [string, unknown]>([
    ['', value],
    ['/a/b~1c/0', 10],
    ['/a/b~1c/1/', 'empty'],
    ['/a/m~0n', 1],
    ['/list/01', undefined],
    ['/list/-', undefined],
    ['/list/length', undefined],
    ['/a/constructor', undefined],
    ['/__proto__', undefined],
    ['/list/0/0', undefined],
    ['a', undefined],
  ])('%p', (path, expected) => {
    expect(pointer(value, path)).toEqual(expected);
  });

  it('reaches each member of any object', () => {
    const property = fc.property(fc.dictionary(fc.string(), json), (object) => {
      for (const [key, member] of Object.entries(object)) {
        expect(pointer(object, `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)).toBe(member);
      }
    });
    fc.assert(property);
  });
});

describe('subsetOf', () => {
  it.each<readonly [string, JsonLike, JsonLike | undefined, boolean]>([
    ['fewer keys', { a: 1 }, { a: 1, b: 2 }, true],
    ['a missing key', { a: 1, b: 2 }, { a: 1 }, false],
    ['numbers returned as text', { shards: 1, on: true }, { shards: '1', on: 'true' }, true],
    ['another value', { a: 'primaries' }, { a: 'all' }, false],
    ['a setting to take away, gone', { a: null }, {}, true],
    ['a setting to take away, still there', { a: null }, { a: 'x' }, false],
    ['a list', [{ a: 1 }], [{ a: 1, b: 2 }], true],
    ['a longer list', [1], [1, 2], false],
    ['text for an object', { a: {} }, { a: 'x' }, false],
    ['inherited members', { toString: 'x' }, {}, false],
    ['nothing', 'x', undefined, false],
  ])('%s', (_name, wanted, found, expected) => {
    expect(subsetOf(wanted, found)).toBe(expected);
  });

  it('every value holds itself, and an object holds each part of it', () => {
    const property = fc.property(fc.dictionary(fc.string(), json), fc.nat(), (object, n) => {
      expect(subsetOf(object, object)).toBe(true);
      const entries = Object.entries(object);
      expect(subsetOf(Object.fromEntries(entries.filter((_, i) => (n >> (i % 30)) % 2 === 0)), object)).toBe(true);
    });
    fc.assert(property);
  });
});

describe('sha256', () => {
  it('hashes a text as its UTF-8 bytes', () => {
    expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256('é')).toBe(sha256(new Uint8Array([0xc3, 0xa9])));
  });
});

describe('jsonOrUndefined', () => {
  const nested = (levels: number): string => `${'['.repeat(levels)}"${'['.repeat(1000)}\\"{"${']'.repeat(levels)}`;
  it('reads a text to so many levels, and not one more; brackets within texts are none', () => {
    expect(jsonOrUndefined(nested(MOST_LEVELS))).toBeDefined();
    expect(jsonOrUndefined(nested(MOST_LEVELS + 1))).toBeUndefined();
  });
  it('finds as undefined what is nested without an end', () => {
    expect(jsonOrUndefined('[{"a":'.repeat(100_000))).toBeUndefined();
    expect(jsonOrUndefined(nested(100_000))).toBeUndefined();
  });
  it('reads what it read before: lists beside one another are no levels', () => {
    const property = fc.property(json, (value) => {
      expect(jsonOrUndefined(JSON.stringify(Array(400).fill(value)))).toEqual(Array(400).fill(value));
    });
    fc.assert(property, { numRuns: 20 });
  });
});

describe('JSON of too many values', () => {
  it.each([
    ['a list', `[${'0,'.repeat(MOST_VALUES)}0]`, true],
    ['as many as are read', `[${'0,'.repeat(MOST_VALUES - 2)}0]`, false],
    ['their marks within a text', JSON.stringify('[{,'.repeat(MOST_VALUES)), false],
  ])('%s', (_, text, isTooMany) => {
    expect(jsonOrUndefined(text) === undefined).toBe(isTooMany);
    expect(whyNoJson(text, 'is no JSON')).toBe(
      isTooMany ? 'has more than 5000000 values, the most that are read' : 'is no JSON',
    );
  });
});
