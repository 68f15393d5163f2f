import type { Action, Outcome } from './action.js';
import type { ItemNote, Touch, Verdict } from './change.js';
import type { Known, Needs, Values } from './fact.js';
import type { Hint } from './hint.js';
import type { Json } from './json.js';
import type { TaskId } from './task.js';

/** What a module may know of where it stands. */
export interface At {
  readonly task: TaskId;
  /** Milliseconds since the epoch by the run's clock; in a plan it moves on by one for each task, so "later" can be predicted. */
  readonly timeMs: number;
}

/** What became of the items of one effect (the hosts that a request names, say), or of the effect as a whole. */
export type Judgement =
  | { readonly is: 'done'; readonly value?: Json }
  | { readonly is: 'failed'; readonly reason: string; readonly hint?: Hint; readonly retryAfterMs?: number }
  | {
      readonly is: 'items';
      readonly items: Readonly<Record<string, ItemNote>>;
    };

/** The answers to a verdict `more`, by the names it gave. */
export type More = Readonly<Record<string, Json>>;

/**
 * A module decides; it reads nothing and does nothing itself.
 * - `needs` is static, so the engine batches over steps and hosts and reads ahead.
 * - `touches` is sound and known even when the decision is not.
 * - `decide` is pure and synchronous: a table of literals tests it. Looking at a fact that is not known ends it, and the step is known
 *   only at apply: so it looks at what it needs, when it needs it.
 */
export interface Module<A, N extends Needs> {
  readonly name: string;
  /** It changes nothing, whatever its arguments are. */
  readonly onlyLooks?: true;
  /** Arguments that are conditions: the engine evaluates them and hands a `Truth` instead of the text. */
  readonly conditions?: readonly (keyof A & string)[];
  /** Arguments that are only shown. They are rendered when the module reads them, with `(unknown)` for what is not known: they decide nothing. */
  readonly shown?: readonly (keyof A & string)[];
  /** Names of facts of any host on which its warnings depend, though it does not read them: a plan that changes one omits the warnings. */
  readonly warningsDependOn?: readonly string[];
  needs(args: A, at: At): N;
  touches(args: A, at: At): readonly Touch[];
  /** Names of the platform's facts and endpoints that it may alter, beside what it touches: `fact.NAME`, `endpoint.NAME`. */
  alters?(args: A): readonly string[];
  decide(args: A, now: Values<N>, at: At, more?: More): Verdict;
  /** Whether units are active once the step is done: known even when the decision is not. */
  leavesActive?(args: A): Readonly<Record<string, boolean>>;
  /** Words for "known after apply", when some needs are unknown. */
  unsure?(args: A, now: { readonly [P in keyof N]: Known<Values<N>[P]> }): string;
  /** Judges an outcome that is known, whether or not it met its `expect`: this reason is reported first. Absent: `expect` decides. */
  judge?(args: A, outcome: Outcome, action?: Action): Judgement;
}

export const defineModule =
  <A>() =>
  <N extends Needs>(m: Module<A, N>): Module<A, N> =>
    m;

/** A module whose types have been forgotten: what the engine's list holds. */
export type AnyModule = Module<Json, Needs>;
