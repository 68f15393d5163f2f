import type { ASTNode } from '@marcbachmann/cel-js';
import { getOrCreate } from '../lib/get-or-create.js';

interface Place {
  readonly start: number;
  readonly end: number;
}

const foundBefore = new WeakMap<ASTNode, Place>();

/**
 * From where to where a node stands in its text. Some nodes of the library have no `range` of their own, and none begins with the parenthesis
 * that stands before its first operand, or ends with the one behind
 * its last: `(a + b).size()` would begin with `a`, and `a == (b + c)` end with `c`.
 */
export const placeOf = (node: ASTNode): Place => getOrCreate(foundBefore, node, () => findPlace(node));

function findPlace({ input, range, start, end }: ASTNode): Place {
  const whole = (range as { readonly start: number; readonly end: number } | undefined) ?? { start, end };
  let from = whole.start;
  for (let open = closedTooMuch(input.slice(from, whole.end)); open > 0; open -= 1) {
    const before = input.slice(0, from).trimEnd();
    if (!before.endsWith('(')) break;
    from = before.length - 1;
  }
  let to = whole.end;
  for (let open = openedTooMuch(input.slice(from, to)); open > 0; open -= 1) {
    const [closing] = /^\s*\)/.exec(input.slice(to)) ?? [];
    if (closing === undefined) break;
    to += closing.length;
  }
  return { start: from, end: to };
}

/** The text of a node, as written. */
export function sourceOf(node: ASTNode): string {
  const { start, end } = placeOf(node);
  return node.input.slice(start, end);
}

/** How many parentheses a text closes that it did not open; those in literals do not count. */
const closedTooMuch = (text: string): number => -depthOf(text).least;
const openedTooMuch = (text: string): number => depthOf(text).end - depthOf(text).least;

function depthOf(text: string): { readonly end: number; readonly least: number } {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '');
  let [depth, least] = [0, 0];
  for (const c of bare) {
    depth += c === '(' ? 1 : c === ')' ? -1 : 0;
    least = Math.min(least, depth);
  }
  return { end: depth, least };
}
