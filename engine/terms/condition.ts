import type { Cause } from './fact.js';

/** A fact of the platform that names hosts. */
export type HostFact = Readonly<Record<'fact', string>>;

/** Which hosts. A list is a union in order, each host once. `except` and `and` narrow; `take` keeps the first ones. */
export type Selector =
  | 'all'
  | 'controller'
  | readonly Selector[]
  | {
      readonly role?: string;
      readonly name?: string;
      /** A glob: `web-*`. */
      readonly pattern?: string;
      readonly group?: string;
      readonly and?: Selector;
      readonly except?: Selector;
      readonly take?: 'first' | number;
      /**
       * The hosts that this fact of the platform names come last; of several facts those of the last one come at
       * the very end. Read again before each host.
       */
      readonly last?: HostFact | readonly HostFact[];
    };

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
