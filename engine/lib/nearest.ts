import { distance } from 'fastest-levenshtein';

/** The candidate that was most likely meant by a misspelt word, or undefined when none is near. Case does not count. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const limit = Math.max(2, Math.floor(word.length / 3));
  let best: { readonly name: string; readonly far: number } | undefined;
  for (const name of candidates) {
    const far = distance(word.toLowerCase(), name.toLowerCase());
    // As many edits as the longer has letters is another word, not a slip.
    const near = far <= limit && far < Math.max(word.length, name.length) - (word.length > 2 ? 1 : 0);
    if (near && !isOther(word, name, far) && (best === undefined || far < best.far)) best = { name, far };
  }
  return best?.name;
}

/** Of a short word two letters are half: only when they changed places is it the same word. */
const isOther = (a: string, b: string, far: number): boolean =>
  far > 1 && a.length <= 4 && b.length <= 4 && lettersOf(a) !== lettersOf(b);

const lettersOf = (word: string): string => Array.from(word.toLowerCase()).sort().join('');

/**
 * One slip of the hand apart: a letter too many, too few or wrong, or two that changed places. Words of less than four letters, and
 * names that differ by a number (`disk1`, `disk2`), are no slips.
 */
export function isSlipOf(word: string, other: string): boolean {
  const [a, b] = [word.toLowerCase(), other.toLowerCase()];
  if (Math.min(a.length, b.length) < 4 || a.replace(/\d+/g, '') === b.replace(/\d+/g, '')) return false;
  const far = distance(a, b);
  return far === 1 || (far === 2 && a.length === b.length && lettersOf(a) === lettersOf(b));
}
