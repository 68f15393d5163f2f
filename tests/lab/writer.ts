import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endProcess } from './down.js';
import { ask } from './indexer-client.js';
import { inRun, ownedOf, readState, saveState } from './state.js';

/** The index that the writer writes to: several shards, so that some are elsewhere when a node is away. */
export const writerIndex = 'lab-writer';

/** One id a line, written after the cluster had acknowledged the document. */
export const acknowledgedFile = (): string => inRun('acknowledged.log');

export interface Verification {
  /** Documents that the cluster acknowledged. */
  acknowledged: number;
  /** Of these, how many it still has. */
  found: number;
  /** The ids of those it has not. */
  missing: string[];
  /** Documents in the index: more than were acknowledged when an answer was lost on its way. */
  total: number;
}

/** Starts the writer as a process of its own, which goes on until `stopWriter` or `lab down`. */
export async function startWriter(): Promise<void> {
  const state = await readState();
  if (state === undefined) throw new Error('no lab is up');
  const found = await ask('GET', `/_cat/indices?format=json&h=index`);
  if (!(found as { index: string }[]).some((each) => each.index === writerIndex)) {
    await ask('PUT', `/${writerIndex}`, { settings: { number_of_shards: 3, number_of_replicas: 1 } });
  }
  if (!existsSync(acknowledgedFile())) await writeFile(acknowledgedFile(), '');
  const log = await open(inRun('writer.log'), 'a', 0o600);
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), join(import.meta.dirname, 'writer-process.ts')],
    { detached: true, stdio: ['ignore', log.fd, log.fd] },
  );
  child.unref();
  await log.close();
  if (child.pid === undefined) throw new Error('the writer did not start');
  await saveState({ ...state, writer: ownedOf(child.pid) });
}

/** Ends the writer; what it had acknowledged is in the file by then. */
export async function stopWriter(): Promise<void> {
  const state = await readState();
  if (state?.writer !== undefined) await endProcess(state.writer);
}

/** Looks for each acknowledged document by its id, after a refresh. */
export async function verifyWritten(): Promise<Verification> {
  const ids = (await readFile(acknowledgedFile(), 'utf8')).split('\n').filter((line) => line !== '');
  await ask('POST', `/${writerIndex}/_refresh`);
  const missing: string[] = [];
  for (let start = 0; start < ids.length; start += 1000) {
    const answer = await ask('POST', `/${writerIndex}/_mget?_source=false`, { ids: ids.slice(start, start + 1000) });
    const { docs } = answer as { docs: { _id: string; found?: boolean }[] };
    missing.push(...docs.filter((doc) => doc.found !== true).map((doc) => doc._id));
  }
  const { count } = (await ask('GET', `/${writerIndex}/_count`)) as { count: number };
  return { acknowledged: ids.length, found: ids.length - missing.length, missing, total: count };
}
