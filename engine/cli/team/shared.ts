import type { Holder } from '../../journal/holder.js';
import { openJournal } from '../../journal/journal.js';
import type { Lock } from '../../journal/lock.js';
import { findAllUnfinished, type RunFolder, type Runs } from '../../journal/run-folder.js';
import { approvalsOf, type Approval } from '../../store/approvals.js';
import { openOutbox, type Outbox, type OutboxOptions } from '../../store/outbox.js';
import { sayLate } from '../terminal/say-late.js';
import { who } from '../run/who.js';
import { StoreUnavailable } from '../../store/run-store.js';
import { exchange, localRuns, type SetAside } from './exchange.js';
import { copyRun } from '../../store/copy.js';
import { hearStops } from './stop-request.js';
import { lockName, type Team } from './team.js';

/** What a process that acts has of the team's store, once it has the lock there. */
export interface Shared {
  /** Of whom the lock was taken away: a lease of that process on a host counts for nothing. */
  readonly replaces?: Holder;
  readonly name: string;
  /** Sends the lines of a run. */
  readonly outbox: (folder: RunFolder, lines: number, means: Pick<OutboxOptions, 'signal' | 'onWaiting'>) => Outbox;
  /** Whether this process still has the lock there. */
  readonly isOurs: () => Promise<boolean>;
  /** Sends the files of a run. */
  readonly sendFiles: (folder: RunFolder) => Promise<void>;
  /** Who approved a plan, by the SHA-256 of its file. */
  readonly approvals: (plan: string) => Promise<readonly Approval[]>;
  /** Hears `runbook stop` of other machines, until the function that it returns is called. */
  readonly hearStops: (stop: () => boolean) => () => Promise<void>;
  readonly release: () => Promise<void>;
}

/**
 * Takes the lock in the store of a team, and brings both sides to what the other has. A holder is
 * replaced where `mayReplace` says so: then each unfinished run gets a record of it, which refuses every later one of who had it.
 */
export async function share(
  team: Team,
  runs: Runs,
  lock: Lock,
  mayReplace: (holder: Holder) => boolean | Promise<boolean>,
): Promise<Shared | { readonly takenBy: Holder }> {
  const { store } = team;
  const name = lockName(runs);
  const { holder } = lock;
  let replaces: Holder | undefined;
  for (let locked = await store.lock(name, holder); locked.is !== 'held';) {
    if (locked.is === 'taken') {
      if (!(await mayReplace(locked.by))) return { takenBy: locked.by };
      replaces = locked.by;
    }
    locked = await (locked.is === 'free' ? store.lock(name, holder) : store.takeOver(name, holder, locked.by));
  }
  const shared = sharedOf(team, runs, holder, replaces);
  try {
    saySetAside(await sayLate(`Reading the runs of the store ${team.name}`, exchange(store, runs, true)));
    if (replaces !== undefined) await fence(shared, replaces, runs, lock);
    return shared;
  } catch (error) {
    // Not begun: it keeps no other machine from the runs.
    await shared.release();
    throw error;
  }
}

/** Says which runs were continued elsewhere, and where this machine's own record of them is. */
export function saySetAside(all: readonly SetAside[]): void {
  for (const { run, folder, from, by = 'another machine' } of all)
    process.stderr.write(
      `The run ${run} was continued by ${by} from record ${from} on. What this machine had recorded since, and the store does not have, is in ${folder}\n`,
    );
}

function sharedOf({ store, name }: Team, runs: Runs, holder: Holder, replaces: Holder | undefined): Shared {
  const local = localRuns(runs);
  const isOurs = async (): Promise<boolean> => (await store.holderOf(lockName(runs)))?.token === holder.token;
  return {
    name,
    ...(replaces === undefined ? {} : { replaces }),
    outbox: ({ id }, lines, means) =>
      openOutbox({
        store,
        run: id,
        last: lines,
        confirm: isOurs,
        read: (file) => local.getBlob(id, file),
        ...means,
      }),
    isOurs,
    async sendFiles({ id }) {
      await copyRun(local, store, id, 'always');
    },
    approvals: (plan) => approvalsOf(store, plan),
    hearStops: (stop) => hearStops(store, holder, stop),
    async release() {
      await local.close();
      try {
        await store.release(lockName(runs), holder);
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        process.stderr.write(
          `The lock in ${name} could not be released (${error.answer}): the next command of this machine releases it, and --take-over on another\n`,
        );
      }
    },
  };
}

/** A record in each run that the other process may still be working on: it can then record nothing more in the store, and so not act. */
async function fence(shared: Shared, from: Holder, runs: Runs, lock: Lock): Promise<void> {
  for (const { folder, past } of findAllUnfinished(runs)) {
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
      journal.emit({ e: 'taken-over', by: who().by, from: from.token });
      await outbox.flushed();
    } finally {
      journal.close();
    }
  }
}
