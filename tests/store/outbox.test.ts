import { afterAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LockLost } from '../../engine/journal/lock.js';
import { openFileStore } from '../../engine/store/files.js';
import { openOutbox, type OutboxOptions } from '../../engine/store/outbox.js';
import { StoreUnavailable, type RunStore } from '../../engine/store/run-store.js';

const root = mkdtempSync(join(tmpdir(), 'runbook-outbox-'));
afterAll(() => rmSync(root, { recursive: true }));
let count = 0;
const newStore = (): RunStore => openFileStore(join(root, String((count += 1)), 'runs'));

const RUN = '2026-11-26T20-00-00Z';
const line = (n: number): string => `{"seq":${n}}`;
const written = async (store: RunStore): Promise<readonly string[]> => (await store.read(RUN, 0)).map(String);

const outboxOf = (store: RunStore, more: Partial<OutboxOptions> = {}) =>
  openOutbox({
    store,
    run: RUN,
    last: 0,
    confirm: () => Promise.resolve(true),
    read: () => Promise.resolve(undefined),
    signal: new AbortController().signal,
    onWaiting: () => undefined,
    ...more,
  });

/** A store that does not answer the first times. */
const silent = (store: RunStore, times: number): RunStore => {
  let left = times;
  return {
    ...store,
    append: (...asked) =>
      (left -= 1) < 0
        ? store.append(...asked)
        : Promise.reject(new StoreUnavailable('unreachable', 'append', 'no answer', 15_000)),
  };
};

test('lines arrive once and in order, more than fit into one batch, and flushed waits for the last', async () => {
  const store = newStore();
  const outbox = outboxOf(store);
  const lines = Array.from({ length: 600 }, (_, i) => line(i + 1));
  lines.forEach(outbox.push);
  await outbox.flushed();
  expect(await written(store)).toEqual(lines);
  outbox.push(line(601));
  await outbox.flushed();
  expect((await written(store)).at(-1)).toBe(line(601));
});

test('a large text is in the store before the line that refers to it', async () => {
  const store = newStore();
  const order: string[] = [];
  const text = 'a'.repeat(5000);
  const { sha256 } = await import('../../engine/lib/hash.js');
  const name = `blobs/${sha256(text)}`;
  const watched: RunStore = {
    ...store,
    putBlob: (run, blob, bytes) => {
      order.push(blob);
      return store.putBlob(run, blob, bytes);
    },
    append: (run, last, lines) => {
      order.push(`${lines.length} lines`);
      return store.append(run, last, lines);
    },
  };
  const outbox = outboxOf(watched, { read: () => Promise.resolve(Buffer.from(text)) });
  outbox.push(`{"event":{"diff":{"$blob":"${sha256(text)}"}}}`);
  outbox.push(`{"event":{"said":"{\\"$blob\\":\\"${'0'.repeat(64)}\\"}"}}`);
  await outbox.flushed();
  expect(order[0]).toBe(name);
  expect(order.filter((one) => one.startsWith('blobs/'))).toEqual([name]);
  expect(String(await store.getBlob(RUN, name))).toBe(text);
});

test('once another controller has continued the run, nothing is sent any more', async () => {
  const store = newStore();
  const outbox = outboxOf(store);
  outbox.push(line(1));
  await outbox.flushed();
  await openFileStore(join(root, String(count), 'runs')).append(RUN, 1, [Buffer.from('{"taken":"over"}')]);
  outbox.push(line(2));
  await expect(outbox.flushed()).rejects.toBeInstanceOf(LockLost);
  outbox.push(line(3));
  await expect(outbox.flushed()).rejects.toBeInstanceOf(LockLost);
  expect(await written(store)).toEqual([line(1), '{"taken":"over"}']);
});

test('who lost the lock before the first line was there does not act on it', async () => {
  const outbox = outboxOf(newStore(), { confirm: () => Promise.resolve(false) });
  outbox.push(line(1));
  await expect(outbox.flushed()).rejects.toBeInstanceOf(LockLost);
});

test('nothing is flushed before it is known that the lock was still there, also where the store falls silent in between', async () => {
  let asked = 0;
  const outbox = outboxOf(newStore(), {
    confirm: () =>
      (asked += 1) === 1
        ? Promise.reject(new StoreUnavailable('unreachable', 'read the lock', 'no answer', 1))
        : Promise.resolve(false),
  });
  outbox.push(line(1));
  await expect(outbox.flushed()).rejects.toBeInstanceOf(LockLost);
  expect(asked).toBe(2);
});

test('before an effect the last line is compared, also where there is nothing to send', async () => {
  const store = newStore();
  const outbox = outboxOf(store);
  outbox.push(line(1));
  await outbox.flushed();
  await outbox.mayAct();
  await openFileStore(join(root, String(count), 'runs')).append(RUN, 1, [Buffer.from('{"taken":"over"}')]);
  await outbox.flushed();
  await expect(outbox.mayAct()).rejects.toBeInstanceOf(LockLost);
  expect(outbox.hasFailed()).toBe(true);
});

test('a store that does not answer is waited for, said once, and has every line once it does', async () => {
  const store = newStore();
  const said: (string | undefined)[] = [];
  const outbox = outboxOf(silent(store, 2), { onWaiting: (why) => said.push(why?.code) });
  [line(1), line(2)].forEach(outbox.push);
  await outbox.flushed();
  expect(said).toEqual(['unreachable', undefined]);
  expect(await written(store)).toEqual([line(1), line(2)]);
});

test('asked to stop, it waits no longer', async () => {
  const stop = new AbortController();
  const outbox = outboxOf(silent(newStore(), Infinity), { signal: stop.signal, onWaiting: () => stop.abort() });
  outbox.push(line(1));
  await expect(outbox.flushed()).rejects.toMatchObject({ code: 'unreachable' });
});

test('a store that is full is not asked again', async () => {
  let asked = 0;
  const full: RunStore = {
    ...newStore(),
    append: () => Promise.reject(new StoreUnavailable('full', 'append', `no space ${(asked += 1)}`, 1)),
  };
  const outbox = outboxOf(full);
  outbox.push(line(1));
  await expect(outbox.flushed()).rejects.toMatchObject({ code: 'full' });
  await expect(outbox.flushed()).rejects.toMatchObject({ code: 'full' });
  expect(asked).toBe(1);
});
