import type { Answer, Need } from '../terms/fact.js';
import type { Actor, Fleet, ReadContext } from '../terms/machine.js';

/**
 * One way to reach subjects: a host by ssh, this machine, the embedded model, the endpoints. The fleet picks it by subject, has
 * met the secrets of an action before, and takes known values out of what comes back. Failures are values, never a throw.
 */
export interface Machine extends Actor {
  /** An answer for each need, by `refKey`. */
  ask(needs: readonly Need[], context?: ReadContext): Promise<ReadonlyMap<string, Answer>>;
  swap: Fleet['swap'];
  close(): Promise<void>;
}

export type Failed = Extract<Answer, { is: 'failed' }>;

/** Something that had to be reached first, or why it was not. */
export type Reached<T> = { readonly is: 'reached'; readonly value: T } | Failed;

export const reached = <T>(value: T): Reached<T> => ({ is: 'reached', value });

export const failed = (why: Failed['why'], reason: string, hint?: string): Failed => ({
  is: 'failed',
  why,
  reason,
  ...(hint === undefined ? {} : { hint }),
});
