import type { Json } from './json.js';
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
       * The hosts that this fact of the platform names come last (first: `first`); of several facts those of the last one come at
       * the very end. Read again before each host.
       */
      readonly last?: HostFact | readonly HostFact[];
      readonly first?: HostFact;
      /** Only hosts that `--limit` leaves out. */
      readonly left_out?: boolean;
    };

/**
 * Data, so that a schema can check it. Operands are templates. Versions compare by the components that the operand names:
 * `4.12.9` is `at_most: "4.12"`.
 */
export type Condition =
  | boolean
  /** An expression (engine/expressions), or several of which all must hold. */
  | string
  | readonly string[]
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | ({ readonly version: Json; readonly of?: Selector; readonly match?: 'all' | 'any' | 'none' } & Compare)
  | ({ readonly value: Json; readonly of?: Selector; readonly match?: 'all' | 'any' | 'none' } & Compare & {
        readonly matches?: string;
        readonly contains?: Json;
        readonly exists?: boolean;
      })
  /** Each element of a list (scope `item`); `where` picks. An empty list is true. */
  | { readonly each: Json; readonly where?: Condition; readonly satisfies: Condition }
  | ({ readonly count: Json; readonly where?: Condition } & Compare);

export interface Compare {
  readonly is?: Json;
  readonly not?: Json;
  readonly in?: Json;
  readonly at_least?: Json;
  readonly at_most?: Json;
  readonly above?: Json;
  readonly below?: Json;
}

/** Three values: what is unknown says why, what is known says in words. */
export type Truth =
  | { readonly is: true; readonly because: string }
  | { readonly is: false; readonly because: string }
  /** `never`: a name leads nowhere, or a template is wrong; waiting is no use. */
  | ({ readonly is: 'unknown'; readonly never?: true } & Cause);
