import { afterAll, expect, test } from '@jest/globals';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal } from '../../engine/journal/journal.js';
import { endedWell } from '../../engine/journal/last-event.js';
import type { RunEnd } from '../../engine/terms/event.js';

const folder = mkdtempSync(join(tmpdir(), 'runbook-last-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
/** A journal of so many events whose run ended so, or did not. */
function journalOf(ended: RunEnd | undefined, events = 3, reason?: string): string {
  const file = join(folder, `journal-${(files += 1)}.ndjson`);
  const journal = openJournal({ nowMs: () => 1, file });
  for (let i = 0; i < events; i += 1) journal.emit({ e: 'play-ended', play: `play ${i}` });
  if (ended !== undefined)
    journal.emit({
      e: 'run-ended',
      as: ended,
      untouched: [],
      notRestored: [],
      tookMs: 1,
      ...(reason === undefined ? {} : { reason }),
    });
  journal.close();
  return file;
}

test.each(['done', 'closed'] as const)('a run that was %s ended well, however long its journal', (as) => {
  expect(endedWell(journalOf(as))).toBe(true);
  expect(endedWell(journalOf(as, 500))).toBe(true);
});

test.each(['failed', 'refused', 'unreachable', 'interrupted', undefined] as const)(
  'a run that ended as %s did not',
  (as) => {
    expect(endedWell(journalOf(as))).toBe(false);
  },
);

test('where there is no telling, it did not', () => {
  const torn = journalOf('done');
  appendFileSync(torn, '{"seq":5,"atMs":1,"eve');
  const damaged = join(folder, 'damaged');
  writeFileSync(damaged, 'no event\n');
  expect([torn, damaged, join(folder, 'none'), journalOf('done', 1, 'x'.repeat(10_000))].map(endedWell)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
