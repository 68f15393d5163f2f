import { closeSync, openSync, renameSync, writeSync } from 'node:fs';
import { MOST_OF, readFileWithin } from '../lib/bounded-file.js';
import { isObject } from '../terms/json.js';
import { seal, unseal } from '../lib/sealed.js';

/**
 * How far a journal was synced: `journal.ndjson.end` beside it names its last synced record. Behind that record anything may be missing (a loss
 * of power takes what was not synced), before it nothing may.
 */
export interface EndMarker {
  /** The number of the record, from 1. */
  readonly seq: number;
  /** Its checksum, which covers all before it. */
  readonly sum: string;
}

const fileOf = (journalFile: string): string => `${journalFile}.end`;

/** All markers have one length, so that one is written over another in place. */
const DIGITS = 12;
const textOf = ({ seq, sum }: EndMarker): string =>
  `${seal(JSON.stringify({ record: String(seq).padStart(DIGITS, '0'), of: sum }))}\n`;

/** The marker of a journal; undefined where there is none, or none that can be read: that is no damage. */
export function readEnd(journalFile: string): EndMarker | undefined {
  try {
    const marker = unseal(readFileWithin(fileOf(journalFile), MOST_OF.own).subarray(0, -1));
    if (!isObject(marker)) return undefined;
    const { record, of } = marker;
    return typeof record === 'string' && typeof of === 'string' ? { seq: Number(record), sum: of } : undefined;
  } catch {
    return undefined;
  }
}

export interface EndWriter {
  /** After the journal was synced; it need not be synced itself. */
  write(marker: EndMarker): void;
  close(): void;
}

/** In a file of its own, which replaces the one there: an earlier writer that wakes up reaches it no longer. */
export function openEnd(journalFile: string): EndWriter {
  const file = fileOf(journalFile);
  const before = readEnd(journalFile);
  const fd = openSync(`${file}.new`, 'w', 0o600);
  const write = (marker: EndMarker): void => void writeSync(fd, textOf(marker), 0);
  if (before !== undefined) write(before);
  renameSync(`${file}.new`, file);
  return { write, close: () => closeSync(fd) };
}
