import type { Cause } from './fact.js';

/** An expression (engine/expressions), or several of which all must hold. */
export type Condition = boolean | string | readonly string[];

/** The expressions of a condition; of anything else, none. */
export const expressionsOf = (condition: unknown): readonly string[] =>
  [condition].flat().filter((one): one is string => typeof one === 'string');

/** Three values: what is unknown says why, what is known says in words. */
export type Truth =
  | { readonly is: true; readonly because: string }
  | { readonly is: false; readonly because: string }
  /** `never`: a name leads nowhere, or a template is wrong; waiting is no use. */
  | ({ readonly is: 'unknown'; readonly never?: true } & Cause);
