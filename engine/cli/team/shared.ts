import { stateOf, type Holder } from '../../journal/holder.js';
import { openJournal } from '../../journal/journal.js';
import type { Lock } from '../../journal/lock.js';
import { findUnfinished, type RunFolder, type Runs } from '../../journal/run-folder.js';
import { openOutbox, type Outbox, type OutboxOptions } from '../../store/outbox.js';
import { who } from '../run/who.js';
import { exchange, localRuns } from './exchange.js';
import { copyRun } from '../../store/copy.js';
import { lockName, type Team } from './team.js';

/** What a process that acts has of the team's store, once it has the lock there. */
export interface Shared {
  /** Of whom the lock was taken away: a lease of that process on a host counts for nothing. */
  readonly replaces?: Holder;
  readonly name: string;
  /** Sends the lines of a run. */
  readonly outbox: (folder: RunFolder, lines: number, means: Pick<OutboxOptions, 'signal' | 'onWaiting'>) => Outbox;
  /** Sends the files of a run. */
  readonly sendFiles: (folder: RunFolder) => Promise<void>;
  readonly release: () => Promise<void>;
}

/**
 * Takes the lock in the store of a team, and brings both sides to what the other has. A holder that has ended is replaced; any other only
 * with `takeOver`: then the unfinished run gets a record of it, which refuses every later one of the process that had it.
 */
export async function share(
  team: Team,
  runs: Runs,
  lock: Lock,
  takeOver: boolean,
): Promise<Shared | { readonly takenBy: Holder }> {
  const { store } = team;
  const name = lockName(runs);
  const { holder } = lock;
  let replaces: Holder | undefined;
  for (let locked = await store.lock(name, holder); locked.is !== 'held';) {
    if (locked.is === 'taken') {
      if (!takeOver && stateOf(locked.by) !== 'ended') return { takenBy: locked.by };
      replaces = locked.by;
    }
    locked = await (locked.is === 'free' ? store.lock(name, holder) : store.takeOver(name, holder, locked.by));
  }
  for (const { run, folder } of await exchange(store, runs, true))
    process.stderr.write(
      `The run ${run} was continued by another controller. What this machine had recorded since, and done on no host, is in ${folder}\n`,
    );
  const shared = sharedOf(team, runs, holder, replaces);
  if (replaces !== undefined) await fence(shared, runs, lock);
  return shared;
}

function sharedOf({ store, name }: Team, runs: Runs, holder: Holder, replaces: Holder | undefined): Shared {
  const local = localRuns(runs);
  return {
    name,
    ...(replaces === undefined ? {} : { replaces }),
    outbox: ({ id }, lines, means) =>
      openOutbox({
        store,
        run: id,
        last: lines,
        confirm: async () => (await store.holderOf(lockName(runs)))?.token === holder.token,
        read: (file) => local.getBlob(id, file),
        ...means,
      }),
    async sendFiles({ id }) {
      await copyRun(local, store, id);
    },
    async release() {
      await store.release(lockName(runs), holder);
      await local.close();
    },
  };
}

/** A record in the run that the other process may still be working on: that process can then record nothing more in the store, and so not act. */
async function fence(shared: Shared, runs: Runs, lock: Lock): Promise<void> {
  const open = findUnfinished(runs);
  if (open === undefined) return;
  const { folder, past } = open;
  const outbox = shared.outbox(folder, past.length, { signal: AbortSignal.abort(), onWaiting: () => undefined });
  const journal = openJournal({
    // A run of the model has a clock of its own.
    nowMs: () => (runs.ofModel ? (past.at(-1)?.atMs ?? 0) : Date.now()),
    file: folder.journalFile,
    blobs: folder.blobs,
    past,
    lock,
    send: outbox.push,
  });
  try {
    journal.emit({ e: 'taken-over', by: who().by });
    await outbox.flushed();
  } finally {
    journal.close();
  }
}
