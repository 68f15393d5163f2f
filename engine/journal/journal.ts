import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Event, Recorded } from '../terms/event.js';
import type { Json } from '../terms/json.js';
import type { Blobs } from './blobs.js';
import { JOURNAL_VERSION } from './earlier.js';
import { fold } from './fold.js';
import { LockLost, RunFolderGone, type Lock } from './lock.js';
import { openEnd, type EndMarker } from './end-marker.js';
import { openForWriting } from './journal-file.js';
import { seal, sumIn } from '../lib/sealed.js';
import { forJournal, shown, type Split } from './redaction.js';
import { emptyState, type RunState } from './state.js';

/** Where events go; `emit` returns once the event is where it must be. Who subscribes sees no secret. */
export interface Journal {
  /** The fold of the events as they happened: secrets that hosts showed are in it, for decisions are made by it. */
  readonly state: RunState;
  emit(event: Event): void;
  subscribe(listener: (recorded: Recorded) => void): void;
  /** Throws LockLost once another process has taken the run over. */
  mustBeOurs(): void;
  /** The last record that was synced, with the checksum of the first, which tells this run from any other; undefined without a file. */
  readonly synced: () => SyncedRecord | undefined;
  /** A record could not be written: nothing can be recorded any more. */
  isBroken(): boolean;
  close(): void;
}

export interface SyncedRecord extends EndMarker {
  readonly first: string;
}

export interface JournalOptions {
  readonly nowMs: () => number;
  /** NDJSON, appended; absent: the journal lives in memory (a plan). */
  readonly file?: string;
  /** What an earlier process wrote: folded first, numbered on from. */
  readonly past?: readonly Recorded[];
  /** Where large texts go; absent: they stay in the line. */
  readonly blobs?: Blobs;
  /** Finds secrets in a text, so that they are neither written nor seen. */
  readonly split?: Split;
  /** Without it nothing is written any more. */
  readonly lock?: Pick<Lock, 'isHeld'>;
  /** Gets each line, without its end, once it is in the file. */
  readonly send?: (line: string) => void;
}

/**
 * An event that must be on disk before the next thing happens: before each effect, and after its outcome. What comes before it in the
 * file is there with it: `from` is not waited for host by host, for an intent comes before whatever would alter a version.
 */
const SYNCED: ReadonlySet<Event['e']> = new Set([
  'run-started',
  'temporary-made',
  'intent',
  'effect',
  'settled',
  'temporary-restored',
  'host-chosen',
  'host-left',
  'run-ended',
]);

/** An append-only journal whose state is the fold of its events. Throws when its disk does: nothing may act unrecorded. */
export function openJournal(options: JournalOptions): Journal {
  const state = emptyState();
  const listeners: ((recorded: Recorded) => void)[] = [];
  const { file, past = [] } = options;
  const disk = file === undefined ? undefined : { ...openForWriting(file, past.length), end: openEnd(file) };
  for (const { event } of past) fold(state, event);
  let [first, sum] = [disk?.first ?? '', disk?.sum ?? ''];
  const split: Split = options.split ?? ((text) => [text]);
  let last = past.at(-1)?.seq ?? 0;
  // What was read was synced when the file was opened.
  let synced: EndMarker | undefined = sum === '' ? undefined : { seq: last, sum };
  let broken: Error | undefined;
  const mustBeOurs = (): void => {
    if (file !== undefined && !existsSync(file)) throw new RunFolderGone(dirname(file));
    if (options.lock?.isHeld() === false) throw new LockLost();
  };
  return {
    state,
    mustBeOurs,
    synced: () => (synced === undefined ? undefined : { ...synced, first }),
    isBroken: () => broken !== undefined,
    emit(event) {
      const seq = last + 1;
      const recorded: Recorded = { seq, atMs: options.nowMs(), event };
      if (disk !== undefined) {
        const versioned =
          seq === 1 ? { journal: JOURNAL_VERSION, ...recorded, nonce: randomBytes(8).toString('hex') } : recorded;
        const written = forJournal(versioned, split) as unknown as Json;
        const line = JSON.stringify(options.blobs?.strip(written) ?? written);
        if (broken !== undefined) throw broken;
        mustBeOurs();
        try {
          const sealed = seal(line, disk.chained ? sum : '');
          const bytes = Buffer.from(`${sealed}\n`);
          append(disk.fd, bytes);
          sum = sumIn(bytes);
          if (seq === 1) first = sum;
          if (mustSync(event)) {
            fsyncSync(disk.fd);
            synced = { seq, sum };
            disk.end.write(synced);
          }
          options.send?.(sealed);
        } catch (error) {
          // Hosts work side by side: what one could not record, no other may act after.
          broken = error as Error;
          throw broken;
        }
      }
      // A record that could not be made is none: the next one has its number.
      last = seq;
      fold(state, event);
      if (listeners.length === 0) return;
      const visible = shown(recorded, split);
      for (const listener of listeners) listener(visible);
    },
    subscribe: (listener) => void listeners.push(listener),
    close() {
      if (disk === undefined) return;
      closeSync(disk.fd);
      disk.end.close();
    },
  };
}

/** An unchanged task alters nothing: losing its record costs a second check, so its record is not synced. */
const mustSync = (event: Event): boolean => SYNCED.has(event.e) && !(event.e === 'settled' && !event.changed);

/** Appends all of it, or nothing: half a line is taken back. */
export function append(fd: number, bytes: Buffer): void {
  const before = fstatSync(fd).size;
  try {
    // A disk that fills takes a part without an error, and refuses the next.
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
  } catch (error) {
    ftruncateSync(fd, before);
    throw error;
  }
}
