import { setTimeout as sleep } from 'node:timers/promises';
import { LockLost } from '../journal/lock.js';
import { StoreUnavailable, TEXTS, type RunStore, type StoreCode } from './run-store.js';

/** The lines of a run that goes on, on their way to the store. */
export interface Outbox {
  /** In the order of their numbers, each after it was written to the run's own file. */
  readonly push: (line: string) => void;
  /**
   * Returns once all lines that were pushed are in the store. Throws LockLost where another controller continues the run, and
   * StoreUnavailable where the store refuses a line, or does not answer and `signal` came. After that nothing is sent any more.
   */
  readonly flushed: () => Promise<void>;
  /** The same, and then asks the store whether the run's last line is still ours: before each effect. */
  readonly mayAct: () => Promise<void>;
  /** It has thrown: who works on the run knows. */
  readonly hasFailed: () => boolean;
}

export interface OutboxOptions {
  readonly store: RunStore;
  readonly run: string;
  /** How many lines of the run the store has. */
  readonly last: number;
  /** Asked once the first lines are in the store: whether this process still has the lock on the inventory there. */
  readonly confirm: () => Promise<boolean>;
  /** A file of the run, by its name. */
  readonly read: (name: string) => Promise<Buffer | undefined>;
  /** The store is not waited for any more. */
  readonly signal: AbortSignal;
  /** It does not answer (once, until it does again), or answers again. */
  readonly onWaiting: (why: StoreUnavailable | undefined) => void;
}

/** One message after another costs a round trip each. */
const BATCH = 256;
const PAUSE_MS = 1_000;
/** These pass. Any other is for a person to end. */
const PASSING: ReadonlySet<StoreCode> = new Set(['unreachable', 'busy']);

/** Texts that a line refers to (engine/journal/blobs.ts). Inside a text its quotes would be escaped. */
const REFERENCE = /"\$blob":"([0-9a-f]{64})"/g;

export function openOutbox({ store, run, last, confirm, read, signal, onWaiting }: OutboxOptions): Outbox {
  const lines: Buffer[] = [];
  const sent = new Set<string>();
  let there = last;
  let broken: Error | undefined;
  let isConfirmed = false;
  /** How often it was asked whether the run's last line is still ours, and up to which of these the store has said so. */
  let comparisons = 0;
  let compared = 0;
  let isThrown = false;
  let isWaiting = false;
  let sending: Promise<void> | undefined;

  async function sendTexts(batch: readonly Buffer[]): Promise<void> {
    for (const line of batch)
      for (const [, sha = ''] of line.toString('utf8').matchAll(REFERENCE)) {
        if (sent.has(sha)) continue;
        const bytes = await read(`${TEXTS}/${sha}`);
        if (bytes !== undefined) await store.putBlob(run, `${TEXTS}/${sha}`, bytes);
        sent.add(sha);
      }
  }

  async function sendBatch(): Promise<void> {
    const upTo = comparisons;
    const batch = lines.slice(0, BATCH);
    await sendTexts(batch);
    const appended = await store.append(run, there, batch);
    if (appended.is === 'fenced') throw new LockLost();
    there = appended.last;
    lines.splice(0, batch.length);
    // Who took the lock away before these lines were there did not see this run, and could not refuse them.
    if (!isConfirmed) {
      comparisons += 1;
      if (!(await confirm())) throw new LockLost();
      isConfirmed = true;
    }
    compared = upTo;
    if (isWaiting) onWaiting(undefined);
    isWaiting = false;
  }

  async function sendAll(): Promise<void> {
    while (isDue() && broken === undefined) {
      try {
        await sendBatch();
      } catch (error) {
        const passes = error instanceof StoreUnavailable && PASSING.has(error.code) && !signal.aborted;
        if (!passes) broken = error as Error;
        else {
          if (!isWaiting) onWaiting(error);
          isWaiting = true;
          await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
        }
      }
    }
  }

  const isDue = (): boolean => lines.length > 0 || compared < comparisons;
  const send = (): Promise<void> => (sending ??= sendAll().finally(() => (sending = undefined)));

  async function flushed(): Promise<void> {
    while (isDue() && broken === undefined) await send();
    if (broken === undefined) return;
    isThrown = true;
    throw broken;
  }

  return {
    push(line) {
      lines.push(Buffer.from(line));
      void send();
    },
    flushed,
    async mayAct() {
      comparisons += 1;
      await flushed();
    },
    hasFailed: () => isThrown,
  };
}
