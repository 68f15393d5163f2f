import { limits } from './limits.js';
import type { Yaml } from './node.js';

/** Below this the parser itself finds out soon enough, characters. */
const smallText = 16_384;

/**
 * Where a text begins to be nested too deeply, found by its tokens alone: the parser recurses, and takes seconds and much memory to
 * find out. Undefined when it is not; what block indentation nests is bounded by the text's size.
 */
export function tooDeepAt(yaml: Yaml, text: string): number | undefined {
  if (text.length < smallText) return undefined;
  let offset = 0;
  let flow = 0;
  let compact = 0;
  for (const token of new yaml.Lexer().lex(text)) {
    // The lexer's own marks are not in the text.
    if (token === '\u0002' || token === '\u0018' || token === '\u001f') continue;
    if (token === '[' || token === '{') flow += 1;
    else if (token === ']' || token === '}') flow = Math.max(0, flow - 1);
    else if (token === '-' || token === '?') compact += 1;
    else if (token.includes('\n')) compact = 0;
    if (flow > limits.depth || compact > limits.depth) return offset;
    offset += token.length;
  }
  return undefined;
}
