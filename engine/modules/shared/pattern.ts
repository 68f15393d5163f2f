import { compilePattern } from '../../lib/pattern.js';

/** Does it match, line by line? The pattern is one that the module's schema let pass (`format: regex`). */
export const matches = (pattern: string, text: string): boolean => compilePattern(pattern).test(text);
