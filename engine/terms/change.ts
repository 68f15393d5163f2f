import type { Action } from './action.js';
import type { Cause, FactRef, ItemState, Needs } from './fact.js';
import type { Hint, Warning } from './hint.js';
import type { Json } from './json.js';
import type { Subject } from './subject.js';

/** What an effect may alter (sound): one fact, or everything of a subject. */
export type Touch = FactRef | { readonly of: Subject; readonly everything: true };

/** What a fact will read afterwards (hopeful), or that it will differ in a way that is not known. */
export type Prediction =
  { readonly ref: FactRef; readonly value: Json } | { readonly ref: FactRef; readonly unknown: string };

/** A wanted state: a module and its arguments, run through `decide` like any step. */
export interface Wanted {
  readonly module: string;
  readonly args: Json;
  readonly on: Subject;
}

export interface Change {
  /** A line for people: `postgresql 4.12.0-1 → 4.14.7-1`. */
  readonly summary: string;
  /** `~` alters, `+` makes, `-` removes, `↻` restarts or acts, `?` asks. */
  readonly sign: '~' | '+' | '-' | '↻' | '?';
  /** A unified diff without secrets. */
  readonly diff?: string;
  /** Why a plan cannot show the diff: it is known after apply. */
  readonly diffUnknown?: string;
  readonly actions: readonly [Action, ...Action[]];
  readonly touches: readonly Touch[];
  readonly predicts: readonly Prediction[];
  /** It starts a service that is stopped: a service that only restarts was not down before. */
  readonly starts?: true;
  /** Read just before the act and kept in the intent: has the world moved since, or not? */
  readonly marks?: Needs;
  /** More rounds follow; must fall each round (bounded convergence). */
  readonly left?: number;
  /** The rounds before it are complete: a run that is to stop need not wait for the rest. */
  readonly safePoint?: true;
  /** What is reported when the change is still needed after it was made, if there is more to report than that. */
  readonly notConverged?: { readonly reason: string; readonly hint?: Hint };
  /** It changes nothing of the platform: a record of the engine, or what it does to the package repositories for a download. */
  readonly bookkeeping?: true;
  /** Warnings, one sentence each: shown with the plan, and in the verdict of a run that performed the change. */
  readonly warnings?: readonly string[];
}

/** What is reported and recorded about one item; `value` is the result that is kept. */
export interface ItemNote {
  readonly is: ItemState['is'];
  readonly reason?: string;
  readonly value?: Json;
}

/** What became of items by what a decision saw: recorded (in an apply) before the verdict is taken. */
interface Noting {
  readonly items?: Readonly<Record<string, ItemNote>>;
}

export type Verdict = Noting & Judged;

type Judged =
  /** `value` is what `register` takes; `warnings` as in a Change: what is right as far as it goes, and what remains to be told of it. */
  | { readonly is: 'ok'; readonly because: string; readonly value?: Json; readonly warnings?: readonly Warning[] }
  | { readonly is: 'change'; readonly change: Change }
  /** Another read that depends on those before: `needs` are asked, and decide is called again with all that it asked for so. */
  | { readonly is: 'more'; readonly needs: Needs }
  /**
   * Polled every `everyMs` to `limitMs`; `warn` is said once after `afterMs`. Absent: the step's own, then `otherwiseMs`, then the
   * engine's.
   */
  | {
      readonly is: 'waiting';
      readonly for: string;
      readonly left?: number;
      readonly everyMs?: number;
      readonly limitMs?: number;
      readonly otherwiseMs?: number;
      /** What is reported when the wait fails: the reason, shown before what was waited for, and what to do. */
      readonly failure?: { readonly reason?: string; readonly hint?: Hint };
      readonly warn?: { readonly afterMs: number; readonly text: string };
      /** What is waited for is to know, and this is why it is not known: nothing was found yet, one way or the other. */
      readonly unknown?: Cause;
      /** Waiting longer is no use, once so many readings in a row have said so. */
      readonly failFast?: { readonly because: string; readonly readings: number };
    }
  | {
      readonly is: 'blocked';
      readonly reason: string;
      readonly hint?: Hint;
      /** What may have been done before or not, where only a person can tell. */
      readonly unsure?: string;
    };

export const blocked = (reason: string, hint?: Hint): Verdict => ({
  is: 'blocked',
  reason,
  ...(hint === undefined ? {} : { hint }),
});
export const ok = (because: string, value?: Json, warnings: readonly Warning[] = []): Verdict => ({
  is: 'ok',
  because,
  ...(value === undefined ? {} : { value }),
  ...(warnings.length === 0 ? {} : { warnings }),
});
/** A change that alters nothing of the platform: views fold it. */
export const bookkeeping = (verdict: Verdict): Verdict =>
  verdict.is === 'change' ? { is: 'change', change: { ...verdict.change, bookkeeping: true } } : verdict;
