import type { Truth } from '../terms/condition.js';
import type { Cause } from '../terms/fact.js';
import { unite } from './rendered.js';

export const yes = (because: string): Truth => ({ is: true, because });
export const no = (because: string): Truth => ({ is: false, because });
/** Unknown, and no step will make it known; the world may. Whoever acts on it is told why. */
export const unsure = (because: string, dependsOn: Cause['dependsOn'] = []): Truth => ({
  is: 'unknown',
  dependsOn,
  because,
});

/** Unknown for ever: somebody wrote what means nothing. */
export const mistaken = (because: string): Truth => ({ is: 'unknown', never: true, dependsOn: [], because });

export const negate = (truth: Truth): Truth =>
  truth.is === 'unknown' ? truth : { is: !truth.is, because: truth.because };

/** Reasons beyond the first few are counted: a plan shows one line. */
const mostReasons = 3;

function together(truths: readonly Truth[], joint: string): string {
  const reasons = [...new Set(truths.map((truth) => truth.because))];
  const more = reasons.length - mostReasons;
  return reasons.slice(0, mostReasons).join(joint) + (more > 0 ? `${joint}and ${more} more` : '');
}

type Unknown = Extract<Truth, { is: 'unknown' }>;

function unknownOf(truths: readonly Truth[], isNever: (unknowns: readonly Unknown[]) => boolean): Truth {
  const unknowns = truths.filter((truth) => truth.is === 'unknown');
  return { is: 'unknown', ...(isNever(unknowns) ? { never: true } : {}), ...unite(unknowns) };
}

const isNever = ({ never }: Unknown): boolean => never === true;

/** Kleene's "and": one false decides, whatever is unknown. Of none: true. */
export function allOf(truths: readonly Truth[], ofNone = 'nothing is asked'): Truth {
  const falses = truths.filter((truth) => truth.is === false);
  if (falses.length > 0) return no(together(falses, '; '));
  if (truths.some((truth) => truth.is === 'unknown')) return unknownOf(truths, (all) => all.some(isNever));
  return yes(truths.length === 0 ? ofNone : together(truths, '; '));
}

/** Kleene's "or": one true decides, whatever is unknown. Of none: false. */
export function anyOf(truths: readonly Truth[], ofNone = 'there is nothing to choose from'): Truth {
  const trues = truths.filter((truth) => truth.is === true);
  if (trues.length > 0) return yes(trues[0]?.because ?? ofNone);
  if (truths.some((truth) => truth.is === 'unknown')) return unknownOf(truths, (all) => all.every(isNever));
  return no(truths.length === 0 ? ofNone : together(truths, '; '));
}
