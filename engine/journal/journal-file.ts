import { closeSync, existsSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { MOST_OF, NotRead, readFileWithin } from '../lib/bounded-file.js';
import { wholeLines } from '../lib/lines.js';
import type { Recorded } from '../terms/event.js';
import type { Blobs } from './blobs.js';
import { beginsEarlier, beginsUnchained, linkIn } from './earlier.js';
import { opened, redactedNames, type Reveal } from './redaction.js';
import { readEnd } from './end-marker.js';
import { sumIn, unseal } from '../lib/sealed.js';

const NEWLINE = 0x0a;

/** What the first record has beside its event: the version of the records, and a random value, for a run's name is not unique. */
interface FirstRecord {
  readonly journal?: number;
  readonly nonce?: string;
}

/** What a journal holds is not what was written to it. The message says where. */
export class JournalDamaged extends Error {}

export interface JournalRead {
  /** The records before the damage; all of them when there is none. */
  readonly events: readonly Recorded[];
  /** Where the journal is damaged. */
  readonly damage?: string;
}

/**
 * Reads a journal file and changes nothing. A line without an end at the end of the file is left out: it is being written now, or the
 * power failed, and nothing was done upon it. Each other line must be the record that was written there, after the one before it, and the
 * last record that was synced must be there (end-marker.ts). With `reveal` the events are as they
 * happened, without it as people see them.
 */
export function inspectJournal(file: string, blobs?: Blobs, reveal?: Reveal): JournalRead {
  const events: Recorded[] = [];
  const end = readEnd(file);
  const damaged = (how = 'the journal is damaged'): JournalRead => ({
    events,
    damage: `${file}:${events.length + 1}: ${how}`,
  });
  const bytes = bytesOf(file);
  if (bytes instanceof NotRead) return damaged(bytes.message);
  if (beginsEarlier(bytes)) return damaged();
  const linkOf = linkIn(bytes);
  let before = '';
  for (const line of wholeLines(bytes)) {
    const recorded = readLine(line, { blobs, reveal, before });
    if (recorded?.seq !== events.length + 1) return damaged();
    if (recorded.seq === end?.seq && sumIn(line) !== end.sum) return damaged();
    before = linkOf(line);
    events.push(recorded);
  }
  // A whole record and another byte where its line should end.
  const rest = bytes.subarray(bytes.lastIndexOf(NEWLINE) + 1, -1);
  if (readLine(rest, { blobs, reveal, before }) !== undefined) return damaged();
  if (end === undefined || end.seq <= events.length) return { events };
  return damaged(
    `the journal ends here, and record ${end.seq} was written (a copy that was made during the run goes on from here once ${basename(file)}.end beside it is removed)`,
  );
}

/** A run that was begun has a journal: none is one without records. */
function bytesOf(file: string): Buffer | NotRead {
  try {
    return existsSync(file) ? readFileWithin(file, MOST_OF.journal) : Buffer.alloc(0);
  } catch (error) {
    if (error instanceof NotRead) return error;
    throw error;
  }
}

/** The secrets that were taken out of a journal's texts: a resume must know them to have the texts as they were. */
export function redactedIn(file: string): ReadonlySet<string> {
  const names = new Set<string>();
  const bytes = readFileWithin(file, MOST_OF.journal);
  const linkOf = linkIn(bytes);
  let before = '';
  for (const line of wholeLines(bytes)) {
    for (const name of redactedNames(unseal(line, before) ?? null)) names.add(name);
    before = linkOf(line);
  }
  return names;
}

/** The same for whoever goes on with the run. Throws JournalDamaged. */
export function readJournal(file: string, blobs?: Blobs, reveal?: Reveal): readonly Recorded[] {
  const { events, damage } = inspectJournal(file, blobs, reveal);
  if (damage !== undefined) throw new JournalDamaged(damage);
  return events;
}

export interface ReadLine {
  readonly blobs: Blobs | undefined;
  readonly reveal: Reveal | undefined;
  /** The checksum that it follows; empty: it is the first, or follows none. */
  readonly before: string;
}

/** One record, without the end of its line; undefined where it is not what was written there. */
export function readLine(line: Buffer, { blobs, reveal, before }: ReadLine): Recorded | undefined {
  try {
    const sealed = unseal(line, before) ?? null;
    const recorded = (blobs === undefined ? sealed : blobs.fill(sealed)) as unknown as Partial<Recorded> | null;
    if (typeof recorded?.event?.e !== 'string') return undefined;
    const { journal: _version, nonce: _nonce, ...rest } = recorded as Recorded & FirstRecord;
    return opened(rest, reveal);
  } catch {
    // A text that it refers to is gone or damaged.
    return undefined;
  }
}

interface Opened {
  readonly fd: number;
  readonly first: string;
  readonly sum: string;
  /** Whether each record follows the one before. */
  readonly chained: boolean;
}

/** The checksums of a journal's records, in order. */
export const sumsIn = (file: string): readonly string[] =>
  existsSync(file) ? wholeLines(readFileWithin(file, MOST_OF.journal)).map((line) => sumIn(line)) : [];

/**
 * Opens a journal for the process that goes on with it, after the records which that process has read. It goes on in a copy, which
 * replaces the file: an earlier writer that wakes up again writes to the file that it opened, and no longer to the journal. A torn last
 * line is not copied. `first`, `sum`: the checksums of the first record and of the last.
 */
export function openForWriting(file: string, records: number): Opened {
  if (!existsSync(file)) return { fd: openSync(file, 'a', 0o600), first: '', sum: '', chained: true };
  const bytes = readFileWithin(file, MOST_OF.journal);
  const lines = wholeLines(bytes);
  const whole = bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1);
  if (lines.length !== records)
    throw new JournalDamaged(`${file}:${records + 1}: another process wrote to the journal`);
  const fd = openSync(`${file}.new`, 'w', 0o600);
  try {
    for (let at = 0; at < whole.length;) at += writeSync(fd, whole, at);
    fsyncSync(fd);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  renameSync(`${file}.new`, file);
  syncFolder(dirname(file));
  const [first = Buffer.alloc(0), last = first] = [lines[0], lines.at(-1)];
  return { fd, first: sumIn(first), sum: sumIn(last), chained: !beginsUnchained(bytes) };
}

/** A name that was given to a file outlives a loss of power only after this. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
