import { closeSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import type { Event, Recorded } from '../terms/event.js';
import type { Json } from '../terms/json.js';
import type { Blobs } from './blobs.js';
import { fold } from './fold.js';
import { emptyState, type RunState } from './state.js';

/** Where events go. `state` is their fold; `emit` returns once the event is where it must be. */
export interface Journal {
  readonly state: RunState;
  emit(event: Event): void;
  subscribe(listener: (recorded: Recorded) => void): void;
  close(): void;
}

export interface JournalOptions {
  readonly nowMs: () => number;
  /** NDJSON, appended; absent: the journal lives in memory (a plan). */
  readonly file?: string;
  /** What an earlier process wrote: folded first, numbered on from. */
  readonly past?: readonly Recorded[];
  /** Where large texts go; absent: they stay in the line. */
  readonly blobs?: Blobs;
  /** Takes secrets out of a line before it is written or seen. */
  readonly redact?: (text: string) => string;
}

/** An event that must be on disk before the next thing happens: before each effect, and after its outcome. */
const SYNCED: ReadonlySet<Event['e']> = new Set([
  'run-started',
  'from',
  'owed',
  'intent',
  'effect',
  'settled',
  'paid',
  'host-chosen',
  'host-left',
  'run-ended',
]);

/** An append-only journal whose state is the fold of its events. Throws when its disk does: nothing may act unrecorded. */
export function openJournal(options: JournalOptions): Journal {
  const state = emptyState();
  for (const { event } of options.past ?? []) fold(state, event);
  const listeners: ((recorded: Recorded) => void)[] = [];
  const fd = options.file === undefined ? undefined : openSync(options.file, 'a', 0o600);
  const redact = options.redact ?? ((text: string) => text);
  let seq = options.past?.at(-1)?.seq ?? 0;
  return {
    state,
    emit(event) {
      seq += 1;
      const clean = redact(JSON.stringify({ seq, atMs: options.nowMs(), event } satisfies Recorded));
      const recorded = JSON.parse(clean) as Recorded;
      if (fd !== undefined) {
        const line =
          options.blobs === undefined ? clean : JSON.stringify(options.blobs.strip(recorded as unknown as Json));
        writeSync(fd, `${line}\n`);
        if (mustSync(event)) fsyncSync(fd);
      }
      fold(state, recorded.event);
      for (const listener of listeners) listener(recorded);
    },
    subscribe: (listener) => void listeners.push(listener),
    close() {
      if (fd !== undefined) closeSync(fd);
    },
  };
}

/** A task that was already right changes nothing: losing its record costs a second look, so it is not waited for. */
const mustSync = (event: Event): boolean => SYNCED.has(event.e) && !(event.e === 'settled' && !event.changed);

/**
 * The events of a journal file. A torn last line (the disk filled, the power went) was never acted upon: it is cut off, so that
 * the next line begins on its own. Throws on any other line that is no event: the journal is damaged.
 */
export function readJournal(file: string, blobs?: Blobs): readonly Recorded[] {
  const text = readFileSync(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole.length < text.length) truncateSync(file, Buffer.byteLength(whole));
  return whole
    .split('\n')
    .slice(0, -1)
    .map((line, index) => {
      try {
        const parsed = JSON.parse(line) as Json;
        return (blobs === undefined ? parsed : blobs.fill(parsed)) as unknown as Recorded;
      } catch (cause) {
        throw new Error(`${file}:${index + 1}: the journal is damaged`, { cause });
      }
    });
}
