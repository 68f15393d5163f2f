import type { Truth } from '../terms/condition.js';
import type { Cause } from '../terms/fact.js';
import { unite } from './rendered.js';

export const yes = (because: string): Truth => ({ is: true, because });
export const no = (because: string): Truth => ({ is: false, because });
/** Unknown for good: no step will make it known. Whoever acts on it is told why. */
export const unsure = (because: string, dependsOn: Cause['dependsOn'] = []): Truth => ({
  is: 'unknown',
  dependsOn,
  because,
});

export const negate = (truth: Truth): Truth =>
  truth.is === 'unknown' ? truth : { is: !truth.is, because: truth.because };

/** Reasons beyond the first few are counted: a plan shows one line. */
const mostReasons = 3;

function together(truths: readonly Truth[], joint: string): string {
  const reasons = [...new Set(truths.map((truth) => truth.because))];
  const more = reasons.length - mostReasons;
  return reasons.slice(0, mostReasons).join(joint) + (more > 0 ? `${joint}and ${more} more` : '');
}

const unknownOf = (truths: readonly Truth[]): Truth => ({
  is: 'unknown',
  ...unite(truths.filter((truth) => truth.is === 'unknown')),
});

/** Kleene's "and": one false decides, whatever is unknown. Of none: true. */
export function allOf(truths: readonly Truth[], ofNone = 'nothing is asked'): Truth {
  const falses = truths.filter((truth) => truth.is === false);
  if (falses.length > 0) return no(together(falses, '; '));
  if (truths.some((truth) => truth.is === 'unknown')) return unknownOf(truths);
  return yes(truths.length === 0 ? ofNone : together(truths, '; '));
}

/** Kleene's "or": one true decides, whatever is unknown. Of none: false. */
export function anyOf(truths: readonly Truth[], ofNone = 'there is nothing to choose from'): Truth {
  const trues = truths.filter((truth) => truth.is === true);
  if (trues.length > 0) return yes(trues[0]?.because ?? ofNone);
  if (truths.some((truth) => truth.is === 'unknown')) return unknownOf(truths);
  return no(truths.length === 0 ? ofNone : together(truths, '; '));
}
