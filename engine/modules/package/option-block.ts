import { bare, linesOf } from '../shared/lines.js';

/**
 * What the package's own script wrote into a file of options: a comment that holds `marker`, and the lines below it up to an empty line or
 * another comment. Undefined where there is none.
 */
export function scriptBlock(text: string, marker: string | undefined): string | undefined {
  if (marker === undefined) return undefined;
  const lines = linesOf(text);
  const at = lines.findIndex((line) => line.startsWith('#') && line.includes(marker));
  if (at === -1) return undefined;
  const below = lines.slice(at + 1).findIndex((line) => bare(line).trim() === '' || line.startsWith('#'));
  return lines.slice(at, below === -1 ? undefined : at + 1 + below).join('');
}

/** The text with the block at its end, as the script puts it there, unless it has it. */
export const withBlock = (text: string, block: string | undefined): string =>
  block === undefined || text.includes(block) ? text : `${text}${text.endsWith('\n') ? '' : '\n'}\n${block}`;
