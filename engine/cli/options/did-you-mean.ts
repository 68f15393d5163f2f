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

/** The whole sentence about the title of a step. A part of it may be meant, too: `the service` of `Stop the service`. */
export function unknownStep(name: string, titles: ReadonlySet<string>): string {
  const holds = (title: string): boolean => name !== '' && title.toLowerCase().includes(name.toLowerCase());
  const meant = nearest(name, titles) ?? [...titles].find(holds);
  return `unknown step "${name}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`;
}
