import type { ASTNode } from '@marcbachmann/cel-js';
import { childrenOf, parseExpression } from '../../engine/expressions/parse.js';
import { placeOf, sourceOf } from '../../engine/expressions/place.js';
import { altered } from './alter.js';

/** One edit of an expression: what it does, and the text that it leaves. */
export interface ExpressionEdit {
  readonly how: string;
  readonly to: string;
}

/** What an order or a quantifier becomes. */
const REVERSED: Readonly<Record<string, string>> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' };
const QUANTIFIER: Readonly<Record<string, string>> = { all: 'exists', exists: 'all' };

/** The edits of a condition: each operand left out, each literal altered, each order, negation and quantifier reversed. None where it is no expression. */
export function expressionEdits(text: string): readonly ExpressionEdit[] {
  const parsed = parseExpression(text);
  if (!parsed.ok) return [];
  const edits: ExpressionEdit[] = [];
  const replace = (node: ASTNode, by: string, how: string): void => {
    const { start, end } = placeOf(node);
    edits.push({ how, to: text.slice(0, start) + by + text.slice(end) });
  };
  visit(parsed.ast, (node) => {
    for (const [by, how] of editsOf(node)) replace(node, by, how);
  });
  return edits;
}

function visit(node: ASTNode, see: (node: ASTNode) => void): void {
  see(node);
  for (const child of childrenOf(node)) visit(child, see);
}

function* editsOf(node: ASTNode): Generator<readonly [by: string, how: string]> {
  const [left, right] = childrenOf(node);
  if ((node.op === '&&' || node.op === '||') && left !== undefined && right !== undefined) {
    yield [`(${sourceOf(left)})`, `without ${sourceOf(right)}`];
    // Of a chain the operands further left are left out by the nodes inside it.
    if (left.op !== node.op) yield [`(${sourceOf(right)})`, `without ${sourceOf(left)}`];
  }
  if (node.op === '!_' && left !== undefined) yield [`(${sourceOf(left)})`, `not negated ${sourceOf(left)}`];
  const reversed = REVERSED[node.op];
  if (reversed !== undefined && left !== undefined && right !== undefined)
    yield [`${sourceOf(left)} ${reversed} ${sourceOf(right)}`, `${sourceOf(node)} with ${reversed}`];
  if (node.op === 'rcall') yield* quantified(node);
  if (node.op === 'value') {
    const value: unknown = typeof node.args === 'bigint' ? Number(node.args) : node.args;
    const to = altered(value, []);
    if (to !== undefined) yield [JSON.stringify(to), `${sourceOf(node)} is ${JSON.stringify(to)}`];
  }
}

function* quantified(node: ASTNode & { op: 'rcall' }): Generator<readonly [by: string, how: string]> {
  const [name] = node.args;
  const other = QUANTIFIER[name];
  if (other === undefined) return;
  const source = sourceOf(node);
  const at = source.indexOf(`.${name}(`);
  if (at >= 0)
    yield [`${source.slice(0, at)}.${other}(${source.slice(at + name.length + 2)}`, `${other} instead of ${name}`];
}
