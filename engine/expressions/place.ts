import type { ASTNode } from '@marcbachmann/cel-js';

/** From where to where a node stands in its text. Some nodes of the library have no `range` of their own. */
export function placeOf({ range, start, end }: ASTNode): { readonly start: number; readonly end: number } {
  const whole = range as { readonly start: number; readonly end: number } | undefined;
  return whole ?? { start, end };
}

/** The text of a node, as somebody wrote it. */
export function sourceOf(node: ASTNode): string {
  const { start, end } = placeOf(node);
  return node.input.slice(start, end);
}
