import type { Truth } from '../terms/condition.js';
import type { Cause } from '../terms/fact.js';

const LONGEST = 100;

/** A reason in one line of at most 100 characters. */
export const reason = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
};

export const known = (is: boolean, because: string): Truth => ({ is, because: reason(because) });
export const unknown = ({ because, dependsOn }: Cause): Truth => ({
  is: 'unknown',
  because: reason(because),
  dependsOn,
});
export const mistaken = (because: string): Truth => ({
  is: 'unknown',
  never: true,
  because: reason(because),
  dependsOn: [],
});

export const not = (truth: Truth): Truth =>
  truth.is === 'unknown' ? truth : { is: !truth.is, because: truth.because };

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
  const [first, ...others] = truths.filter(({ is }) => is === deciding);
  if (first !== undefined) return known(deciding, withMore(first.because, others.length));
  const unknowns = truths.filter((truth) => truth.is === 'unknown');
  const mistake = unknowns.find(({ never }) => never === true);
  if (mistake !== undefined) return mistake;
  const [cause] = unknowns;
  if (cause !== undefined)
    return unknown({ because: cause.because, dependsOn: [...new Set(unknowns.flatMap(({ dependsOn }) => dependsOn))] });
  return known(!deciding, truths.length === 0 ? ofNone : withMore(truths[0]?.because ?? '', truths.length - 1));
}

/** The first reason, and how many more there are. */
const MORE = / \(and \d+ more\)$/;

/** A reason may have counted already, for what it combines itself. */
function withMore(because: string, more: number): string {
  if (more === 0) return because;
  const [first, end] = [because.replace(MORE, ''), ` (and ${more} more)`];
  const room = LONGEST - end.length;
  return `${first.length > room ? `${first.slice(0, room - 1)}…` : first}${end}`;
}
