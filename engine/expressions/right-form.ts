import type { ASTNode } from '@marcbachmann/cel-js';
import { compareVersions } from '../lib/version.js';
import { sourceOf } from './place.js';
import { ANY, isCollection, typeInWords } from './types.js';

type Operator = '==' | '!=' | 'in' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%';
export type Binary = Extract<ASTNode, { op: Operator }>;

const ORDER: readonly string[] = ['<', '<=', '>', '>='];
const BINARY: readonly string[] = ['==', '!=', 'in', ...ORDER, '+', '-', '*', '/', '%'];
export const isBinary = (node: ASTNode): node is Binary => BINARY.includes(node.op);
export const isOrder = (node: ASTNode): boolean => ORDER.includes(node.op);

/** The type that the library found for a node: it notes it there while it checks. */
export const typeOfNode = (node: ASTNode): string =>
  (node as { readonly checkedType?: { readonly name: string } }).checkedType?.name ?? ANY;

export const isNumber = (type: string): boolean => type === 'int' || type === 'double';
const isText = (type: string): boolean => type === 'string';
export const textOf = (node: ASTNode): string | undefined =>
  node.op === 'value' && typeof node.args === 'string' ? node.args : undefined;
const isLiteralNumber = (node: ASTNode): boolean =>
  node.op === 'value' && ['bigint', 'number'].includes(typeof node.args);

/** Why two operands do not go together, in words. */
export function whyNot({ op, args: [a, b] }: Binary): string {
  const [left, right] = [typeInWords(typeOfNode(a)), typeInWords(typeOfNode(b))];
  if (op === '==' || op === '!=') return `${left} never equals ${right}`;
  if (op === 'in')
    return isCollection(typeOfNode(b)) ? `this list never contains ${left}` : `"in" needs a list, not ${right}`;
  if (ORDER.includes(op)) return left === right ? `${left} has no order` : `${left} and ${right} have no order`;
  return `${left} and ${right} cannot be calculated with "${op}"`;
}

/** What could be written instead, with the same names: `int(fact.web_port) > 3`. */
export function rightForm(node: Binary): { readonly hint?: string } {
  const [a, b] = node.args;
  const types = [typeOfNode(a), typeOfNode(b)] as const;
  if (types.includes('Secret')) return { hint: 'no expression reads a secret' };
  const sides = [instead(a, b, node.op), instead(b, a, node.op)] as const;
  if (sides[0] === undefined && sides[1] === undefined)
    return ORDER.includes(node.op) && types.some(isText) ? { hint: 'convert both sides with version() or int()' } : {};
  return { hint: `write ${sides[0] ?? sourceOf(a)} ${node.op} ${sides[1] ?? sourceOf(b)}` };
}

/** One side as it would fit the other; undefined where it stays as it is. */
function instead(one: ASTNode, other: ASTNode, op: string): string | undefined {
  const [type, beside, text] = [typeOfNode(one), typeOfNode(other), textOf(one)];
  if (text !== undefined) {
    if (isNumber(beside) && /^-?\d+$/.test(text)) return text;
    return beside === 'bool' && /^(?:true|false)$/.test(text) ? text : undefined;
  }
  if (isLiteralNumber(one)) {
    if (beside === 'Version' && ORDER.concat('==', '!=').includes(op)) return `"${sourceOf(one)}"`;
    return isText(beside) && (op === '==' || op === '!=') ? `"${sourceOf(one)}"` : undefined;
  }
  if (isNumber(beside) && isText(type) && !((op === '==' || op === '!=') && isLiteralNumber(other)))
    return `int(${sourceOf(one)})`;
  if (!ORDER.includes(op) || !(isText(type) || type === ANY) || !(isText(beside) || beside === ANY)) return undefined;
  const written = textOf(other);
  if (written !== undefined && compareVersions(written, written) === undefined) return undefined;
  return `version(${sourceOf(one)})`;
}
