import { sha256 } from '../lib/hash.js';
import type { Holder } from '../journal/holder.js';
import { EndsRun } from '../terms/ends-run.js';

/** A run of a store. */
export interface StoredRun {
  readonly run: string;
  /** At least 1. */
  readonly lines: number;
}

/** A file of a run, by its content. */
export interface StoredBlob {
  readonly name: string;
  /** SHA-256 of its bytes, hexadecimal. */
  readonly sha256: string;
}

/**
 * What became of lines to append. `last` is the number of the run's last line.
 * `fenced`: the run's last line is not the one that the writer named, so another writer has the run. `taken` is how many of the lines are
 * in the run: 0, or fewer than were given where the other writer came in between.
 */
export type Appended =
  | { readonly is: 'appended'; readonly last: number }
  | { readonly is: 'fenced'; readonly last: number; readonly taken: number };

/** `taken`: another holder has the lock. `free`: the holder that was to be replaced had released it. */
export type Locked = { readonly is: 'held' } | { readonly is: 'taken'; readonly by: Holder } | { readonly is: 'free' };

/**
 * Where the runs of an inventory are kept: the folder of one machine, or a server that a team shares. Each method may throw
 * StoreUnavailable. Lines are opaque bytes without their newline, numbered from 1; names are checked (`checkName`, `checkBlobName`) before
 * they become a path or a subject.
 *
 * An opened store is one writer. Two of them never both append the same number, and a writer recognises its own lines: repeating an append
 * whose answer was lost adds nothing. No clock is trusted: locks do not expire, and no repeat comes too late to be recognised.
 */
export interface RunStore {
  /** The runs that have a line, by name. */
  list(): Promise<readonly StoredRun[]>;
  /** The lines after this number, complete at the time of the call; empty for a run that is not there. */
  read(run: string, after: number): Promise<readonly Buffer[]>;
  /** The same, then each new line as it comes, until the signal. */
  follow(run: string, after: number, signal: AbortSignal): AsyncIterable<Buffer>;
  /**
   * Appends if the run's last line has the number `last` (0: there is none). The lines are durable when it returns. They are written in
   * order, and it stops at the first that is refused; without lines it only compares `last`.
   */
  append(run: string, last: number, lines: readonly Buffer[]): Promise<Appended>;
  /** The files of a run beside its journal, by name. */
  listBlobs(run: string): Promise<readonly StoredBlob[]>;
  /** Replaces the file as a whole. */
  putBlob(run: string, name: string, bytes: Buffer): Promise<void>;
  getBlob(run: string, name: string): Promise<Buffer | undefined>;
  /** Takes the lock where it is free, or gives its holder. A holder is known by its token; taking it again is no error. */
  lock(name: string, holder: Holder): Promise<Locked>;
  /** Takes the lock away from exactly the holder that was seen. */
  takeOver(name: string, holder: Holder, seen: Holder): Promise<Locked>;
  /** Who has the lock. */
  holderOf(name: string): Promise<Holder | undefined>;
  /** Nothing happens where another has it. */
  release(name: string, holder: Holder): Promise<void>;
  /** The approvals of plans and waivers, by their names (`approvals.ts`): lines like those of a run, which no user can alter or delete. */
  readonly approvals: Pick<RunStore, 'list' | 'read' | 'append'>;
  close(): Promise<void>;
}

/**
 * `unreachable`: no answer within the time limit. `busy`: another process of this machine keeps the run's files. `not-trusted`: the
 * server's certificate is not valid for it. `not-permitted`: the credentials are refused or lack a permission. `missing`: there is no such
 * store. `full`: no space left for another message. `too-large`: one line is larger than the store takes. `damaged`: what is there is not
 * what was written, or the store's settings would lose lines.
 */
export type StoreCode =
  'unreachable' | 'busy' | 'not-trusted' | 'not-permitted' | 'missing' | 'full' | 'too-large' | 'damaged';

/** A store did not do what was asked. Nothing is known to be written but `taken` lines; a repeat recognises whatever was. */
export class StoreUnavailable extends EndsRun {
  constructor(
    readonly code: StoreCode,
    /** What was asked of which store, as in `append to run ID`. */
    readonly tried: string,
    /** What the store or the system answered. */
    readonly answer: string,
    /** How long it was tried, milliseconds. */
    readonly afterMs: number,
    /** Of the lines to append: how many are known to be there. */
    readonly taken = 0,
  ) {
    super(`${tried}: ${code} after ${Math.round(afterMs)} ms: ${answer}`);
  }
}

/** A name that another machine gave to a run or a lock, and that cannot be a path or a subject of anything else. */
export class InvalidName extends Error {}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** Throws InvalidName. */
export function checkName(name: string): void {
  if (!NAME.test(name))
    throw new InvalidName(`${JSON.stringify(name)}: a name has letters, digits, - and _, at most 100`);
}

export const isName = (name: string): boolean => NAME.test(name);

/** The lines of a run in its folder, and in an archive. */
export const JOURNAL = 'journal.ndjson';

/** Large texts of the journal are in this folder, by their SHA-256. */
export const TEXTS = 'blobs';
const TEXT = new RegExp(`^${TEXTS}/([0-9a-f]{64})$`);

/**
 * The files that a run's folder holds beside its journal. `typed.json` is not among them: what it keeps of secrets is deleted when the run
 * is closed, and a store that denies deletion would keep it.
 */
export const FILES: readonly string[] = [
  ...['copy.json', 'plan.json', 'back-out.json', 'baseline.json', 'causes.json', 'timings.json', 'run.log'],
];

export const isBlobName = (name: string): boolean => FILES.includes(name) || TEXT.test(name);

/** Throws InvalidName. */
export function checkBlobName(name: string): void {
  if (!isBlobName(name)) throw new InvalidName(`${JSON.stringify(name)} is not a file of a run's folder`);
}

/** Whether the bytes are those that the name of a large text says; true of every other file. */
export function isIntact(name: string, bytes: Buffer): boolean {
  const sha = TEXT.exec(name)?.[1];
  return sha === undefined || sha256(bytes) === sha;
}
