import type { ASTNode } from '@marcbachmann/cel-js';
import type { Truth } from '../terms/condition.js';
import type { At, Scope } from './at.js';
import { outcomeOf } from './outcome-of.js';
import { truthOf } from './truth-of.js';
import type { Outcome } from './value.js';

const at = (scope: Scope): At => ({
  scope,
  locals: new Map(),
  hidden: new Set(),
  outcomes: new Map(),
  truthOf,
  outcomeOf,
});

/**
 * The truth of an expression, with a reason in one line: `installed.database is 4.12.0-1, not 4.14.7`. Every operand is evaluated, so that all facts that it needs are asked at once; the answer is unknown only where what is unknown could change it.
 */
export const evaluate = (ast: ASTNode, scope: Scope): Truth => truthOf(ast, at(scope));

/** What an expression comes to, whatever its type. */
export const valueOf = (ast: ASTNode, scope: Scope): Outcome => outcomeOf(ast, at(scope));
