import { blocked, type Verdict } from '../terms/change.js';

/** Does it match, line by line? The pattern is one that `badPattern` let pass. */
export const matches = (pattern: string, text: string): boolean => new RegExp(pattern, 'm').test(text);

/** Refuses arguments that are no JavaScript regular expressions: a schema cannot tell. */
export function badPattern(patterns: Readonly<Record<string, string | undefined>>): Verdict | undefined {
  for (const [name, pattern] of Object.entries(patterns)) {
    if (pattern === undefined) continue;
    try {
      new RegExp(pattern, 'm');
    } catch (error) {
      return blocked(`${name} is no regular expression: ${error instanceof Error ? error.message : pattern}`);
    }
  }
  return undefined;
}
