import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { findLostRuns, findOlderJournals, type OlderJournal } from '../../engine/cli/run/older-journal.js';
import { markerText } from '../../engine/journal/host-marker.js';
import { openJournal, type Journal } from '../../engine/journal/journal.js';
import { openRunFolder, runsOf, type RunFolder, type Runs } from '../../engine/journal/run-folder.js';

/* Hosts whose markers disagree: beside a journal that was set back each knows another part of the run, or another run. */

let folder: string;
let runs: Runs;
let run: RunFolder;
let journal: Journal;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'runbook-older-'));
  runs = runsOf(join(folder, 'inventory.yaml'));
  run = openRunFolder(runs, '2026-12-01T00-00-00Z');
  mkdirSync(run.path, { recursive: true });
  journal = openJournal({ nowMs: () => 0, file: run.journalFile });
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true });
});

/** Records something, and leaves a marker as an action on a host does. */
function act(step: string, on = journal, id = run.id): string {
  on.emit({ e: 'host-chosen', play: 'play', host: step });
  return markerText({ run: id, step, ...(on.synced() ?? { first: '', seq: 0, sum: '' }) });
}

/** What a run does behind an earlier copy of its journal, which is there in the end. */
function setBack<T>(later: () => T): T {
  const copy = join(folder, 'copy');
  cpSync(run.journalFile, copy);
  const made = later();
  cpSync(copy, run.journalFile);
  return made;
}

const named = (older: readonly OlderJournal[]): readonly unknown[] =>
  older.map(({ host, marker, copy }) => [host, marker.step, copy?.records]);

test('one is of a record that the journal has, one of a later record: the later one counts', () => {
  const a = act('first');
  const b = setBack(() => act('second'));
  expect(named(findOlderJournals(runs, run, new Map(Object.entries({ a, b }))))).toEqual([['b', 'second', 1]]);
});

test('both are of later records: all are named, the host that knows most first', () => {
  act('first');
  const [a, b] = setBack(() => [act('second'), act('third')]);
  expect(named(findOlderJournals(runs, run, new Map(Object.entries({ a, b }))))).toEqual([
    ['b', 'third', 1],
    ['a', 'second', 1],
  ]);
});

test('one is of another run: it is named as that, and says nothing of this one', () => {
  const a = act('first');
  const other = openJournal({ nowMs: () => 0, file: join(folder, 'other') });
  // A run's id is not unique.
  const b = act('elsewhere', other);
  other.close();
  const markers = new Map(Object.entries({ a, b }));
  expect([named(findOlderJournals(runs, run, markers)), named(findLostRuns(runs, markers))]).toEqual([
    [],
    [['b', 'elsewhere', undefined]],
  ]);
});
