import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { copyRun } from '../../engine/store/copy.js';
import { openFileStore } from '../../engine/store/files.js';
import { openLink } from '../../engine/store/nats/link.js';
import { openNatsStore } from '../../engine/store/nats/nats-store.js';
import type { NatsOptions } from '../../engine/store/nats/options.js';
import { StoreUnavailable, type Appended, type RunStore } from '../../engine/store/run-store.js';
import { MAX_PAYLOAD, startCluster, type Cluster } from '../lab/nats.js';
import { contractOf, line, linesOf, newName } from '../store/contract.js';

let cluster: Cluster;
const opened: RunStore[] = [];

const asMember = (): NatsOptions => {
  const { servers, caFile, member } = cluster;
  return { servers, caFile, login: member, store: 'team' };
};
const asUser = (store: string): NatsOptions => ({ ...asMember(), login: cluster.user, store, create: { replicas: 3 } });

async function open(options: NatsOptions = asMember()): Promise<RunStore> {
  const store = await openNatsStore(options);
  opened.push(store);
  return store;
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof StoreUnavailable ? error.code : String(error)),
  );

/** Appends until the store answers: what a controller does that waits for its store. */
async function appendAtLast(store: RunStore, run: string, last: number, lines: readonly Buffer[]): Promise<Appended> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await store.append(run, last, lines);
    } catch (error) {
      if (tries === 10 || !(error instanceof StoreUnavailable) || error.code !== 'unreachable') throw error;
    }
  }
}

beforeAll(async () => {
  cluster = await startCluster();
  await open(asUser('team'));
});
afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  await cluster.stop();
});

contractOf('NATS', open);

describe('two writers', () => {
  test('of one run with the same last line: exactly one appends, 100 times', async () => {
    const [one, other] = [await open(), await open()];
    const run = newName();
    for (let last = 0; last < 100; last += 1) {
      const both = await Promise.all([
        one.append(run, last, [line(`one ${last}`)]),
        other.append(run, last, [line(`other ${last}`)]),
      ]);
      expect(both.map(({ is }) => is).sort()).toEqual(['appended', 'fenced']);
    }
    expect(await one.read(run, 0)).toHaveLength(100);
  });

  test('of two runs, 1000 lines each, while the leader of the stream is killed: each line is there once and in order', async () => {
    const runs = [newName(), newName()];
    let leader = -1;
    await Promise.all(
      runs.map(async (run, n) => {
        const store = await open();
        const lines = linesOf(1000, run);
        // One by one, and five in a message.
        const size = n === 0 ? 1 : 5;
        for (let last = 0; last < lines.length; last += size) {
          if (n === 0 && last === 300) await cluster.kill((leader = await cluster.leaderOf('team-runs')));
          const appended = await store.append(run, last, lines.slice(last, last + size));
          expect(appended).toEqual({ is: 'appended', last: last + size });
        }
      }),
    );
    cluster.start(leader);
    const reader = await open();
    for (const run of runs) expect((await reader.read(run, 0)).map(String)).toEqual(linesOf(1000, run).map(String));
  });

  test('of which one is frozen while the other appends: awake again, it is fenced', async () => {
    const run = newName();
    const program = join(import.meta.dirname, '../store/writer-process.ts');
    const writer = spawn(process.execPath, ['--import', 'tsx', program, JSON.stringify(asMember()), run], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const answers = createInterface({ input: writer.stdout })[Symbol.asyncIterator]();
    const append = async (last: number): Promise<unknown> => {
      writer.stdin.write(`${last} frozen\n`);
      return JSON.parse(String((await answers.next()).value)) as unknown;
    };
    expect(await append(0)).toEqual({ is: 'appended', last: 1 });
    writer.kill('SIGSTOP');
    const other = await open();
    expect(await other.append(run, 1, [line('other')])).toEqual({ is: 'appended', last: 2 });
    const answer = append(1);
    writer.kill('SIGCONT');
    expect(await answer).toEqual({ is: 'fenced', last: 2, taken: 0 });
    writer.stdin.end();
    expect((await other.read(run, 0)).map(String)).toEqual(['frozen', String(line('other'))]);
  });
});

test('two of three nodes gone: an append fails by its limit, and repeated once they are back it adds its lines once', async () => {
  // What must succeed has the ordinary limit: servers that are back elect their leaders for some seconds.
  const patient = await open();
  const run = newName();
  await patient.append(run, 0, linesOf(1));
  const store = await open({ ...asMember(), limitMs: 5_000 });
  const gone = [0, 1];
  await Promise.all(gone.map((node) => cluster.kill(node)));
  expect(await codeOf(store.append(run, 1, linesOf(3).slice(1)))).toBe('unreachable');
  expect(await codeOf(store.read(run, 0))).toBe('unreachable');
  expect(await codeOf(store.lock(run, {} as never))).toBe('unreachable');
  gone.forEach((node) => cluster.start(node));
  expect(await appendAtLast(store, run, 1, linesOf(3).slice(1))).toEqual({ is: 'appended', last: 3 });
  expect((await patient.read(run, 0)).map(String)).toEqual(linesOf(3).map(String));
});

test('all nodes gone: no line is too large for servers that are away', async () => {
  const run = newName();
  await (await open()).append(run, 0, linesOf(1));
  const store = await open({ ...asMember(), limitMs: 5_000 });
  const gone = [0, 1, 2];
  await Promise.all(gone.map((node) => cluster.kill(node)));
  expect(await codeOf(store.append(run, 1, linesOf(2).slice(1)))).toBe('unreachable');
  gone.forEach((node) => cluster.start(node));
  expect(await appendAtLast(store, run, 1, linesOf(2).slice(1))).toEqual({ is: 'appended', last: 2 });
});

describe('a limit', () => {
  test('of the stream: what was acknowledged is there, and the rest is not', async () => {
    const options = asUser('small');
    const store = await open({ ...options, create: { replicas: 3, maxBytes: 100_000 } });
    const run = newName();
    const lines = Array.from({ length: 200 }, (_, i) => line(`${i} ${'x'.repeat(1000)}`));
    const error = await store.append(run, 0, lines).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'full' });
    const { taken } = error as StoreUnavailable;
    expect(taken).toBeGreaterThan(0);
    expect((await store.read(run, 0)).map(String)).toEqual(lines.slice(0, taken).map(String));
    expect(await codeOf(store.putBlob(run, 'run.log', Buffer.alloc(200_000)))).toBe('full');
    expect(await store.getBlob(run, 'run.log')).toBeUndefined();
  });

  test('of one message: a larger line is refused, and the run goes on', async () => {
    const store = await open();
    const run = newName();
    const error = await store
      .append(run, 0, [line('first'), line('x'.repeat(MAX_PAYLOAD)), line('third')])
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'too-large', taken: 1 });
    expect(await store.append(run, 1, [line('second')])).toEqual({ is: 'appended', last: 2 });
  });
});

test('credentials revoked in the middle: the append is not permitted, and the run goes on once they are valid again', async () => {
  const store = await open();
  const run = newName();
  let last = 0;
  await cluster.permit(false);
  const code = await codeOf(
    (async () => {
      for (;;) {
        await store.append(run, last, [line(last)]);
        last += 1;
      }
    })(),
  );
  expect(code).toBe('not-permitted');
  expect(await codeOf(open())).toBe('not-permitted');
  await cluster.permit(true);
  const again = await open(asUser('team'));
  const there = await again.read(run, 0);
  // The last one may be there without its acknowledgement.
  expect([last, last + 1]).toContain(there.length);
  expect(await again.append(run, there.length, [line('more')])).toEqual({ is: 'appended', last: there.length + 1 });
});

describe('a store that cannot be opened says why:', () => {
  test.each<[string, () => NatsOptions]>([
    ['missing', () => ({ ...asMember(), login: cluster.user, store: 'absent' })],
    ['not-permitted', () => ({ ...asMember(), store: 'other' })],
    ['unreachable', () => ({ ...asMember(), servers: ['localhost:1'], limitMs: 3_000 })],
    [
      'not-trusted',
      () => {
        const { caFile: _, ...options } = asMember();
        return options;
      },
    ],
  ])('%s', async (code, options) => {
    expect(await codeOf(open(options()))).toBe(code);
  });

  test('an address is refused, because the client library does not verify it', async () => {
    await expect(open({ ...asMember(), servers: ['127.0.0.1:4222'] })).rejects.toThrow(RangeError);
  });
});

test('a stream that another program writes to is damaged from there on', async () => {
  const store = await open();
  const run = newName();
  await store.append(run, 0, linesOf(2));
  const link = await openLink(asMember());
  await link.publish('write', { stream: 'team-runs', subject: `team.run.${run}`, body: Buffer.from('x') });
  await link.close();
  expect(await codeOf(store.read(run, 0))).toBe('damaged');
  expect(await codeOf(store.append(run, 2, linesOf(1)))).toBe('damaged');
});

test('a run goes from the files of one machine through the store to those of another', async () => {
  const root = mkdtempSync(join(tmpdir(), 'runbook-store-'));
  const [from, team, to] = [
    openFileStore(join(root, 'a', 'runs')),
    await open(),
    openFileStore(join(root, 'b', 'runs')),
  ];
  const run = newName();
  await from.append(run, 0, linesOf(300));
  await from.putBlob(run, 'run.log', Buffer.alloc(1_500_000, 'log\n'));
  expect(await copyRun(from, team, run)).toEqual({ is: 'copied', lines: 300, blobs: 1 });
  expect(await copyRun(team, to, run)).toEqual({ is: 'copied', lines: 300, blobs: 1 });
  expect(await copyRun(to, team, run)).toEqual({ is: 'copied', lines: 0, blobs: 0 });
  expect((await to.read(run, 0)).map(String)).toEqual(linesOf(300).map(String));
  rmSync(root, { recursive: true });
});
