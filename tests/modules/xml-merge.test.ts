import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import type { XmlChildren } from '../../engine/modules/xml-merge/layout.js';
import { mergeXml, type WantedElement } from '../../engine/modules/xml-merge/merge.js';
import { readXml } from '../../engine/modules/shared/xml-tree.js';
import { sampled } from '../lib/sampled.js';

const name = fc.constantFrom('a', 'b', 'list', 'ruleset', 'indexer', 'hosts');
const value = fc.constantFrom('yes', 'no', 'etc/lists/x', 'https://h:9200', 'é & co', '60m', '');
const comment = fc.constantFrom('<!-- x -- y -->', '<!-- <ruleset> & -->', '<!---->');
const filler = fc.constantFrom('', '\n', '\n  ', '\r\n\t', ' ', '\n\n    ');
const loose = fc.constantFrom('', 'a & b', '&amp;', '<![CDATA[<x> ]]]>', '?');

/** Elements as people write them: on one line or many, self-closing, with comments, attributes and bare `&`. */
const { element } = fc.letrec<{ element: string }>((tie) => ({
  element: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(name, filler).map(([n, f]) => `<${n}${f}/>`),
    fc
      .tuple(name, filler, value, loose, filler)
      .map(([n, f, v, l, g]) => `<${n} k="a>b" d='/'>${f}${v}${l}${g}</${n} >`),
    fc
      .tuple(name, fc.array(fc.tuple(filler, fc.oneof(tie('element'), comment)), { maxLength: 5 }), filler)
      .map(([n, parts, end]) => `<${n}>${parts.flat().join('')}${end}</${n}>`),
  ),
}));
const root = fc
  .tuple(
    fc.constantFrom('r', 'r', 'q'),
    fc.array(fc.tuple(filler, fc.oneof(element, comment)), { maxLength: 6 }),
    filler,
  )
  .map(([n, parts, end]) => `<${n}>${parts.flat().join('')}${end}</${n}>`);
const document = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom('', '\n', '\n\n', '<!-- - -- -->\n'), root), { maxLength: 3 }),
    fc.constantFrom('', '\n', '\r\n'),
  )
  .map(([roots, end]) => roots.flat().join('') + end);

const children: fc.Arbitrary<XmlChildren> = fc.dictionary(
  name,
  fc.oneof(
    value,
    fc.array(value, { minLength: 1, maxLength: 3 }),
    fc.dictionary(name, value, { minKeys: 1, maxKeys: 2 }),
  ),
  { minKeys: 1, maxKeys: 3 },
);
const wanted: fc.Arbitrary<WantedElement> = fc.record(
  {
    element: name,
    children,
    lists: fc.constantFrom({}, { list: 'add_missing' as const, a: 'add_missing' as const }),
    only_missing: fc.boolean(),
    several: fc.constantFrom('refuse' as const, 'last' as const),
  },
  { requiredKeys: ['element', 'children'] },
);

/** Lines of `text` in their order, as far as `of` has them in the same order. */
const keepsOrder = (text: string, of: string): boolean => {
  let at = 0;
  for (const c of of) if (at < text.length && text[at] === c) at += 1;
  return at === text.length;
};

describe('mergeXml', () => {
  test('twice is once, and the result can be read', () => {
    let merged = 0;
    fc.assert(
      fc.property(document, wanted, (text, item) => {
        const once = mergeXml(text, 'r', { set: [item], remove: [] });
        if (once.is === 'wrong') return;
        merged += 1;
        expect(readXml(once.text).is).toBe('roots');
        expect(mergeXml(once.text, 'r', { set: [item], remove: [] })).toEqual({
          is: 'text',
          text: once.text,
          notes: [],
        });
      }),
      { numRuns: sampled(1500) },
    );
    expect(merged).toBeGreaterThan(sampled(1500) / 5);
  });

  test('what only adds takes no byte away', () => {
    fc.assert(
      fc.property(
        document,
        fc.array(
          value.filter((v) => v !== ''),
          { minLength: 1, maxLength: 3 },
        ),
        (text, values) => {
          // An element without an inside has to be opened, which alters its own two bytes and no other.
          fc.pre(!/\/>/.test(text));
          const merged = mergeXml(text, 'r', {
            set: [{ element: 'ruleset', children: { list: values }, lists: { list: 'add_missing' } }],
            remove: [],
          });
          if (merged.is === 'text') expect(keepsOrder(text, merged.text)).toBe(true);
        },
      ),
      { numRuns: sampled(800) },
    );
  });

  test('an element added and taken out again leaves the bytes that were there', () => {
    fc.assert(
      fc.property(document, (text) => {
        fc.pre(/^<r>\n[^<]*<\w/.test(text));
        const added = mergeXml(text, 'r', { set: [{ element: 'new', children: { x: '1' } }], remove: [] });
        if (added.is === 'wrong') return;
        const back = mergeXml(added.text, 'r', { set: [], remove: ['new'] });
        expect(back.is === 'text' && back.text.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
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
              '<',
              '>',
              '/',
              'r',
              'a',
              ' ',
              '"',
              '!--',
              '-->',
              '&',
              '<r>',
              '</r>',
              '<a/>',
              ']]>',
              '<![CDATA[',
              '<?x',
              '?>',
              '\n',
            ),
            { maxLength: 30 },
          )
          .map((p) => p.join('')),
        (text) => {
          const merged = mergeXml(text, 'r', { set: [{ element: 'a', children: { x: '1' } }], remove: [] });
          if (merged.is === 'text')
            expect(
              mergeXml(merged.text, 'r', { set: [{ element: 'a', children: { x: '1' } }], remove: [] }),
            ).toMatchObject({ text: merged.text });
        },
      ),
      { numRuns: sampled(3000) },
    );
  });

  test("the manager's configuration gets its lists, and every other byte stays", () => {
    const lists = ['etc/lists/malicious-ioc-md5', 'etc/lists/malicious-ioc-sha1', 'etc/lists/malicious-ioc-sha256'];
    const text = readFileSync(
      new URL('../lab/packages/platform-manager/platform.conf', import.meta.url),
      'utf8',
    ).replace('@IOC_LISTS@', '');
    const merged = mergeXml(text, 'platform_config', {
      set: [{ element: 'ruleset', children: { list: lists }, lists: { list: 'add_missing' } }],
      remove: [],
    });
    const before = '    <list>etc/lists/security-eventchannel</list>\n';
    expect(merged).toEqual({
      is: 'text',
      text: text.replace(before, before + lists.map((l) => `    <list>${l}</list>\n`).join('')),
      notes: ['<ruleset>: + 3 list'],
    });
  });
});
