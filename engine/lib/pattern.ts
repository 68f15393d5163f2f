/** Why a text is no pattern, and what to write instead where that is known. */
export interface PatternMistake {
  readonly reason: string;
  readonly hint?: string;
}

/**
 * A pattern of a playbook, compiled: a regular expression of JavaScript, `^` and `$` being the ends of a line. The one place that
 * knows how. Throws a SyntaxError for a text that `patternMistake` does not let pass.
 */
export const compilePattern = (pattern: string, flags: 'm' | 'gm' = 'm'): RegExp => new RegExp(pattern, flags);

/** What is wrong with a text as a pattern; undefined when nothing is. */
export function patternMistake(pattern: string): PatternMistake | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const hint = habits.find(([form]) => form.test(pattern))?.[1];
    return {
      reason: said.replace(/^Invalid regular expression: (?:.*: )?/s, '').toLowerCase(),
      ...(hint === undefined ? {} : { hint }),
    };
  }
}

/** As the format `regex` of the schemas. */
export const isPattern = (text: string): boolean => patternMistake(text) === undefined;

/** What other languages allow, and JavaScript writes otherwise. */
const habits: readonly (readonly [RegExp, string])[] = [
  [/\(\?P[<=>]/, 'a named group is written (?<name>…) here'],
  [
    /\(\?[imsxua-]+[:)]/,
    'there are no inline flags here: write both cases, as in [Aa]; ^ and $ are the ends of a line anyway',
  ],
  [/\(\?>|[*+?}]\+/, 'there are no possessive quantifiers and no atomic groups here'],
];
