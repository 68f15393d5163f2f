import { LockLost } from '../../journal/lock.js';
import { showDuration } from '../../lib/duration.js';
import type { RunFolder } from '../../journal/run-folder.js';
import type { Outbox, OutboxOptions } from '../../store/outbox.js';
import { StoreUnavailable } from '../../store/run-store.js';
import type { Shared } from './shared.js';

type Say = (text: string) => void;

/** Sends what a run keeps beside its journal, and opens the way for its lines. `say` tells the operator. Throws LockLost. */
export async function openShared(
  shared: Shared,
  folder: RunFolder,
  lines: number,
  signal: AbortSignal,
  say: Say,
): Promise<Outbox> {
  // A question may have waited for long: a run of who lost the lock meanwhile does not begin.
  if (!(await shared.isOurs())) throw new LockLost();
  await shared.sendFiles(folder);
  return shared.outbox(folder, lines, { signal, onWaiting: sayWaiting(shared.name, signal, say) });
}

/** Where nothing is heard for long, an operator asks whether it hangs. */
const REPEAT_MS = 20_000;

/** Says that the store does not answer, again and again until it does or the signal comes. */
export function sayWaiting(name: string, signal: AbortSignal, say: Say): OutboxOptions['onWaiting'] {
  let repeat: NodeJS.Timeout | undefined;
  const stop = (): void => clearInterval(repeat);
  signal.addEventListener('abort', stop);
  return (why) => {
    stop();
    if (why === undefined) {
      say(`The store ${name} answers again; the run continues.`);
      return;
    }
    say(`The store ${name} does not answer (${why.answer}). The run waits before its next action; Ctrl-C stops it.`);
    const startMs = Date.now();
    const waits = (): void =>
      say(`The store ${name} has not answered for ${showDuration(Date.now() - startMs)}. The run waits.`);
    if (!signal.aborted) repeat = setInterval(waits, REPEAT_MS).unref();
  };
}

/** How long a store that does not answer may hold up the end of a run. */
const LAST_MS = 30_000;

/** What is left to send at the end of a run. What does not arrive is sent by the next command of this machine. */
export async function sendLast(at: {
  readonly shared: Shared;
  readonly folder: RunFolder;
  readonly outbox: Outbox;
  readonly stopWaiting: AbortController;
  readonly say: Say;
}): Promise<void> {
  const limit = setTimeout(() => at.stopWaiting.abort(), LAST_MS);
  try {
    await at.outbox.flushed();
    await at.shared.sendFiles(at.folder);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    const { name } = at.shared;
    at.say(
      `The last records of the run are not in the store ${name} (${error.answer}). The next command sends them from here.`,
    );
  } finally {
    clearTimeout(limit);
  }
}
