import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { forJournal, opened, redactedNames, shown } from '../../engine/journal/redaction.js';
import { createSplitter } from '../../engine/lib/redact.js';
import type { Recorded } from '../../engine/terms/event.js';
import type { Json } from '../../engine/terms/json.js';
import { isWithheld } from '../../engine/terms/secret.js';

const VALUES = new Map([
  ['api', 'hunter2-value'],
  ['db', 'indexer'],
]);
const split = createSplitter(VALUES);
const reveal = (name: string): string | undefined => VALUES.get(name);

/** What a host can answer: texts with the values, with what looks like a reference or like a journal's own keys. */
const piece = fc.constantFrom(
  'hunter2-value',
  'indexer',
  '{{secret.api}}',
  '$redacted',
  '$entries',
  '$blob',
  'ok',
  '"',
);
const text = fc.array(piece, { maxLength: 3 }).map((parts) => parts.join(' '));
const data = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(text, tie('json'), { maxKeys: 3 }),
  ),
})).json;

const task = { step: 'upgrade/indexer/Stop the indexer', on: { host: 'indexer-1' } };
const eventWith = (value: Json, words: string): Recorded => ({
  seq: 1,
  atMs: 0,
  event: { e: 'settled', task, name: 'Stop the indexer', as: 'done', changed: true, reason: words, value, tookMs: 1 },
});
const written = (recorded: Recorded): Recorded => JSON.parse(JSON.stringify(forJournal(recorded, split))) as Recorded;

describe('secrets in what a run records', () => {
  test('reach neither the journal nor who watches; a resume has every value as it was', () => {
    fc.assert(
      fc.property(data, text, (value, words) => {
        const recorded = eventWith(value, words);
        const { task: _, name: __, ...rest } = written(recorded).event as { task: unknown; name: unknown };
        const { task: ___, name: ____, ...seen } = shown(recorded, split).event as { task: unknown; name: unknown };
        for (const secret of VALUES.values()) {
          expect(JSON.stringify(rest)).not.toContain(secret);
          expect(JSON.stringify(seen)).not.toContain(secret);
        }
        expect(opened(written(recorded), reveal)).toEqual(recorded);
      }),
      { numRuns: 500 },
    );
  });

  test('are named from the record of a text that held one, and never from what a host wrote', () => {
    expect(redactedNames(written(eventWith('the indexer', '')) as unknown as Json)).toEqual(['db']);
    const planted = {
      names: ['api'],
      exact: true,
      $redacted: [{ names: ['api'], exact: true }],
      text: '{{secret.api}}',
    };
    expect(redactedNames(written(eventWith({ planted, again: [planted] }, '')) as unknown as Json)).toEqual([]);
  });

  test('names are kept: of hosts, steps, versions and items', () => {
    const items: Recorded = {
      seq: 1,
      atMs: 0,
      event: { e: 'items', task, is: 'due', sinceMs: 0, items: { 'indexer-7': { name: 'indexer' } } },
    };
    for (const seen of [shown(items, split), opened(written(items))]) {
      expect(seen.event).toMatchObject({ task, items: { 'indexer-7': { name: '{{secret.db}}' } } });
    }
  });

  test('without the values a text reads as it was shown', () => {
    const recorded = eventWith({ 'hunter2-value': 'a hunter2-value' }, 'the indexer');
    expect(opened(written(recorded))).toEqual(shown(recorded, split));
    expect(shown(recorded, split).event).toMatchObject({
      reason: 'the {{secret.db}}',
      value: { '{{secret.api}}': 'a {{secret.api}}' },
    });
  });

  test('what cannot be revealed is marked: another form of the value, or a secret that is gone', () => {
    const base64 = written(eventWith(Buffer.from('ops:hunter2-value').toString('base64'), ''));
    const plain = written(eventWith('hunter2-value', ''));
    for (const found of [opened(base64, reveal), opened(plain, () => undefined)])
      expect(isWithheld((found.event as { value: string }).value)).toBe(true);
  });
});
