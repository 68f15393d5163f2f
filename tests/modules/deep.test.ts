import { expect, test } from '@jest/globals';
import { mergeYaml } from '../../engine/modules/yaml-merge/merge.js';
import { readXml } from '../../engine/modules/shared/xml-tree.js';

/* Files of a host whose levels would take the stack of whoever goes through them. */

const block = (levels: number): string => Array.from({ length: levels }, (_, i) => `${' '.repeat(i)}k:\n`).join('');
const flow = (levels: number): string => `a: ${'['.repeat(levels)}${']'.repeat(levels)}\n`;
const merged = (text: string) => mergeYaml(text, { set: { b: 1 }, remove: [], onlyMissing: false });

test.each([
  ['lists in brackets', flow(65)],
  ['lists in brackets without an end', flow(100_000)],
  ['maps by indentation', block(66)],
  ['maps by indentation, past the stack', block(2_000)],
  ['lists on one line', `a:\n  ${'- '.repeat(3_000)}x\n`],
])('YAML with %s is a mistake with its line', (_, text) => {
  expect(merged(text)).toEqual({
    is: 'wrong',
    reason: expect.stringMatching(/^line \d+: it is nested more than 64 levels deep$/) as unknown,
  });
});

test.each([
  ['lists in brackets', flow(60)],
  ['maps by indentation', block(60)],
])('YAML with %s of fewer levels is merged', (_, text) => {
  expect(merged(text)).toMatchObject({ is: 'text', text: `${text}b: 1\n` });
});

test('XML without an end of levels is a mistake', () => {
  expect(readXml('<a>'.repeat(100_000))).toMatchObject({ is: 'wrong' });
});
