import type { Json } from './json.js';
import { keyOf, type Subject } from './subject.js';
import type { StepPath } from './task.js';

/** What can be asked: a name, and how a question of type K becomes a text. V is what the answer holds (plain JSON). */
export interface Fact<K, V> {
  readonly name: string;
  readonly key: (k: K) => string;
  readonly __v?: V;
}

export interface FactRef {
  readonly of: Subject;
  readonly fact: string;
  readonly key: string;
}

/** A question; V types its answer. */
export interface Need<V = unknown> extends FactRef {
  readonly __v?: V;
}

export const need = <K, V>(of: Subject, fact: Fact<K, V>, k: K): Need<V> => ({ of, fact: fact.name, key: fact.key(k) });

export const refKey = (r: FactRef): string => `${keyOf(r.of)}|${r.fact}|${r.key}`;

/** Why something cannot be known yet. */
export interface Cause {
  readonly dependsOn: readonly StepPath[];
  readonly because: string;
}

/** Unknown is a value. */
export type Known<V> = { readonly known: true; readonly value: V } | ({ readonly known: false } & Cause);

export type Needs = Readonly<Record<string, Need>>;
export type ValueOf<N> = N extends Need<infer V> ? V : never;
export type Values<N extends Needs> = { readonly [P in keyof N]: ValueOf<N[P]> };

/** What a reader says to a question: the value, or why there is none. */
export type Answer =
  | { readonly is: 'value'; readonly value: Json }
  | {
      readonly is: 'failed';
      /** `no-access`: the host or the endpoint refuses the login, whatever is asked. `denied`: this one thing may not be read there. */
      readonly why: 'unreachable' | 'no-access' | 'denied' | 'unreadable';
      readonly reason: string;
      readonly hint?: string;
    };

/** Answered by the engine out of the journal's fold, not by a machine: was this task's effect done? Key: anything. */
export type Done =
  | { readonly is: 'never' }
  /**
   * `value` is that of the last effect; `earlier` are those of the effects before it. `again`: the temporary change that it depends on
   * has been restored since, so a repeatable effect is done once more.
   */
  | { readonly is: 'done'; readonly value: Json; readonly earlier?: readonly Json[]; readonly again?: true }
  | { readonly is: 'unknown'; readonly marks: Readonly<Record<string, Json>> };
export const done: Fact<string, Done> = { name: 'done', key: (k) => k };

/**
 * The state of one item of an effect (for example, a host that a request names). `due`: chosen, and not requested yet. `asked`: the request may
 * have been sent, which is not known. `pending`: requested, and in progress. `left`: nothing is to be done about it.
 */
export interface ItemState {
  readonly is: 'due' | 'asked' | 'pending' | 'done' | 'failed' | 'left';
  readonly reason?: string;
  /** Those that were chosen together. */
  readonly batch?: string;
  /** Since when it is under way, milliseconds since the epoch. */
  readonly sinceMs?: number;
  readonly value?: Json;
  /** It failed before a resume, which may try it again. */
  readonly again?: true;
}

/** Answered by the engine out of the journal's fold: the items of this task, and the marks of its last intent. Key: anything. */
export interface Items {
  readonly items: Readonly<Record<string, ItemState>>;
  readonly marks: Readonly<Record<string, Json>>;
}
export const items: Fact<string, Items> = { name: 'items', key: (k) => k };
