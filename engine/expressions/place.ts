import type { ASTNode } from '@marcbachmann/cel-js';

/**
 * From where to where a node stands in its text. Some nodes of the library have no `range` of their own, and none begins with the parenthesis
 * that stands before its first operand: `(a + b).size()` would begin with `a`.
 */
export function placeOf({ input, range, start, end }: ASTNode): { readonly start: number; readonly end: number } {
  const whole = (range as { readonly start: number; readonly end: number } | undefined) ?? { start, end };
  let from = whole.start;
  for (let open = closedTooMuch(input.slice(from, whole.end)); open > 0; open -= 1) {
    const before = input.slice(0, from).trimEnd();
    if (!before.endsWith('(')) break;
    from = before.length - 1;
  }
  return { start: from, end: whole.end };
}

/** The text of a node, as written. */
export function sourceOf(node: ASTNode): string {
  const { start, end } = placeOf(node);
  return node.input.slice(start, end);
}

/** How many parentheses a text closes that it did not open; those in literals do not count. */
function closedTooMuch(text: string): number {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '');
  let [depth, least] = [0, 0];
  for (const c of bare) {
    depth += c === '(' ? 1 : c === ')' ? -1 : 0;
    least = Math.min(least, depth);
  }
  return -least;
}
