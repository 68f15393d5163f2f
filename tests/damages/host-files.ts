import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { thisHolder, type Holder } from '../../engine/journal/holder.js';
import { takeLock } from '../../engine/journal/lock.js';
import { contentOfTask, pathOfTask } from '../../engine/facts/pending-task.js';
import { contentOf } from '../../engine/modules/shared/text-file.js';
import { readFact } from '../../engine/run/facts/platform-facts.js';
import { Leases } from '../../engine/run/lease.js';
import type { Known } from '../../engine/terms/fact.js';
import type { Swapped } from '../../engine/terms/machine.js';
import { compare, type Target } from './target.js';

const soon = (): Promise<void> => Promise.resolve();
const holderOf = (token: string): Holder => ({ ...thisHolder('apply', '/work/inventory.yaml', Date.now()), token });

/** The lock of a process that works: no other may get it while the first has it. */
export async function lockFile(root: string): Promise<Target> {
  const folder = join(root, 'locks');
  const lock = await takeLock(folder, holderOf('1'), soon);
  if ('takenBy' in lock) throw new Error('the folder of locks is not new');
  const file = join(folder, '1.held');
  const now = readFileSync(file);
  const beside = join(root, 'other-locks');
  await takeLock(beside, holderOf('2'), soon);
  return {
    name: 'lock',
    source: { now, other: readFileSync(join(beside, '2.held')) },
    async judge(bytes) {
      if (bytes === undefined) rmSync(file);
      else writeFileSync(file, bytes);
      const taken = await takeLock(folder, holderOf('3'), soon);
      // The first process asks for its lock before each record: without it, it stops.
      const isTakenFromIt = !('takenBy' in taken) && bytes !== undefined;
      const isAtWork = lock.isHeld();
      if ('release' in taken) taken.release();
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, now);
      if (!('takenBy' in taken)) return isAtWork || isTakenFromIt ? 'accepted' : 'noticed';
      const { file: found, ...by } = taken.takenBy;
      return found?.is === 'damaged' ? 'noticed' : compare(by, lock.holder);
    },
  };
}

/** The lease of a process that works: each of its actions compares it word for word, so the process stops once it is another text. */
export async function leaseFile(): Promise<Target> {
  let file = '';
  const swap = (_host: string, _file: string, expected: string, wanted: string): Promise<Swapped> => {
    if (file !== expected) return Promise.resolve({ is: 'found', text: file });
    file = wanted;
    return Promise.resolve({ is: 'swapped' });
  };
  const project = {
    platform: { lease: { roles: ['node'], file: '/var/lease' } },
    inventory: { hosts: [{ name: 'a', roles: ['node'] }] },
  } as unknown as ConstructorParameters<typeof Leases>[0];
  const leases = new Leases(project, swap);
  await leases.take(holderOf('1'), () => undefined);
  const now = file;
  return {
    name: 'lease',
    source: { now: Buffer.from(now), other: Buffer.from(JSON.stringify(holderOf('2'))) },
    async judge(bytes) {
      file = bytes?.toString('utf8') ?? '';
      const isDamaged = file !== now;
      const second = new Leases(project, swap);
      const taken = await second.take(holderOf('3'), () => undefined);
      // Both at work: what the first would do next is compared with the file as it is.
      const isFirstAtWork = leases.of('a')?.text === file;
      const isSecondAtWork = taken === undefined && second.of('a')?.text === file;
      if (isFirstAtWork && isSecondAtWork) return 'accepted';
      return isDamaged ? 'noticed' : 'no effect';
    },
  };
}

/** A pending task, as a fact of the platform reads it: there is no message where the default stands. */
export function pendingTask(): Target {
  const [task, text] = ['upgrade-of-manager', '4.12.0-1 4.14.7-1\n'];
  const fact = { description: '', type: 'string', file: pathOfTask(task), format: 'text', default: '' } as const;
  return {
    name: 'pending task',
    source: {
      now: Buffer.from(contentOfTask(task, text)),
      other: Buffer.from(contentOfTask('upgrade-of-indexer', '4.11.0-1 4.14.7-1\n')),
    },
    without: ['deleted'],
    judge(bytes) {
      const content = bytes === undefined ? null : contentOf(bytes);
      const found = <V>(): Known<V> => ({ known: true, value: content as V });
      const read = readFact(fact, { host: 'a', get: () => 'missing', read: found });
      return read.known ? compare(read.value, text) : 'noticed';
    },
  };
}
