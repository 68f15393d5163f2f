import type { YAMLError, YAMLWarning } from 'yaml';
import type { Diagnostic } from '../../terms/diagnostic.js';
import { limits } from './limits.js';

type Mistake = (offset: number, length: number, message: string, hint?: string) => Diagnostic;

/** A parser's error in words that say what to do. */
export function syntaxMistake(error: YAMLError | YAMLWarning, text: string, mistake: Mistake): Diagnostic {
  const [start, end] = error.pos;
  const length = end - start;
  const { code } = error;
  if (code === 'TAB_AS_INDENT') return tab(start, text, mistake);
  if (code === 'RESOURCE_EXHAUSTION') return mistake(start, 1, `is nested more than ${limits.depth} levels deep`);
  if (code === 'MULTIPLE_DOCS') return mistake(start, 3, 'a file holds one document only', 'take out this `---`');
  if (code === 'TAG_RESOLVE_FAILED' && error.name === 'YAMLWarning')
    return mistake(start, length, `there is no tag "${text.slice(start, end)}"`, tagHint(text.slice(start, end)));
  if (code === 'NON_STRING_KEY')
    return looksTemplated(text, start)
      ? mistake(start, length, 'a template needs quotes around it', 'write "{{…}}"')
      : mistake(start, length, 'a key must be text');
  const quote = code === 'MISSING_CHAR' ? /^Missing closing (["'])/.exec(error.message)?.[1] : undefined;
  // The parser stands where the text ends. No quote of this kind follows the one that was opened.
  if (quote !== undefined)
    return mistake(text.lastIndexOf(quote, start - 1), 1, 'this quote is not closed', `close it with ${quote}`);
  const stumbled = ['BAD_INDENT', 'UNEXPECTED_TOKEN', 'BAD_SCALAR_START', 'MISSING_CHAR'].includes(code);
  const cause = stumbled ? tabNear(start, text, mistake) : undefined;
  return cause ?? mistake(start, length, `is not YAML: ${plain(error.message)}`, hints[code]);
}

/** What mostly causes what the parser reports in its own words. */
const hints: Readonly<Record<string, string>> = {
  MULTILINE_IMPLICIT_KEY: 'a key needs a colon and a space after it: `hosts: web`',
  BLOCK_AS_IMPLICIT_KEY:
    'this line or the next one is indented differently from those beside it, or its text needs quotes',
};

/** `when: !done` is a negation for whoever writes it, and a tag without a value for YAML. */
const tagHint = (tag: string): string =>
  /^![a-z_][\w.]*$/.test(tag)
    ? `put the whole text in quotes; a negation can also be written not(${tag.slice(1)})`
    : 'values have no tags here: take it out, or put the text in quotes';

const plain = (message: string): string => message.replace(/\s+/g, ' ').trim();

function tab(offset: number, text: string, mistake: Mistake): Diagnostic {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const at = text.slice(lineStart).search(/\t/);
  return mistake(at < 0 ? offset : lineStart + at, 1, 'a tab indents this line', 'YAML allows spaces only');
}

/** The parser stumbles over a tab in many ways; a tab before the first word of the line is the cause. */
function tabNear(offset: number, text: string, mistake: Mistake): Diagnostic | undefined {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ ]*\t/.test(text.slice(lineStart)) ? tab(offset, text, mistake) : undefined;
}

const looksTemplated = (text: string, offset: number): boolean =>
  text.slice(Math.max(0, offset - 1), offset + 2).includes('{{');
