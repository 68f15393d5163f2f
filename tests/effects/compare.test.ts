import { expect, test } from '@jest/globals';
import { compare } from './compare.js';
import type { Recording } from './record.js';

const LINES = [
  'file /etc/a: file root:root 0644 0123456789ab',
  'unit x: up enabled runs=1 start=2',
  'request POST /_flush',
];
const run = (lines: readonly string[], more: Partial<Recording> = {}): Recording => ({
  ...{ situation: 'from 4.12.0', stop: '', after: '', way: 'whole', end: 'done', left: '1' },
  effects: { 'indexer-1': [...lines] },
  ...more,
});
const classes = (after: Recording): readonly string[] => [...compare([run(LINES)], [after]).classes.keys()];

test.each([
  ['the same', run(LINES), []],
  ['another end', run(LINES, { end: 'failed' }), ['ends as failed, was done']],
  ['another platform', run(LINES, { left: '2' }), ['leaves another platform']],
  ['an effect less', run(LINES.slice(0, 2)), ['- indexer: request POST /_flush']],
  ['an effect more', run([...LINES, 'request POST /_x']), ['+ indexer: request POST /_x']],
  [
    'another content',
    run(LINES.map((line) => line.replace('0123456789ab', 'ba9876543210'))),
    ['- indexer: file /etc/a: file root:root 0644 *', '+ indexer: file /etc/a: file root:root 0644 *'],
  ],
  [
    'another order',
    run([LINES[2], LINES[0], LINES[1]].map(String)),
    ['+ indexer: request POST /_flush', '- indexer: request POST /_flush'],
  ],
])('%s is a class of difference or none', (_, after, expected) => {
  expect(classes(after)).toEqual(expected);
});

test('a stop that the other side does not come by is counted', () => {
  expect(compare([run(LINES, { stop: 'a' })], [run(LINES, { stop: 'b' })])).toMatchObject({ compared: 0, alone: 2 });
});
