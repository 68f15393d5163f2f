import { setTimeout as pause } from 'node:timers/promises';
import { isSameProcess, thisHolder, type Holder } from '../../journal/holder.js';
import type { Runs } from '../../journal/run-folder.js';
import { StoreUnavailable, type RunStore } from '../../store/run-store.js';
import { lockName } from './team.js';

const POLL_MS = 1_000;
/** How long `runbook stop` waits until the process has taken note of its request. */
export const ANSWER_MS = 30_000;

/** The request to stop a process is a lock of this name, which the process releases once it has taken note. */
const requestTo = ({ token }: Holder): string => `stop_${token}`;

/**
 * Asks the store again and again whether this process is to stop. `stop` gives false where it cannot stop in order yet: it is called
 * again then. Ends with the function that it returns.
 */
export function hearStops(store: RunStore, self: Holder, stop: () => boolean): () => Promise<void> {
  const end = new AbortController();
  const hearing = (async () => {
    for (;;) {
      await pause(POLL_MS, undefined, { signal: end.signal }).catch(() => undefined);
      if (end.signal.aborted) return;
      try {
        const by = await store.holderOf(requestTo(self));
        if (by !== undefined && stop()) await store.release(requestTo(self), by);
      } catch (error) {
        // Whoever acts says so.
        if (!(error instanceof StoreUnavailable)) throw error;
      }
    }
  })();
  return () => {
    end.abort();
    return hearing;
  };
}

/** A request to stop that is in the store. */
export interface StopRequest {
  /** Whether the process took note of it, or has ended, within the time. */
  readonly isHeard: (withinMs: number) => Promise<boolean>;
  /** Returns once the process has given its lock back. */
  readonly isOver: () => Promise<void>;
}

/** Asks the process that was seen to stop; undefined where it has no lock in the store. Throws StoreUnavailable. */
export async function requestStop(store: RunStore, runs: Runs, seen: Holder): Promise<StopRequest | undefined> {
  const holder = await store.holderOf(lockName(runs));
  if (holder === undefined || !isSameProcess(holder, seen)) return undefined;
  const atWork = async (): Promise<boolean> => (await store.holderOf(lockName(runs)))?.token === holder.token;
  // Another operator's request is as good.
  await store.lock(requestTo(holder), thisHolder('stop', runs.inventory, Date.now()));
  const isOpen = async (): Promise<boolean> =>
    (await store.holderOf(requestTo(holder))) !== undefined && (await atWork());
  return {
    async isHeard(withinMs) {
      const untilMs = performance.now() + withinMs;
      while (await isOpen()) {
        if (performance.now() >= untilMs) return false;
        await pause(Math.min(POLL_MS, withinMs));
      }
      return true;
    },
    async isOver() {
      while (await atWork()) await pause(POLL_MS);
    },
  };
}
