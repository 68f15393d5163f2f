import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBlobs } from '../../engine/journal/blobs.js';
import { foldAll } from '../../engine/journal/fold.js';
import { openJournal } from '../../engine/journal/journal.js';
import { readEnd } from '../../engine/journal/end-marker.js';
import { inspectJournal, readJournal, redactedIn } from '../../engine/journal/journal-file.js';
import { createSplitter } from '../../engine/lib/redact.js';
import { doneOf } from '../../engine/journal/state.js';
import type { Event } from '../../engine/terms/event.js';
import type { TaskId } from '../../engine/terms/task.js';
import { anyText } from '../lib/sampled.js';

const task = (step: string, host: string): TaskId => ({ step, on: { host } });
const change = (summary: string) => ({
  summary,
  sign: '~' as const,
  actions: [{ do: 'move' as const, from: '/a', to: '/b' }] as const,
  touches: [],
  predicts: [],
});

const events = fc.array(
  fc.oneof(
    fc
      .record({
        step: fc.constantFrom('s1', 's2'),
        host: fc.constantFrom('a', 'b'),
        text: anyText(6000),
      })
      .chain(({ step, host, text }) =>
        fc.constantFrom<Event>(
          { e: 'intent', task: task(step, host), name: step, attempt: 1, change: change(text), marks: {} },
          {
            e: 'effect',
            task: task(step, host),
            attempt: 1,
            index: 0,
            outcome: { is: 'ended', exit: 0, stdout: text, stderr: '' },
            met: true,
          },
          {
            e: 'effect',
            task: task(step, host),
            attempt: 1,
            index: 0,
            outcome: { is: 'unknown', why: 'crash' },
            met: false,
          },
          { e: 'settled', task: task(step, host), name: step, as: 'done', changed: true, tookMs: 1, value: text },
          { e: 'settled', task: task(step, host), name: step, as: 'failed', changed: true, tookMs: 1, reason: text },
          {
            e: 'temporary-made',
            task: task(step, host),
            name: step,
            restoredBy: { module: 'file', args: text, on: { host } },
            restoring: {},
          },
          { e: 'temporary-restored', task: task(step, host), by: 'end' },
        ),
      ),
    fc.constantFrom<Event>(
      { e: 'host-chosen', play: 'p', host: 'a' },
      { e: 'host-left', play: 'p', host: 'a' },
      { e: 'play-ended', play: 'p' },
    ),
  ),
  { maxLength: 12 },
);

function inFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-journal-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the journal', () => {
  test('what was written is what is read: the state is exactly the fold of the file; cut before what was synced it is damaged', () => {
    fc.assert(
      fc.property(events, fc.double({ min: 0, max: 1, noNaN: true }), (written, share) => {
        inFolder((folder) => {
          const file = join(folder, 'journal.ndjson');
          const blobs = openBlobs(join(folder, 'blobs'));
          const journal = openJournal({ nowMs: () => 5, file, blobs });
          for (const event of written) journal.emit(event);
          journal.close();
          expect(foldAll(readJournal(file, blobs).map((r) => r.event))).toEqual(journal.state);

          const bytes = readFileSync(file);
          const cut = bytes.subarray(0, Math.floor(bytes.length * share));
          writeFileSync(file, cut);
          const whole = cut.toString('utf8').split('\n').length - 1;
          const read = inspectJournal(file, blobs);
          expect(read.events.map((r) => r.event)).toEqual(JSON.parse(JSON.stringify(written.slice(0, whole))));
          expect(read.damage === undefined).toBe(whole >= (readEnd(file)?.seq ?? 0));
        });
      }),
      { numRuns: 60 },
    );
  });

  /** What is no flipped bit: each leaves only whole lines, or zeros that a file system put in their place. */
  const DAMAGES: Readonly<
    Record<string, (lines: readonly string[], other: readonly string[], at: number) => string | undefined>
  > = {
    'the end is missing': (lines, _other, at) => lines.slice(0, at).join(''),
    'the end is zeros': (lines, _other, at) =>
      lines.slice(0, at).join('') + '\0'.repeat(lines.slice(at).join('').length),
    'a line is missing': (lines, _other, at) => lines.toSpliced(at, 1).join(''),
    'a line stands twice': (lines, _other, at) => lines.toSpliced(at, 0, lines[at] ?? '').join(''),
    'two lines changed places': (lines, _other, at) =>
      lines.toSpliced(at - 1, 2, lines[at] ?? '', lines[at - 1] ?? '').join(''),
    'a line of another run': (lines, other, at) => lines.toSpliced(at, 1, other[at] ?? '').join(''),
    'the end of another run': (lines, other, at) => [...lines.slice(0, at), ...other.slice(at)].join(''),
    'the journal of another run': (_lines, other) => other.join(''),
    'an empty file': () => '',
    'no file': () => undefined,
  };

  test.each(Object.keys(DAMAGES))('%s: noticed, and what is read before it is what was written', (name) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), (at) => {
        inFolder((folder) => {
          const journalIn = (file: string): readonly string[] => {
            const journal = openJournal({ nowMs: () => 5, file: join(folder, file) });
            for (let i = 0; i < 10; i += 1)
              journal.emit({ e: 'settled', task: task(`s${i}`, 'a'), name: 's', as: 'done', changed: true, tookMs: 1 });
            journal.close();
            return readFileSync(join(folder, file), 'utf8').split(/(?<=\n)/);
          };
          const lines = journalIn('journal.ndjson');
          const file = join(folder, 'journal.ndjson');
          const written = readJournal(file);
          const damaged = DAMAGES[name]?.(lines, journalIn('other.ndjson'), at);
          if (damaged === undefined) rmSync(file);
          else writeFileSync(file, damaged);
          const read = inspectJournal(file);
          expect(read.damage).toMatch(
            /journal\.ndjson:\d+: the journal (?:is damaged|ends here, and record 10 was written \(a copy .*\))$/,
          );
          expect(read.events).toEqual(
            name === 'the journal of another run' ? read.events : written.slice(0, read.events.length),
          );
        });
      }),
      { numRuns: 20 },
    );
  });

  test('a marker that is gone or cannot be read is no damage; one of records that follow is', () =>
    inFolder((folder) => {
      const file = join(folder, 'journal.ndjson');
      const journal = openJournal({ nowMs: () => 0, file });
      journal.emit({ e: 'host-chosen', play: 'p', host: 'a' });
      journal.emit({ e: 'warned', text: 'not synced' });
      journal.close();
      expect(readEnd(file)?.seq).toBe(1);
      for (const damage of ['', 'nonsense\n', '{"sum":"0123456789abcdef","record":"1"}\n']) {
        writeFileSync(`${file}.end`, damage);
        expect(readJournal(file)).toHaveLength(2);
      }
    }));

  test('after a torn line it goes on with whole lines and rising numbers', () =>
    inFolder((folder) => {
      const file = join(folder, 'journal.ndjson');
      const first = openJournal({ nowMs: () => 0, file });
      first.emit({ e: 'play-ended', play: 'p' });
      first.close();
      appendFileSync(file, '{"sum":"12","seq":2,"at');
      const journal = openJournal({ nowMs: () => 0, file, past: readJournal(file) });
      journal.emit({ e: 'play-ended', play: 'q' });
      journal.close();
      expect(readJournal(file).map((r) => r.seq)).toEqual([1, 2]);
    }));

  test('a damaged line in the middle is refused, with its place', () =>
    inFolder((folder) => {
      const file = join(folder, 'journal.ndjson');
      writeFileSync(file, '{"seq":1,"at\n{}\n');
      expect(() => readJournal(file)).toThrow(/journal\.ndjson:1: the journal is damaged/);
    }));

  test.each([
    ['a cut character', Buffer.from('{"sum":"0011223344556677","seq":2,"text":"Größe').subarray(0, -4)],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x80])],
    ['zeros', Buffer.alloc(40)],
  ])('a line torn in %s is neither read nor changed by reading, and left out by the next writer', (_what, tail) =>
    inFolder((folder) => {
      const file = join(folder, 'journal.ndjson');
      const first = openJournal({ nowMs: () => 0, file });
      first.emit({ e: 'play-ended', play: 'größer' });
      first.close();
      const whole = readFileSync(file);
      appendFileSync(file, tail);
      const torn = readFileSync(file);
      const past = readJournal(file);
      expect([past.length, readFileSync(file).equals(torn)]).toEqual([1, true]);
      openJournal({ nowMs: () => 0, file, past }).close();
      expect(readFileSync(file).equals(whole)).toBe(true);
    }),
  );

  test('each bit that flips in a journal or a text beside it is found, or makes no difference', () =>
    inFolder((folder) => {
      const file = join(folder, 'journal.ndjson');
      const blobs = openBlobs(join(folder, 'blobs'));
      const journal = openJournal({ nowMs: () => 5, file, blobs });
      const task = { step: 'Indexer/Stop the indexer', on: { host: 'indexer-1' } };
      journal.emit({
        e: 'intent',
        task,
        name: 'J*Z',
        attempt: 1,
        change: change('x'.repeat(5000)),
        marks: { größe: 7 },
      });
      journal.emit({ e: 'effect', task, attempt: 1, index: 0, outcome: { is: 'applied' }, met: true });
      journal.emit({ e: 'settled', task, name: 'J*Z', as: 'done', changed: true, tookMs: 1 });
      journal.close();
      const written = JSON.stringify(readJournal(file, blobs));
      const accepted: string[] = [];
      for (const name of ['journal.ndjson', ...readdirSync(join(folder, 'blobs')).map((b) => join('blobs', b))]) {
        const bytes = readFileSync(join(folder, name));
        // Of the large text, whose bytes are all alike, a part.
        for (let bit = 0; bit < bytes.length * 8; bit += name === 'journal.ndjson' ? 1 : 97) {
          const flipped = Buffer.from(bytes);
          flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
          writeFileSync(join(folder, name), flipped);
          const { events, damage } = inspectJournal(file, blobs);
          if (damage === undefined && JSON.stringify(events) !== written) accepted.push(`${name}, bit ${bit}`);
        }
        writeFileSync(join(folder, name), bytes);
      }
      expect(accepted).toEqual([]);
    }));

  test('flipped bits in any journal are found: what is read before them is what was written', () => {
    fc.assert(
      fc.property(events, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.nat(7), (all, at, bit) => {
        inFolder((folder) => {
          const file = join(folder, 'journal.ndjson');
          const journal = openJournal({ nowMs: () => 5, file });
          for (const event of all) journal.emit(event);
          journal.close();
          const bytes = readFileSync(file);
          if (bytes.length === 0) return;
          const written = readJournal(file);
          const place = Math.floor(bytes.length * at);
          bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << bit), place);
          writeFileSync(file, bytes);
          const read = inspectJournal(file);
          expect(read.damage).toMatch(/journal\.ndjson:\d+: the journal is damaged$/);
          expect(read.events).toEqual(written.slice(0, read.events.length));
        });
      }),
      { numRuns: 60 },
    );
  });

  test('a writer that wakes up after another went on with the run no longer reaches its journal', () =>
    inFolder((folder) => {
      const file = join(folder, 'journal.ndjson');
      const sleeper = openJournal({ nowMs: () => 0, file });
      sleeper.emit({ e: 'play-ended', play: 'p' });
      const next = openJournal({ nowMs: () => 0, file, past: readJournal(file) });
      sleeper.emit({ e: 'play-ended', play: 'asleep' });
      next.emit({ e: 'play-ended', play: 'q' });
      for (const journal of [sleeper, next]) journal.close();
      expect(readJournal(file).map(({ event }) => event)).toEqual([
        { e: 'play-ended', play: 'p' },
        { e: 'play-ended', play: 'q' },
      ]);
    }));

  test('others can read neither the journal nor its blobs, and a secret reaches neither', () =>
    inFolder((folder) => {
      const file = join(folder, 'journal.ndjson');
      const blobs = openBlobs(join(folder, 'blobs'));
      const journal = openJournal({
        nowMs: () => 0,
        file,
        blobs,
        split: createSplitter(new Map([['x', 'hunter2']])),
      });
      journal.emit({ e: 'warned', text: `${'x'.repeat(5000)}hunter2` });
      journal.emit({ e: 'warned', text: 'hunter2' });
      journal.close();
      expect(statSync(file).mode & 0o077).toBe(0);
      expect(statSync(join(folder, 'blobs')).mode & 0o077).toBe(0);
      expect(JSON.stringify(readJournal(file, blobs))).not.toContain('hunter2');
      expect([...redactedIn(file)]).toEqual(['x']);
      expect(readFileSync(file, 'utf8')).not.toContain('hunter2');
    }));
});

describe('the fact done', () => {
  const t = task('s', 'h');
  const intent: Event = { e: 'intent', task: t, name: 's', attempt: 1, change: change('x'), marks: { seq: 7 } };
  const effect = (outcome: Extract<Event, { e: 'effect' }>['outcome'], met: boolean): Event => ({
    e: 'effect',
    task: t,
    attempt: 1,
    index: 0,
    outcome,
    met,
  });
  const cases: readonly (readonly [string, readonly Event[], ReturnType<typeof doneOf>])[] = [
    ['never begun', [], { is: 'never' }],
    ['an intent without an outcome', [intent], { is: 'unknown', marks: { seq: 7 } }],
    ['an effect that was met', [intent, effect({ is: 'applied' }, true)], { is: 'done', value: null }],
    [
      'an effect that is known to have failed',
      [intent, effect({ is: 'ended', exit: 1, stdout: '', stderr: '' }, false)],
      { is: 'never' },
    ],
    [
      'a cut connection',
      [intent, effect({ is: 'unknown', why: 'connection' }, false)],
      { is: 'unknown', marks: { seq: 7 } },
    ],
    [
      'failed after a cut connection',
      [
        intent,
        effect({ is: 'unknown', why: 'connection' }, false),
        { e: 'settled', task: t, name: 's', as: 'failed', changed: true, tookMs: 0 },
      ],
      { is: 'unknown', marks: { seq: 7 } },
    ],
    [
      'settled',
      [intent, { e: 'settled', task: t, name: 's', as: 'done', changed: true, value: 3, tookMs: 0 }],
      { is: 'done', value: 3 },
    ],
  ];
  test.each(cases)('%s', (_name, past, expected) => expect(doneOf(foldAll(past), t)).toEqual(expected));
});

test('a record that cannot be made leaves no gap: the next one has its number', () => {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-journal-'));
  const file = join(folder, 'journal.ndjson');
  const journal = openJournal({ nowMs: () => 0, file });
  const effect = (stdout: string): Event => ({
    e: 'effect',
    task: task('s1', 'a'),
    attempt: 1,
    index: 0,
    outcome: { is: 'ended', exit: 0, stdout, stderr: '' },
    met: true,
  });
  expect(() => journal.emit(effect(10n as unknown as string))).toThrow(TypeError);
  expect(journal.isBroken()).toBe(false);
  journal.emit(effect('x'));
  journal.close();
  expect(inspectJournal(file)).toMatchObject({ events: [{ seq: 1 }] });
  expect(inspectJournal(file).damage).toBeUndefined();
  rmSync(folder, { recursive: true });
});

test('a journal that has no end is not read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-journal-'));
  const file = join(folder, 'journal.ndjson');
  symlinkSync('/dev/zero', file);
  expect(inspectJournal(file)).toEqual({ events: [], damage: `${file}:1: is a device` });
  rmSync(folder, { recursive: true });
});
