import { randomUUID } from 'node:crypto';
import { withCheckedNames } from '../checked-names.js';
import { checkName, type RunStore } from '../run-store.js';
import { blobsOf } from './blobs.js';
import { linesOf } from './lines.js';
import { openLink } from './link.js';
import { locksOf } from './locks.js';
import type { NatsOptions } from './options.js';
import { ensureStreams, streamsOf } from './streams.js';

/** Opens the store of a team on NATS with JetStream. Throws StoreUnavailable, and InvalidName for its name. */
export async function openNatsStore(options: NatsOptions): Promise<RunStore> {
  const { store } = options;
  checkName(store);
  const link = await openLink(options);
  try {
    await ensureStreams(link, store, options.create);
  } catch (error) {
    await link.close();
    throw error;
  }
  const { runs, files } = streamsOf(store);
  const writer = randomUUID();
  const kindOf = (subject: string, name: string) => ({
    subjectOf: (one: string): string => `${store}.${subject}.${one}`,
    nameOf: (one: string): string => `${name} ${one}`,
  });
  return withCheckedNames({
    ...linesOf(link, runs, kindOf('run', 'run'), writer),
    approvals: linesOf(link, runs, kindOf('approval', 'approvals of plan'), writer),
    ...blobsOf(link, files, store),
    ...locksOf(link, files, (name) => `${store}.lock.${name}`),
    close: link.close,
  });
}
