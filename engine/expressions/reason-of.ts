import type { ASTNode } from '@marcbachmann/cel-js';
import type { Statement } from '../terms/condition.js';
import type { At } from './at.js';
import { HIDDEN } from './hidden.js';
import { freePaths, pathOf } from './names.js';
import { sourceOf } from './place.js';
import { isBinary } from './right-form.js';
import { subjectOf, valueOf, wantedOf } from './shown.js';
import { Version } from './value.js';

/** A comparison whose subject is the first operand: the side that the author does not write as a literal. */
interface Comparison {
  readonly operator: string;
  readonly subject: ASTNode;
  readonly wanted: ASTNode;
}

const MIRRORED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', in: 'contains' };

/** Why a leaf is true or false: what it is about, the value of that, and what it was compared with. */
export function reasonOf(node: ASTNode, is: boolean, at: At): Statement {
  if (node.op === 'value') return { subject: sourceOf(node) };
  const [asked] = node.op === 'call' && node.args[0] === 'has' ? node.args[1] : [];
  if (asked !== undefined) return { subject: subjectOf(asked, at), value: valueOf(asked, at) ?? 'absent' };
  const comparison = comparisonOf(node);
  return (comparison && compared(comparison, is, at)) ?? { subject: wholeText(node, at), value: String(is) };
}

function compared({ operator, subject, wanted }: Comparison, is: boolean, at: At): Statement | undefined {
  // What is not installed equals nothing and has no order: that is the whole reason.
  const absent = [subject, wanted].find((one) => isNotInstalled(one, at));
  if (absent !== undefined) return { subject: subjectOf(absent, at), value: valueOf(absent, at) ?? '' };
  const [value, other] = beside(subject, wanted, at);
  if (value === undefined || other === undefined) return undefined;
  const negated = operator === '!=';
  const how = { operator: negated ? '==' : operator, wanted: other, holds: is !== negated };
  // In a text in which something is searched, its beginning says nothing.
  const isLong = ['like', 'contains'].includes(operator) && value.endsWith('…"');
  return { subject: operandText(subject, at), ...(isLong ? {} : { value }), compared: how };
}

/** Both values. What is equal to a hidden value would show it, so names beside one are hidden too. */
function beside(subject: ASTNode, wanted: ASTNode, at: At): readonly (string | undefined)[] {
  const values = [valueOf(subject, at), wantedOf(wanted, at, subject)];
  if (!values.includes(HIDDEN)) return values;
  return [subject, wanted].map((node, i) => (freePaths(node).length > 0 ? HIDDEN : values[i]));
}

/** `3 == size(x)` is about `size(x)`, and `"a" in x` about `x`. */
function comparisonOf(node: ASTNode): Comparison | undefined {
  if (node.op === 'rcall') {
    const [operator, subject, [wanted]] = node.args;
    return wanted !== undefined && operator === 'like' ? { operator, subject, wanted } : undefined;
  }
  if (!isBinary(node)) return undefined;
  const [a, b] = node.args;
  return a.op === 'value' && b.op !== 'value' && b.op !== 'list'
    ? { operator: MIRRORED[node.op] ?? node.op, subject: b, wanted: a }
    : { operator: node.op, subject: a, wanted: b };
}

const LOOSE: readonly string[] = ['&&', '||', '?:', 'in', '==', '!=', '<', '<=', '>', '>='];
const operandText = (node: ASTNode, at: At): string =>
  LOOSE.includes(node.op) ? `(${sourceOf(node)})` : subjectOf(node, at);
const wholeText = (node: ASTNode, at: At): string =>
  pathOf(node) === undefined && isBinary(node) ? `(${sourceOf(node)})` : subjectOf(node, at);

function isNotInstalled(node: ASTNode, at: At): boolean {
  const outcome = at.outcomeOf(node, at);
  return outcome.is === 'value' && outcome.value instanceof Version && outcome.value.text === null;
}
