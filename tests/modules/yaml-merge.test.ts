import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'yaml';
import { mergeYaml, type WantedYaml } from '../../engine/modules/yaml-merge/merge.js';
import { flatten } from '../../engine/modules/shared/yaml-tree.js';
import { isObject, type Json, type JsonObject } from '../../engine/terms/json.js';
import { sampled } from '../lib/sampled.js';

const key = fc.constantFrom('a', 'b', 'c', 'server', 'ssl.key', 'a.b', '"q"', "'s'");
const scalar = fc.constantFrom(
  '1',
  'true',
  'x y',
  '"1: #2"',
  "'it''s'",
  'https://h:9200',
  '~',
  '',
  '[1, "b"]',
  '{d: 1, e.f: 2}',
  '[]',
  '{}',
  'yes',
  '2001-01-01',
  '|\n      one\n      two',
  '>-\n      folded',
);
const comment = fc.constantFrom('', ' # why', '  # a: 1');
const between = fc.constantFrom('', '\n', '# b: 2\n', '    # deep\n');

/** A map in lines at this indentation, with comments and blank lines between its keys. */
const block = (indent: string, depth: number): fc.Arbitrary<string> =>
  fc
    .uniqueArray(
      fc.tuple(
        key,
        depth === 0
          ? scalar
          : fc.oneof(
              scalar,
              scalar,
              block(`${indent}  `, depth - 1).map((b) => `\n${b}`),
              fc.constant(`\n${indent}- p\n${indent}- q`),
            ),
        comment,
        between,
      ),
      {
        selector: ([k]) => k,
        minLength: 1,
        maxLength: 4,
      },
    )
    .map((items) =>
      items
        .map(
          ([k, v, c, b]) =>
            `${indent}${k}:${v.startsWith('\n') ? c + v.replace(/\n$/, '') : v.startsWith('|') || v.startsWith('>') || v === '' ? ` ${v}` : ` ${v}${c}`}\n${b}`,
        )
        .join(''),
    );
const document = fc
  .tuple(fc.constantFrom('', '# head\n', '---\n'), block('', 2), fc.constantFrom('', '# tail', '# tail\n', '...\n'))
  .map((p) => p.join(''));

const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json[]>('yes', 'x', 'a: b', '#', '0x1', ' lead', 'multi\nline', 'é', '- d'),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string(), { maxLength: 3 }),
);
const set: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.constantFrom('a', 'b', 'server.ssl.key', 'server', 'a.b', 'new.key', 'c.server'),
  fc.oneof(leaf, fc.dictionary(fc.constantFrom('x', 'y'), leaf, { minKeys: 1, maxKeys: 2 })),
  { minKeys: 1, maxKeys: 3 },
);
const wanted: fc.Arbitrary<WantedYaml> = fc.record({
  set,
  remove: fc.uniqueArray(fc.constantFrom('a', 'b', 'server.ssl', 'c.a'), { maxLength: 2 }),
  onlyMissing: fc.boolean(),
});

const leavesOf = (text: string): ReadonlyMap<string, Json> => {
  const json = parse(text) as Json;
  return isObject(json) ? flatten(json) : new Map<string, Json>();
};

describe('mergeYaml', () => {
  test('says what is wanted, keeps what else it said, and twice is once', () => {
    let merged = 0;
    fc.assert(
      fc.property(document, wanted, (text, w) => {
        const once = mergeYaml(text, w);
        if (once.is === 'wrong') return;
        merged += 1;
        const [was, after] = [leavesOf(text), leavesOf(once.text)];
        const gone = (name: string): boolean => w.remove.some((r) => name === r || name.startsWith(`${r}.`));
        for (const [name, v] of flatten(w.set))
          expect([name, after.get(name)]).toEqual([
            name,
            w.onlyMissing && was.has(name) && !gone(name) ? was.get(name) : v,
          ]);
        for (const [name, v] of was)
          if (!gone(name) && ![...flatten(w.set).keys()].some((n) => n === name || n.startsWith(`${name}.`)))
            expect([name, after.get(name)]).toEqual([name, v]);
        const again = mergeYaml(once.text, {
          ...w,
          remove: w.remove.filter((r) => ![...flatten(w.set).keys()].some((n) => n === r || n.startsWith(`${r}.`))),
        });
        expect(again).toEqual({ is: 'text', text: once.text, notes: [] });
      }),
      { numRuns: sampled(1500) },
    );
    expect(merged).toBeGreaterThan(sampled(1500) / 5);
  });

  test('a new key takes no line away, and what only adds is refused nowhere else', () => {
    fc.assert(
      fc.property(document, leaf, (text, value) => {
        const merged = mergeYaml(text, { set: { 'fresh.key': value }, remove: [], onlyMissing: false });
        if (merged.is === 'wrong') return;
        const lines = merged.text.split('\n');
        for (const line of text.split('\n').filter((l) => l !== '')) expect(lines).toContain(line);
        expect(lines.length).toBeLessThanOrEqual(text.split('\n').length + (text.endsWith('\n') ? 1 : 2));
      }),
      { numRuns: sampled(800) },
    );
  });

  test('what is altered alters its own line alone', () => {
    fc.assert(
      fc.property(document, fc.constantFrom('one', 2, false), (text, value) => {
        const flat = text.endsWith('\n') ? text : `${text}\n`;
        fc.pre(!flat.includes('...\n'));
        const whole = `${flat}zz.top: old # kept\n# last\n`;
        const merged = mergeYaml(whole, { set: { 'zz.top': value }, remove: [], onlyMissing: false });
        if (merged.is === 'text') expect(merged.text).toBe(`${flat}zz.top: ${String(value)} # kept\n# last\n`);
      }),
      { numRuns: sampled(500) },
    );
  });

  test('any text at all is merged or refused, never broken', () => {
    fc.assert(
      fc.property(
        fc
          .array(
            fc.constantFrom(
              'a',
              ':',
              ' ',
              '\n',
              '- ',
              '{',
              '}',
              '[',
              ']',
              '"',
              "'",
              '#',
              '&x',
              '*x',
              '!!t ',
              '|',
              '>',
              '?',
              '---\n',
              '...\n',
              '\t',
              ',',
              '%',
              '<<: ',
              '\r\n',
            ),
            { maxLength: 25 },
          )
          .map((p) => p.join('')),
        (text) => {
          const w: WantedYaml = { set: { a: 1, 'k.l': 'x' }, remove: ['z'], onlyMissing: false };
          const merged = mergeYaml(text, w);
          if (merged.is === 'text') expect(mergeYaml(merged.text, w)).toMatchObject({ text: merged.text, notes: [] });
        },
      ),
      { numRuns: sampled(3000) },
    );
  });
});
