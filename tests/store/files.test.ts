import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal } from '../../engine/journal/journal.js';
import {
  createRunFolder,
  inspectEvents,
  listRuns,
  openRunFolder,
  readCopy,
  runsOf,
} from '../../engine/journal/run-folder.js';
import type { Event } from '../../engine/terms/event.js';
import { copyRun } from '../../engine/store/copy.js';
import { openFileStore } from '../../engine/store/files.js';
import { contractOf, line, linesOf, newName } from './contract.js';

const root = mkdtempSync(join(tmpdir(), 'runbook-store-'));
afterAll(() => rmSync(root, { recursive: true }));
let folders = 0;
const newFolder = (): string => join(root, String((folders += 1)), 'runs');

const shared = newFolder();
contractOf('files', () => Promise.resolve(openFileStore(shared)));

test('any interleaving of two writers with any last line gives each accepted line once, at its number', async () => {
  const step = fc.record({
    writer: fc.constantFrom(0 as const, 1 as const),
    /** From the run's last line. */
    off: fc.constantFrom(0, 0, 0, -1, 1, -2),
    count: fc.integer({ min: 0, max: 3 }),
    together: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const folder = newFolder();
      const stores = [openFileStore(folder), openFileStore(folder)] as const;
      const accepted = new Map<number, string>();
      const running: Promise<void>[] = [];
      for (const [i, { writer, off, count, together }] of steps.entries()) {
        const last = Math.max(0, accepted.size + off);
        const lines = linesOf(count, `${i} of ${writer}`);
        const appending = stores[writer].append('run', last, lines).then((appended) => {
          const taken = appended.is === 'appended' ? lines.length : appended.taken;
          for (const [n, each] of lines.slice(0, taken).entries()) {
            expect(accepted.has(last + 1 + n)).toBe(false);
            accepted.set(last + 1 + n, String(each));
          }
        });
        running.push(appending);
        if (!together) await Promise.all(running.splice(0));
      }
      await Promise.all(running);
      const there = await stores[0].read('run', 0);
      expect(new Map(there.map((each, n) => [n + 1, String(each)]))).toEqual(
        new Map([...accepted].sort(([a], [b]) => a - b)),
      );
      await Promise.all(stores.map((store) => store.close()));
    }),
    { numRuns: 40 },
  );
});

describe('a run folder', () => {
  const events: readonly Event[] = [
    { e: 'run-started', run: 'r', verb: 'apply', hash: 'h', playbook: 'p', inventory: 'i' } as unknown as Event,
    { e: 'warned', text: 'long '.repeat(2000) } as unknown as Event,
    { e: 'run-ended', as: 'done' } as unknown as Event,
  ];
  const newRun = () => {
    const inventory = join(newFolder(), 'inventory.yaml');
    const runs = runsOf(inventory);
    const copy = {
      version: 1,
      playbook: [],
      inventory: [{ file: inventory, text: '' }],
      cwd: '/',
      extraVars: {},
    } as const;
    const folder = createRunFolder(runs, Date.UTC(2026, 10, 26), copy);
    const journal = openJournal({ nowMs: () => 0, file: folder.journalFile, blobs: folder.blobs });
    for (const event of events) journal.emit(event);
    journal.close();
    return { runs, folder, copy };
  };

  test('that was copied is read by the engine like the run itself', async () => {
    const { runs, folder, copy } = newRun();
    writeFileSync(join(folder.path, 'typed.json'), '{}');
    const there = { ...runs, folder: newFolder() };
    const [from, to] = [openFileStore(runs.folder), openFileStore(there.folder)];
    expect(await copyRun(from, to, folder.id)).toEqual({ is: 'copied', lines: 3, blobs: 2 });
    expect(await copyRun(from, to, folder.id)).toEqual({ is: 'copied', lines: 0, blobs: 0 });
    expect(listRuns(there)).toEqual([folder.id]);
    const copied = openRunFolder(there, folder.id);
    expect(readCopy(copied)).toEqual(copy);
    expect(inspectEvents(copied)).toEqual(inspectEvents(folder));
    expect((await to.listBlobs(folder.id)).map(({ name }) => name)).not.toContain('typed.json');
  });

  test('that was appended to by a store is no longer written to by a journal that was open before', async () => {
    const { runs, folder } = newRun();
    const journal = openJournal({ nowMs: () => 0, file: folder.journalFile, past: inspectEvents(folder).events });
    const store = openFileStore(runs.folder);
    await store.append(folder.id, 3, [line('taken over')]);
    journal.emit({ e: 'warned', text: 'late' } as unknown as Event);
    journal.close();
    expect((await store.read(folder.id, 3)).map(String)).toEqual([String(line('taken over'))]);
  });

  test('whose last line is torn is read up to it and appended to after what is whole', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'run'), { recursive: true });
    writeFileSync(join(folder, 'run', 'journal.ndjson'), 'one\ntwo\nthr');
    const store = openFileStore(folder);
    expect((await store.read('run', 0)).map(String)).toEqual(['one', 'two']);
    expect(await store.append('run', 2, [Buffer.from('three')])).toEqual({ is: 'appended', last: 3 });
    expect((await store.read('run', 0)).map(String)).toEqual(['one', 'two', 'three']);
  });
});

describe('a copy', () => {
  const two = () => [openFileStore(newFolder()), openFileStore(newFolder())] as const;

  test('adds what is missing, and replaces a file only where the other store has no more lines', async () => {
    const [from, to] = two();
    const run = newName();
    await from.append(run, 0, linesOf(3));
    await from.putBlob(run, 'copy.json', Buffer.from('new'));
    await to.append(run, 0, linesOf(2));
    await to.putBlob(run, 'copy.json', Buffer.from('old'));
    expect(await copyRun(from, to, run)).toEqual({ is: 'copied', lines: 1, blobs: 1 });
    expect(String(await to.getBlob(run, 'copy.json'))).toBe('new');
    await to.append(run, 3, [line('more')]);
    await to.putBlob(run, 'copy.json', Buffer.from('newer'));
    await from.putBlob(run, 'plan.json', Buffer.from('plan'));
    expect(await copyRun(from, to, run)).toEqual({ is: 'copied', lines: 0, blobs: 1 });
    expect(String(await to.getBlob(run, 'copy.json'))).toBe('newer');
    expect(await to.read(run, 0)).toHaveLength(4);
  });

  test('is refused where both have other lines of the same number, which it names', async () => {
    const [from, to] = two();
    const run = newName();
    await from.append(run, 0, linesOf(3));
    await from.putBlob(run, 'copy.json', Buffer.from('new'));
    await to.append(run, 0, [...linesOf(1), line('other')]);
    expect(await copyRun(from, to, run)).toEqual({ is: 'differs', line: 2 });
    expect([await to.read(run, 0), await to.listBlobs(run)]).toEqual([[...linesOf(1), line('other')], []]);
  });
});
