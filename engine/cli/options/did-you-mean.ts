import { nearest } from '../../lib/nearest.js';

/** The end of a sentence about a misspelt name: `; did you mean "unit"?`; empty where no name is near. */
export function didYouMean(
  word: string,
  known: Iterable<string>,
  written: (name: string) => string = (name) => `"${name}"`,
): string {
  const near = nearest(word, known);
  return near === undefined ? '' : `; did you mean ${written(near)}?`;
}
