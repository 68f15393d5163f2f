import type { Statement, Truth } from '../terms/condition.js';
import type { Cause } from '../terms/fact.js';
import { errorReason, reason, reasonText } from './statement.js';

export const known = (is: boolean, because: string): Truth => ({ is, because: reason(because) });
/** What is known, by statements that are true. They are made when they are read: most answers are combined with others and never shown. */
export function stated(is: boolean, make: () => readonly Statement[]): Truth {
  let made: readonly Statement[] | undefined;
  const statements = (): readonly Statement[] => (made ??= make());
  return {
    is,
    get because() {
      return reasonText(statements());
    },
    get statements() {
      return statements();
    },
  };
}
export const unknown = ({ because, dependsOn }: Cause): Truth => ({
  is: 'unknown',
  because: dependsOn.length === 0 ? errorReason(because) : reason(because),
  dependsOn,
});
export const mistaken = (because: string): Truth => ({
  is: 'unknown',
  never: true,
  because: reason(because),
  dependsOn: [],
});

export function not(truth: Truth): Truth {
  if (truth.is === 'unknown') return truth;
  return truth.constant === true ? { ...truth, is: !truth.is } : stated(!truth.is, () => statementsOf(truth));
}

/**
 * All must hold: one that does not decides, whatever the others are; else a mistake outranks what is not known yet. The order of operands
 * never matters to the answer, only to which reason is given. Of none: true.
 */
export const allOf = (truths: readonly Truth[], ofNone = 'there is nothing to check'): Truth =>
  decide(truths, false, ofNone);

/** One must hold: one that does decides. Of none: false. */
export const anyOf = (truths: readonly Truth[], ofNone = 'there is nothing to choose from'): Truth =>
  decide(truths, true, ofNone);

function decide(truths: readonly Truth[], deciding: boolean, ofNone: string): Truth {
  const decisive = truths.filter(({ is }) => is === deciding);
  if (decisive.length > 0) return stated(deciding, () => decisive.flatMap(statementsOf));
  const unknowns = truths.filter((truth) => truth.is === 'unknown');
  const mistake = unknowns.find(({ never }) => never === true);
  if (mistake !== undefined) return mistake;
  const [cause] = unknowns;
  if (cause !== undefined)
    return unknown({ because: cause.because, dependsOn: [...new Set(unknowns.flatMap(({ dependsOn }) => dependsOn))] });
  return truths.length === 0 ? known(!deciding, ofNone) : stated(!deciding, () => truths.flatMap(statementsOf));
}

/** The statements of an answer that is known; one that is given in words is one statement. */
export const statementsOf = (truth: Truth): readonly Statement[] =>
  truth.is === 'unknown' ? [] : (truth.statements ?? [{ subject: truth.because }]);
