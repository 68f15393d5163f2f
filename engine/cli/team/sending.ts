import type { RunFolder } from '../../journal/run-folder.js';
import type { Outbox } from '../../store/outbox.js';
import { StoreUnavailable } from '../../store/run-store.js';
import type { Shared } from './shared.js';

/** Sends what a run keeps beside its journal, and opens the way for its lines. `say` tells the operator. */
export async function openShared(
  shared: Shared,
  folder: RunFolder,
  lines: number,
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<Outbox> {
  await shared.sendFiles(folder);
  const onWaiting = (why: StoreUnavailable | undefined): void =>
    say(
      why === undefined
        ? `The store ${shared.name} answers again; the run continues.`
        : `The store ${shared.name} does not answer (${why.answer}). The run waits before its next action; Ctrl-C stops it.`,
    );
  return shared.outbox(folder, lines, { signal, onWaiting });
}

/** What is left to send at the end of a run. What does not arrive is sent by the next command of this machine. */
export async function sendLast(
  shared: Shared,
  folder: RunFolder,
  outbox: Outbox,
  say: (text: string) => void,
): Promise<void> {
  try {
    await outbox.flushed();
    await shared.sendFiles(folder);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    say(
      `The last records of the run are not in the store ${shared.name} (${error.answer}); the next command of this machine sends them.`,
    );
  }
}
