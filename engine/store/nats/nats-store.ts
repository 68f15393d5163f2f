import { randomUUID } from 'node:crypto';
import { withCheckedNames } from '../checked-names.js';
import { checkName, type RunStore } from '../run-store.js';
import { blobsOf } from './blobs.js';
import { linesOf } from './lines.js';
import { openLink, type Link } from './link.js';
import { locksOf } from './locks.js';
import type { NatsOptions } from './options.js';
import { ensureStreams, streamsHealth, streamsOf, type StreamHealth } from './streams.js';

/** Opens the store of a team on NATS with JetStream. Throws StoreUnavailable, and InvalidName for its name. */
export const openNatsStore = async (options: NatsOptions): Promise<RunStore> =>
  storeOn(await openChecked(options), options);

/** What `doctor` shows of a store. */
export interface StoreHealth {
  readonly serverVersion: string;
  readonly streams: readonly StreamHealth[];
}

/**
 * Does with a store what a run does, and leaves nothing behind: reads the last line of a run, and sends messages that the streams must refuse,
 * as no message is the one before them. Throws StoreUnavailable.
 */
export async function inspectNatsStore(options: NatsOptions): Promise<StoreHealth> {
  const link = await openChecked(options);
  try {
    const store = storeOn(link, options);
    const newest = (await store.list()).at(-1);
    if (newest !== undefined) await store.read(newest.run, newest.lines - 1);
    const { runs, files } = streamsOf(options.store);
    for (const [stream, kind] of [
      [runs, 'run'],
      [files, 'lock'],
    ] as const)
      await link.publish(`write to stream ${stream}`, {
        stream,
        subject: `${options.store}.${kind}.doctor`,
        body: Buffer.alloc(0),
        after: NEVER,
      });
    return { serverVersion: link.serverVersion(), streams: await streamsHealth(link, options.store) };
  } finally {
    await link.close();
  }
}

/** No stream has a message of this number. */
const NEVER = Number.MAX_SAFE_INTEGER;

async function openChecked(options: NatsOptions): Promise<Link> {
  const { store } = options;
  checkName(store);
  const link = await openLink(options);
  try {
    await ensureStreams(link, store, options.create);
  } catch (error) {
    await link.close();
    throw error;
  }
  return link;
}

function storeOn(link: Link, { store }: NatsOptions): RunStore {
  const { runs, files } = streamsOf(store);
  const writer = randomUUID();
  const kindOf = (subject: string, name: string) => ({
    subjectOf: (one: string): string => `${store}.${subject}.${one}`,
    nameOf: (one: string): string => `${name} ${one}`,
  });
  return withCheckedNames({
    ...linesOf(link, runs, kindOf('run', 'run'), writer),
    approvals: linesOf(link, runs, kindOf('approval', 'approvals of'), writer),
    ...blobsOf(link, files, store),
    ...locksOf(link, files, (name) => `${store}.lock.${name}`),
    close: link.close,
  });
}
