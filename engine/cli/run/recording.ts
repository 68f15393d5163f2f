import { openJournal, type Journal } from '../../journal/journal.js';
import { eventsFor } from '../../journal/run-folder.js';
import type { Progress } from '../../report/live/live.js';
import type { Outbox } from '../../store/outbox.js';
import type { Recorded } from '../../terms/event.js';
import type { Clock } from '../../terms/machine.js';
import { openShared, sendLast } from '../team/sending.js';
import { openSinks } from '../terminal/sinks.js';
import { namingSetBack } from './clock-set-back.js';
import type { Doors } from './doors.js';
import { lastWrite } from './in-time.js';
import type { SessionRequest } from './session-request.js';
import { openWebhooks, type Webhooks } from './webhooks.js';

/** Where the events of a run go: its journal, and from there the screen, the log, the store of a team and webhooks. */
export interface Recording {
  readonly journal: Journal;
  readonly events: readonly Recorded[];
  /** Of a run that a team shares. */
  readonly outbox: Outbox | undefined;
  readonly webhooks: Webhooks | undefined;
  /** Ends waits for the store. */
  stopWaiting(): void;
  /** Sends what is left to the store. */
  sendLast(): Promise<void>;
  close(): Promise<void>;
}

interface RecordingPorts {
  readonly clock: Clock;
  /** How far the clock here was behind it as the run began, milliseconds. */
  readonly behindMs: number;
  readonly progress: Progress;
}

/** Throws LockLost where another controller has the run of a team. */
export async function openRecording(
  request: SessionRequest,
  { secrets, hear }: Pick<Doors, 'secrets' | 'hear'>,
  { clock, behindMs, progress }: RecordingPorts,
): Promise<Recording> {
  const { project, flags, folder, verb, past, lock, reads } = request;
  const shared = folder === undefined ? undefined : lock?.shared;
  const stopWaiting = new AbortController();
  // Also with --json, which prints nothing else here: a run that waits for its store has no events.
  const sayOfStore = flags.json ? (text: string) => void process.stderr.write(`${text}\n`) : progress.say;
  const outbox =
    folder === undefined || shared === undefined
      ? undefined
      : await openShared(shared, folder, past?.length ?? 0, stopWaiting.signal, sayOfStore);
  const from = folder ?? reads;
  const opened = openJournal({
    nowMs: () => clock.nowMs(),
    split: secrets.split,
    ...(folder === undefined ? {} : { file: folder.journalFile, blobs: folder.blobs }),
    ...(past === undefined || from === undefined ? {} : { past: eventsFor(from, secrets.known) }),
    ...(lock === undefined ? {} : { lock }),
    ...(outbox === undefined ? {} : { send: outbox.push }),
  });
  const journal = folder === undefined ? opened : namingSetBack(opened, clock, behindMs);
  hear((host, silence) => journal.emit({ e: 'waiting', host, ...silence }));
  const events: Recorded[] = [...(past ?? [])];
  journal.subscribe((recorded) => events.push(recorded));
  journal.subscribe(progress.on);
  const sinks = await openSinks(journal, flags, verb, folder);
  const { notify = [] } = project.inventory;
  const webhooks =
    folder === undefined || notify.length === 0 ? undefined : openWebhooks(notify, secrets, progress.say);
  if (webhooks !== undefined) journal.subscribe(webhooks.on);
  return {
    ...{ journal, events, outbox, webhooks },
    stopWaiting: () => stopWaiting.abort(),
    async sendLast() {
      if (shared !== undefined && folder !== undefined && outbox?.hasFailed() === false)
        await sendLast({ shared, folder, outbox, stopWaiting, say: sayOfStore });
    },
    async close() {
      hear(undefined);
      await webhooks?.close();
      progress.end();
      await lastWrite(sinks.close());
      journal.close();
    },
  };
}
