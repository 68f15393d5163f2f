import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stringify } from 'yaml';
import type { Json } from '../../engine/terms/json.js';
import { leaves } from '../../engine/language/values.js';
import { parseYaml } from '../../engine/language/yaml/source.js';
import { sampled } from '../lib/sampled.js';

const names = { file: 'a.yaml', absolute: '/a.yaml' };
const mistakesOf = async (text: string): Promise<readonly string[]> =>
  (await parseYaml(names, text)).diagnostics.map((d) => `${d.line}:${d.column} ${d.message}`);

const key = fc.string({ minLength: 1, maxLength: 8 }).filter((k) => k !== '__proto__');
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(key, tie('json'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

describe('YAML as data with places', () => {
  test('what was written is what is read', async () => {
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        const { source, diagnostics } = await parseYaml(names, stringify(value));
        expect(diagnostics).toEqual([]);
        expect(source?.json).toEqual(value);
      }),
    );
  });

  test('any text gives data or mistakes with places inside it, and no throw', async () => {
    const pieces = fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '\t',
      '- ',
      '? ',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '&x ',
      '*x',
      '#',
      '|',
      '>',
      '!!',
      '{{',
      '}}',
      ',',
      '---\n',
      '\u{1F600}',
      '\r\n',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 40 }), async (parts) => {
        const text = parts.join('');
        const { source, diagnostics } = await parseYaml(names, text);
        expect(source !== undefined || diagnostics.length > 0).toBe(true);
        const lines = text.split('\n');
        for (const d of diagnostics) {
          expect(d.line).toBeLessThanOrEqual(lines.length);
          expect(d.column).toBeGreaterThanOrEqual(1);
          expect(d.column).toBeLessThanOrEqual((lines[d.line - 1]?.length ?? 0) + 1);
          expect(d.length).toBeGreaterThanOrEqual(1);
        }
      }),
      { numRuns: sampled(400) },
    );
  });

  test('every leaf is found where it is written', async () => {
    const word = fc.stringMatching(/^w[a-z]{3,8}$/);
    const tree = fc.dictionary(
      word,
      fc.dictionary(word, fc.array(word, { minLength: 1, maxLength: 3 }), { minKeys: 1, maxKeys: 3 }),
      { minKeys: 1, maxKeys: 3 },
    );
    await fc.assert(
      fc.asyncProperty(tree, fc.boolean(), async (value, flow) => {
        const text = stringify(value, { collectionStyle: flow ? 'flow' : 'block', lineWidth: 0 });
        const { source } = await parseYaml(names, text);
        for (const leaf of leaves(value)) {
          const place = source?.place(leaf.path, 'value');
          const line = text.split('\n')[(place?.line ?? 0) - 1] ?? '';
          expect(line.slice((place?.column ?? 0) - 1, (place?.column ?? 0) - 1 + (place?.length ?? 0))).toBe(leaf.text);
        }
      }),
    );
  });

  test('what an alias stands for is where it is written; the last anchor before it counts', async () => {
    const { source } = await parseYaml(names, 'a: &x {k: one}\nb: *x\nc: &x {k: two}\nd: *x\n');
    expect(source?.json).toEqual({ a: { k: 'one' }, b: { k: 'one' }, c: { k: 'two' }, d: { k: 'two' } });
    expect(source?.place(['b', 'k'], 'value')).toEqual({ line: 1, column: 11, length: 3 });
    expect(source?.place(['d', 'k'], 'value')).toEqual({ line: 3, column: 11, length: 3 });
  });

  test('a place that does not exist is its nearest holder', async () => {
    const { source } = await parseYaml(names, 'a:\n  b: {c: 1}\n');
    expect(source?.place(['a', 'b', 'x', 'y'], 'value')).toMatchObject({ line: 2 });
    expect(source?.place([], 'value')).toMatchObject({ line: 1, column: 1 });
  });

  test.each([
    ['a key twice', 'a: 1\nb: 2\na: 3\n', ['3:1 the key "a" stands here a second time']],
    ['a key twice in an alias', 'a: &x {k: 1, k: 2}\nb: *x\n', ['1:14 the key "k" stands here a second time']],
    ['a tab', 'a:\n\tb: 1\n', ['2:1 a tab indents this line']],
    ['a tab after spaces', 'a:\n  b: 1\n \tc: 1\n', ['3:2 a tab indents this line']],
    ['an unquoted template', 'a: {{b}}\n', ['1:5 a template needs quotes around it']],
    ['two documents', 'a: 1\n---\nb: 1\n', ['2:1 a file holds one document only']],
    ['no colon', 'a:\n  b 1\n  c: 2\n', [expect.stringMatching(/^2:3 is not YAML: Implicit keys/)]],
    ['no colon at the top', 'a\nb: 1\nc:\n  d: 1\n', [expect.stringMatching(/^1:1 is not YAML/)]],
    [
      'no space after a colon',
      'a:\n  b:{ c: 1, d: 2 }\ne:\n  f: 3\ng: 4\n',
      [expect.stringMatching(/^2:10 is not YAML/)],
    ],
    ['a line too far left', 'a:\n  - b: 1\n   c: 2\n    d: 3\n    e: 4\n', [expect.stringMatching(/^3:1 is not YAML/)]],
    ['an open quote', 'a: "b\nc: 1\nd: 2\n', ['1:4 this quote is not closed']],
    ['an open single quote', "a: 'b\nc: 1\n", ['1:4 this quote is not closed']],
    ['an open bracket', 'a: [1, 2\nb: 1\nc: 2\n', [expect.stringMatching(/^2:1 is not YAML/)]],
    [
      'two unquoted templates',
      'a: {{b}}\nc: {{d}}\n',
      [expect.stringMatching(/^1:5 /), expect.stringMatching(/^2:5 /)],
    ],
    ['an alias of nothing', 'a: *b\n', ['1:4 is an alias of nothing written before it']],
    ['an alias of itself', 'a: &b [1, *b]\n', ['1:11 is an alias that contains itself']],
    ['a prototype', 'a: { __proto__: { x: 1 } }\n', ['1:6 a key may not be called "__proto__"']],
    ['no number', 'a: .inf\n', ['1:4 is no number that can be written down']],
  ])('%s', async (_name, text, expected) => {
    expect(await mistakesOf(text)).toEqual(expected);
  });

  test('a sound file stays a file when a key stands twice: other mistakes are still found', async () => {
    expect((await parseYaml(names, 'a: 1\na: 2\n')).source?.json).toEqual({ a: 1 });
  });
});

describe('limits', () => {
  test.each([
    ['64 levels are read', 64, []],
    ['65 are not', 65, ['1:65 is nested more than 64 levels deep']],
    [
      'nor are many, which end the parser',
      9_000,
      [expect.stringMatching(/^1:\d+ is nested more than 64 levels deep$/)],
    ],
    ['nor are so many that the parser is not asked', 500_000, ['1:65 is nested more than 64 levels deep']],
  ])('%s', async (_name, depth, expected) => {
    const closed = depth < 100 ? ']'.repeat(depth) : '';
    const found = await mistakesOf('['.repeat(depth) + closed);
    expect(found.slice(0, 1)).toEqual(expected);
  });

  test('dashes nest as well', async () => {
    expect(await mistakesOf('- '.repeat(20_000))).toEqual(['1:129 is nested more than 64 levels deep']);
  });

  test('aliases that multiply are stopped, and said once', async () => {
    const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 12; i += 1)
      lines.push(`a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(',')}]`);
    expect(await mistakesOf(lines.join('\n'))).toEqual([
      expect.stringMatching(/aliases make this file grow past 100000 values$/),
    ]);
  });

  test('sixty thousand keys are read in linear time', async () => {
    const text = Array.from({ length: 60_000 }, (_, i) => `key${i}: v`).join('\n');
    expect(Object.keys(((await parseYaml(names, text)).source?.json ?? {}) as object)).toHaveLength(60_000);
  });
});
