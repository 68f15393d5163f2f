import { defined } from '../../lib/defined.js';
import type { Verdict } from '../../terms/change.js';
import type { Cause } from '../../terms/fact.js';
import type { Hint } from '../../terms/hint.js';
import type { Json } from '../../terms/json.js';
import { keyOf, type Subject } from '../../terms/subject.js';
import type { Failure } from '../facts/scope.js';

/**
 * What is decided of a task where it stands, for a plan, an apply and a diagnosis alike: what its module says of the facts, or why the
 * module could not say anything.
 */
export type Decision = Undecided | (Exclude<Verdict, { is: 'more' }> & { readonly args: Json });

/** The decisions of one kind. */
export type Decided<I extends Decision['is']> = Extract<Decision, { readonly is: I }>;

export type Undecided =
  /** Its condition, or that of a block around it, is false. */
  | { readonly is: 'skip'; readonly because: string }
  /** Known after apply; `args` where at least these are known. */
  | ({ readonly is: 'unknown'; readonly args?: Json } & Cause)
  | Failed;

/** A fact could not be read, or the arguments do not fit. `unreachable`: is it the task's own host that does not answer, or another one? */
export interface Failed {
  readonly is: 'failed';
  readonly reason: string;
  readonly hint?: Hint;
  readonly unreachable?: 'own' | 'other';
  /** What it reads may not be read, or a condition or a template reads what its host could not tell: a plan does not know what the step would do. */
  readonly unread?: true;
}

/** For a task of `on`. A condition may read the facts of other hosts. */
export function failedBy({ reason, hint, why, of }: Failure, on: Subject): Failed {
  const isOwn = of === undefined || keyOf(of) === keyOf(on);
  return defined({
    is: 'failed' as const,
    reason: !isOwn && 'host' in of ? `${of.host}: ${reason}` : reason,
    hint,
    unreachable: why !== 'unreachable' ? undefined : isOwn ? ('own' as const) : ('other' as const),
    unread: why === 'denied' ? (true as const) : undefined,
  });
}
