import type { ASTNode } from '@marcbachmann/cel-js';
import type { Truth } from '../terms/condition.js';
import type { Known } from '../terms/fact.js';
import type { Json } from '../terms/json.js';
import type { NameType } from './types.js';
import type { Outcome, Value } from './value.js';

/** Where an expression looks names up. */
export interface Scope {
  /** What a path of names leads to: of a host when one is given, else of the host at hand. */
  get(path: readonly string[], host?: string): Known<Json> | 'missing';
  /** The hosts of a role or group: those that `--limit` left (`hosts`), or those of the whole inventory (`all_hosts`). */
  hosts(root: 'hosts' | 'all_hosts', name: string): readonly string[] | undefined;
  /** The truth of a named check, on a host or on the host at hand; undefined where there is no check of that name. */
  check(name: string, host?: string): Truth | undefined;
  /** The declared type of what a path leads to: its value is read as one of this type. `dyn`: as it is. */
  typeOf(path: readonly string[]): NameType;
}

/** The variables of the macros around a node. */
export type Locals = ReadonlyMap<string, Value>;

/** Where a node of a tree is evaluated. The two walks call each other: a truth stands in an operand, and an operand in a truth. */
export interface At {
  readonly scope: Scope;
  readonly locals: Locals;
  /** Those of them whose values are not shown. */
  readonly hidden: ReadonlySet<string>;
  /** What the nodes came to that were evaluated here: a reason that is made later shows these values, whatever the facts are then. */
  readonly outcomes: Map<ASTNode, Outcome>;
  readonly truthOf: (node: ASTNode, at: At) => Truth;
  readonly outcomeOf: (node: ASTNode, at: At) => Outcome;
}
