import { describe, expect, test } from '@jest/globals';
import { thisHolder } from '../../engine/journal/holder.js';
import { sha256 } from '../../engine/lib/hash.js';
import { InvalidName, type RunStore } from '../../engine/store/run-store.js';

/** Opens one store for another writer: what one wrote, the other reads. */
export type OpenStore = () => Promise<RunStore>;

let names = 0;
/** A run, or a lock, that no other test uses. */
export const newName = (): string => `2026-11-26T17-38-00Z-${(names += 1)}`;

export const line = (text: string | number): Buffer => Buffer.from(`{"sum":"0123456789abcdef","text":"${text}"}`);
export const linesOf = (count: number, text = 'line'): readonly Buffer[] =>
  Array.from({ length: count }, (_, i) => line(`${text} ${i + 1}`));
const texts = (lines: readonly Buffer[]): readonly string[] => lines.map(String);
const holder = () => thisHolder('apply', '/inventory.yaml', Date.now());

/** What each implementation of a store must do. */
export function contractOf(what: string, open: OpenStore): void {
  describe(`${what}: lines`, () => {
    test('are read as they were appended, after any number, by every writer, and the run is listed', async () => {
      const [one, other] = [await open(), await open()];
      const run = newName();
      const lines = [...linesOf(4), Buffer.from('ä\r€ \0'), line('x'.repeat(100_000))];
      expect(await one.append(run, 0, lines.slice(0, 1))).toEqual({ is: 'appended', last: 1 });
      expect(await one.append(run, 1, lines.slice(1))).toEqual({ is: 'appended', last: 6 });
      for (const store of [one, other]) {
        expect(texts(await store.read(run, 0))).toEqual(texts(lines));
        expect(texts(await store.read(run, 4))).toEqual(texts(lines.slice(4)));
        expect(await store.read(run, 6)).toEqual([]);
        expect(await store.list()).toContainEqual({ run, lines: 6 });
      }
    });

    test('are many at once, and read from any of them', async () => {
      const [one, other] = [await open(), await open()];
      const run = newName();
      const lines = linesOf(1_000, 'a line of some length '.repeat(10));
      expect(await one.append(run, 0, lines)).toEqual({ is: 'appended', last: 1_000 });
      for (const after of [0, 1, 499, 998, 999])
        expect(texts(await other.read(run, after))).toEqual(texts(lines.slice(after)));
      // A repeat that begins in the middle of what was sent together adds nothing.
      expect(await one.append(run, 500, [...lines.slice(500), line('next')])).toEqual({ is: 'appended', last: 1_001 });
      expect(await other.list()).toContainEqual({ run, lines: 1_001 });
    });

    test('of a run that is not there are none, and it is not listed', async () => {
      const store = await open();
      const run = newName();
      expect(await store.read(run, 0)).toEqual([]);
      expect(await store.listBlobs(run)).toEqual([]);
      expect(await store.append(run, 0, [])).toEqual({ is: 'appended', last: 0 });
      expect(await store.append(run, 3, linesOf(1))).toEqual({ is: 'fenced', last: 0, taken: 0 });
      expect((await store.list()).some((stored) => stored.run === run)).toBe(false);
    });

    test('are refused from a writer that does not know the last one', async () => {
      const [one, other] = [await open(), await open()];
      const run = newName();
      await one.append(run, 0, linesOf(2));
      for (const last of [0, 1, 3])
        expect(await other.append(run, last, linesOf(2))).toEqual({ is: 'fenced', last: 2, taken: 0 });
      expect(await other.append(run, 2, [line('other')])).toEqual({ is: 'appended', last: 3 });
      expect(await one.append(run, 2, [line('one')])).toEqual({ is: 'fenced', last: 3, taken: 0 });
      expect(await one.append(run, 2, [])).toEqual({ is: 'fenced', last: 3, taken: 0 });
      expect(await one.append(run, 3, [line('one')])).toEqual({ is: 'appended', last: 4 });
      expect(texts(await one.read(run, 2))).toEqual(texts([line('other'), line('one')]));
    });

    test('that are appended again add nothing, and a batch goes on from where it was', async () => {
      const [one, other] = [await open(), await open()];
      const run = newName();
      const lines = linesOf(3);
      await one.append(run, 0, lines.slice(0, 2));
      expect(await one.append(run, 0, lines.slice(0, 2))).toEqual({ is: 'appended', last: 2 });
      expect(await one.append(run, 0, lines)).toEqual({ is: 'appended', last: 3 });
      expect(await one.append(run, 1, lines.slice(1))).toEqual({ is: 'appended', last: 3 });
      // Equal lines of another writer are not its own, and other lines with these numbers are not repeats.
      expect(await other.append(run, 0, lines)).toEqual({ is: 'fenced', last: 3, taken: 0 });
      expect(await one.append(run, 0, [line('other')])).toEqual({ is: 'fenced', last: 3, taken: 0 });
      await other.append(run, 3, [line('other')]);
      expect(await one.append(run, 0, lines)).toEqual({ is: 'fenced', last: 4, taken: 3 });
      expect(texts(await one.read(run, 0))).toEqual(texts([...lines, line('other')]));
    });

    test('are taken from exactly one of two writers that append at once', async () => {
      const [one, other] = [await open(), await open()];
      const run = newName();
      for (let last = 0; last < 20; last += 1) {
        const appended = await Promise.all([
          one.append(run, last, [line(`one ${last}`)]),
          other.append(run, last, [line(`other ${last}`)]),
        ]);
        expect(appended.map(({ is }) => is).sort()).toEqual(['appended', 'fenced']);
      }
      expect(await one.read(run, 0)).toHaveLength(20);
    });

    test('are followed from any number, each once and in order, until the signal', async () => {
      const [one, other] = [await open(), await open()];
      const run = newName();
      const lines = linesOf(30);
      await one.append(run, 0, lines.slice(0, 10));
      const until = new AbortController();
      const seen: Buffer[] = [];
      for await (const each of other.follow(run, 5, until.signal)) {
        seen.push(each);
        if (seen.length === 5) await one.append(run, 10, lines.slice(10, 20));
        if (seen.length === 15) await one.append(run, 20, lines.slice(20));
        if (seen.length === 25) until.abort();
      }
      expect(texts(seen)).toEqual(texts(lines.slice(5)));
    });

    test('are followed from before the first one', async () => {
      const [one, other] = [await open(), await open()];
      const run = newName();
      const until = new AbortController();
      const following = (async () => {
        for await (const each of other.follow(run, 0, until.signal)) {
          until.abort();
          return String(each);
        }
        return undefined;
      })();
      await one.append(run, 0, [line('first')]);
      expect(await following).toBe(String(line('first')));
    });
  });

  describe(`${what}: files of a run`, () => {
    test('are read as they were written, replaced as a whole, and listed by their content', async () => {
      const [one, other] = [await open(), await open()];
      const run = newName();
      const text = Buffer.from('a large text');
      const large = Buffer.alloc(3_000_000, 'a log of a run\n');
      await one.putBlob(run, 'copy.json', Buffer.from('{}'));
      await one.putBlob(run, 'run.log', large);
      await one.putBlob(run, 'plan.json', Buffer.alloc(0));
      await one.putBlob(run, `blobs/${sha256(text)}`, text);
      await other.putBlob(run, 'copy.json', Buffer.from('{"version":1}'));
      expect(await other.listBlobs(run)).toEqual([
        { name: `blobs/${sha256(text)}`, sha256: sha256(text) },
        { name: 'copy.json', sha256: sha256('{"version":1}') },
        { name: 'plan.json', sha256: sha256('') },
        { name: 'run.log', sha256: sha256(large) },
      ]);
      expect(String(await one.getBlob(run, 'copy.json'))).toBe('{"version":1}');
      expect((await other.getBlob(run, 'run.log'))?.equals(large)).toBe(true);
      expect(await other.getBlob(run, 'plan.json')).toEqual(Buffer.alloc(0));
      expect(String(await other.getBlob(run, `blobs/${sha256(text)}`))).toBe('a large text');
      expect(await other.getBlob(run, 'causes.json')).toBeUndefined();
    });

    test('are refused where the name is not the hash of the text', async () => {
      const store = await open();
      await expect(store.putBlob(newName(), `blobs/${sha256('a')}`, Buffer.from('b'))).rejects.toThrow(RangeError);
    });
  });

  test(`${what}: approvals are appended and listed like lines of a run, and are of no run`, async () => {
    const [one, other] = [await open(), await open()];
    const plan = sha256(newName());
    expect(await one.approvals.read(plan, 0)).toEqual([]);
    expect(await one.approvals.append(plan, 0, [line('one')])).toEqual({ is: 'appended', last: 1 });
    expect(await other.approvals.append(plan, 0, [line('other')])).toEqual({ is: 'fenced', last: 1, taken: 0 });
    expect(await other.approvals.append(plan, 1, [line('other')])).toEqual({ is: 'appended', last: 2 });
    expect(texts(await one.approvals.read(plan, 0))).toEqual(texts([line('one'), line('other')]));
    expect(await one.read(plan, 0)).toEqual([]);
    expect((await one.list()).some(({ run }) => run === plan)).toBe(false);
    expect(await one.approvals.list()).toContainEqual({ run: plan, lines: 2 });
    const run = newName();
    await one.append(run, 0, linesOf(1));
    expect((await other.approvals.list()).some((approved) => approved.run === run)).toBe(false);
  });

  describe(`${what}: a lock`, () => {
    test('has one holder at a time, known to every writer', async () => {
      const [one, other] = [await open(), await open()];
      const name = newName();
      const [mine, theirs] = [holder(), holder()];
      expect(await one.lock(name, mine)).toEqual({ is: 'held' });
      expect(await one.lock(name, mine)).toEqual({ is: 'held' });
      expect(await other.lock(name, theirs)).toEqual({ is: 'taken', by: mine });
      expect(await other.holderOf(name)).toEqual(mine);
      await other.release(name, theirs);
      expect(await other.lock(name, theirs)).toEqual({ is: 'taken', by: mine });
      await one.release(name, mine);
      expect(await one.holderOf(name)).toBeUndefined();
      expect(await other.lock(name, theirs)).toEqual({ is: 'held' });
      await one.release(name, mine);
      expect(await one.lock(name, mine)).toEqual({ is: 'taken', by: theirs });
    });

    test('goes to exactly one of many that come together', async () => {
      const stores = [await open(), await open()];
      const name = newName();
      const tries = stores.flatMap((store) => [holder(), holder()].map((by) => store.lock(name, by)));
      expect((await Promise.all(tries)).filter(({ is }) => is === 'held')).toHaveLength(1);
    });

    test('is taken over from exactly the holder that was seen', async () => {
      const [one, other] = [await open(), await open()];
      const name = newName();
      const [first, second, third] = [holder(), holder(), holder()];
      expect(await one.takeOver(name, second, first)).toEqual({ is: 'free' });
      await one.lock(name, first);
      expect(await other.takeOver(name, second, third)).toEqual({ is: 'taken', by: first });
      const both = await Promise.all([one.takeOver(name, second, first), other.takeOver(name, third, first)]);
      expect(both.map(({ is }) => is).sort()).toEqual(['held', 'taken']);
      const holding = both[0].is === 'held' ? second : third;
      expect(await one.lock(name, first)).toEqual({ is: 'taken', by: holding });
      await one.release(name, first);
      expect(await one.lock(name, first)).toEqual({ is: 'taken', by: holding });
    });
  });

  test(`${what}: an invalid name of a run, a lock or a file is refused everywhere`, async () => {
    const store = await open();
    const signal = new AbortController().signal;
    for (const name of [
      '',
      '.',
      '..',
      'a/b',
      '../a',
      'a.b',
      'a b',
      'a*',
      'a>',
      '*',
      '>',
      '-a',
      'a\n',
      'é',
      'a'.repeat(101),
    ])
      for (const tried of [
        store.read(name, 0),
        store.append(name, 0, []),
        store.follow(name, 0, signal)[Symbol.asyncIterator]().next(),
        store.listBlobs(name),
        store.getBlob(name, 'copy.json'),
        store.putBlob(name, 'copy.json', Buffer.alloc(0)),
        store.lock(name, holder()),
        store.takeOver(name, holder(), holder()),
        store.release(name, holder()),
        store.approvals.read(name, 0),
        store.approvals.append(name, 0, []),
      ])
        await expect(tried).rejects.toThrow(InvalidName);
    for (const name of [
      '',
      '../copy.json',
      'typed.json',
      'journal.ndjson',
      'blobs/..',
      'blobs/a',
      'blobs',
      '/etc/passwd',
    ]) {
      await expect(store.getBlob(newName(), name)).rejects.toThrow(InvalidName);
      await expect(store.putBlob(newName(), name, Buffer.alloc(0))).rejects.toThrow(InvalidName);
    }
  });
}
