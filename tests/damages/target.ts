import type { Source } from './kinds.js';

/**
 * What became of a damage. `noticed`: what reads the file says so, or the process that relies on it stops. `no effect`: what is read is what
 * was written. `accepted`: something else was read, without a message.
 */
export type Judged = 'noticed' | 'no effect' | 'accepted';

/** A file of which damages are made, as its readers see it. */
export interface Target {
  readonly name: string;
  readonly source: Source;
  /** Damages that nothing can notice here; docs/trials.md says so. */
  readonly without?: readonly string[];
  /** What its readers make of these bytes in its place; `undefined`: the file is gone. */
  judge(bytes: Buffer | undefined): Judged | Promise<Judged>;
}

/** What was read beside what was written. */
export const compare = (read: unknown, written: unknown): Judged =>
  JSON.stringify(read) === JSON.stringify(written) ? 'no effect' : 'accepted';
