import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markerText, readMarker, recordsOfOlder, type HostMarker } from '../../engine/journal/host-marker.js';
import { openJournal, type Journal } from '../../engine/journal/journal.js';
import { inspectJournal, sumsIn } from '../../engine/journal/journal-file.js';

const MARKER: HostMarker = {
  run: '2026-11-29T20-00-00Z',
  first: '0123456789abcdef',
  seq: 12,
  sum: 'fedcba9876543210',
  step: 'playbook/play/step',
};

describe('the text of a marker', () => {
  test.each([
    ['as it is', MARKER, MARKER],
    ['of letters that are not ASCII', { ...MARKER, step: 'Größe/“x”\n' }, { ...MARKER, step: 'Größe/“x”\n' }],
    ['without a step that is too long', { ...MARKER, step: 'x'.repeat(400) }, { ...MARKER, step: '' }],
  ])('%s is one line of the same length, and is read again', (_what, marker, read) => {
    const text = markerText(marker);
    expect([text.length, /^[ -~]*$/.test(text), readMarker(text)]).toEqual([markerText(MARKER).length, true, read]);
  });

  test('of which a byte is another one, or only a part is there, is none', () => {
    const text = markerText(MARKER).trimEnd();
    for (let at = 0; at < text.length; at += 1) {
      const other = `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`;
      expect([at, readMarker(other), readMarker(text.slice(0, at))]).toEqual([at, undefined, undefined]);
    }
  });

  test.each(['', 'null', '[]', '{}', '{"sum":"0123456789abcdef",}', '../../etc/passwd'])('%j is none', (text) => {
    expect(readMarker(text)).toBeUndefined();
  });
});

describe('a journal beside a marker', () => {
  let folder: string;
  let journal: Journal;
  const file = (name = 'journal.ndjson'): string => join(folder, name);
  const chosen = (host: string): void => journal.emit({ e: 'host-chosen', play: 'play', host });
  const marker = (): HostMarker => ({ ...MARKER, ...(journal.synced() ?? { first: '', seq: 0, sum: '' }) });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'runbook-marker-'));
    journal = openJournal({ nowMs: () => 0, file: file() });
  });
  afterEach(() => {
    journal.close();
    rmSync(folder, { recursive: true });
  });

  test('that has the record is not older, whatever follows it or was lost behind it', () => {
    chosen('a');
    chosen('b');
    const of = marker();
    expect(recordsOfOlder(sumsIn(file()), of)).toBeUndefined();
    cpSync(file(), file('copy'));
    chosen('c');
    expect([recordsOfOlder(sumsIn(file()), of), recordsOfOlder(sumsIn(file('copy')), of)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('that was set back is older, also once it goes on with other records', () => {
    chosen('a');
    cpSync(file(), file('copy'));
    chosen('b');
    const of = marker();
    expect(recordsOfOlder(sumsIn(file('copy')), of)).toBe(1);
    journal.close();
    journal = openJournal({ nowMs: () => 0, file: file('copy'), past: inspectJournal(file('copy')).events });
    chosen('c');
    chosen('d');
    expect(recordsOfOlder(sumsIn(file('copy')), of)).toBe(3);
  });

  test('of another run is not compared, though it has the same name', () => {
    chosen('a');
    const of = marker();
    journal.close();
    rmSync(file());
    rmSync(file('journal.ndjson.end'));
    journal = openJournal({ nowMs: () => 0, file: file() });
    chosen('a');
    expect(recordsOfOlder(sumsIn(file()), of)).toBeUndefined();
    writeFileSync(file(), '');
    expect([recordsOfOlder(sumsIn(file()), of), readFileSync(file(), 'utf8')]).toEqual([undefined, '']);
  });
});
