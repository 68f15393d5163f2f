import type { ASTNode } from '@marcbachmann/cel-js';
import type { Truth } from '../terms/condition.js';
import { sourceOf } from './place.js';
import { mistaken, unknown } from './truth.js';
import { isList, show, value, wrong, type Outcome, type Value } from './value.js';

/** A truth as a value, for where an operand is an expression of its own. */
export function ofTruth(truth: Truth): Outcome {
  if (truth.is !== 'unknown') return value(truth.is);
  return truth.never === true
    ? wrong(truth.because)
    : { is: 'unknown', because: truth.because, dependsOn: truth.dependsOn };
}

/** The elements of a list, or why there are none. */
export function elementsOf(outcome: Outcome, node: ASTNode): { readonly elements: readonly Value[] } | Truth {
  if (outcome.is === 'wrong') return mistaken(outcome.reason);
  if (outcome.is !== 'value') return unknown(outcome);
  return isList(outcome.value)
    ? { elements: outcome.value }
    : mistaken(`${sourceOf(node)} is ${show(outcome.value)}, not a list`);
}

/** A list of what came of its elements: unknown when one of them is; a mistake comes first. */
export function listOf(outcomes: readonly Outcome[]): Outcome {
  const bad = outcomes.find(({ is }) => is === 'wrong') ?? outcomes.find(({ is }) => is !== 'value');
  return bad ?? value(outcomes.flatMap((one) => (one.is === 'value' ? [one.value] : [])));
}
