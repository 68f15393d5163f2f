/** Of the package `yaml`, which is loaded by whoever reads such a text. */
interface Lexer {
  lex(text: string): Iterable<string>;
}

/** Below this the parser itself finds out soon enough, characters. */
const smallText = 16_384;

/**
 * Where a text begins to be nested too deeply, found by its tokens alone: the parser recurses, and takes seconds and much memory to
 * find out. Undefined when it is not; what block indentation nests is bounded by the text's size.
 */
export function tooDeepAt(lexer: Lexer, text: string, most: number): number | undefined {
  if (text.length < smallText) return undefined;
  let offset = 0;
  let flow = 0;
  let compact = 0;
  for (const token of lexer.lex(text)) {
    // The lexer's own marks are not in the text.
    if (token === '\u0002' || token === '\u0018' || token === '\u001f') continue;
    if (token === '[' || token === '{') flow += 1;
    else if (token === ']' || token === '}') flow = Math.max(0, flow - 1);
    else if (token === '-' || token === '?') compact += 1;
    else if (token.includes('\n')) compact = 0;
    if (flow > most || compact > most) return offset;
    offset += token.length;
  }
  return undefined;
}
