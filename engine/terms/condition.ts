import type { Cause } from './fact.js';

/** An expression (engine/expressions), or several of which all must hold. */
export type Condition = boolean | string | readonly string[];

/** The expressions of a condition; of anything else, none. */
export const expressionsOf = (condition: unknown): readonly string[] =>
  [condition].flat().filter((one): one is string => typeof one === 'string');

/** One statement of a reason, in pieces. It is true of the moment at which the condition was evaluated. */
export interface Statement {
  /** The host or the element of a list that it is about. */
  readonly of?: string;
  /** What it is about, as written; where nothing follows, the whole statement. */
  readonly subject: string;
  /** The value of the subject, as it is shown; absent where it is too long. */
  readonly value?: string;
  /** What the value was compared with, and whether that comparison holds. */
  readonly compared?: { readonly operator: string; readonly wanted: string; readonly holds: boolean };
}

/** A reason: in one line, and the statements that it is made of, where there are some. */
interface Reason {
  readonly because: string;
  readonly statements?: readonly Statement[];
  /** The condition is written as `true` or `false`: there is nothing to say of it. */
  readonly constant?: true;
}

/** Three values: what is unknown says why, what is known says in words. */
export type Truth =
  | ({ readonly is: true } & Reason)
  | ({ readonly is: false } & Reason)
  /** `never`: a name leads nowhere, or a template is wrong; waiting is no use. */
  | ({ readonly is: 'unknown'; readonly never?: true } & Cause);
