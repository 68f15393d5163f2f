import type { ASTNode } from '@marcbachmann/cel-js';
import type { At } from './at.js';
import { HIDDEN, isHidden } from './hidden.js';
import { pathOf } from './names.js';
import { childrenOf } from './parse.js';
import { sourceOf } from './place.js';
import { Quantity } from './quantity.js';
import { isBinary, type Binary } from './right-form.js';
import { show, Version } from './value.js';

const isNamed = (node: ASTNode | undefined): boolean => node !== undefined && pathOf(node) !== undefined;

/** What holds where the comparison does not. */
const OPPOSITE: Readonly<Record<string, string>> = {
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
};

/**
 * Why a leaf is true or false: a sentence that holds now, and the values of the names in it. `installed.indexer != platform.target` that
 * is false reads `installed.indexer == platform.target: 4.14.7-1, 4.14.7`, for as it is written it would say the opposite.
 */
export function reasonOf(node: ASTNode, is: boolean, at: At): string {
  const operator = operatorNow(node, is, at);
  const [a, b] = isBinary(node) ? node.args : [];
  const text =
    operator !== undefined && a !== undefined && b !== undefined
      ? `${operandText(a)} ${operator} ${operandText(b)}`
      : is || pathOf(node) !== undefined || node.op === 'value'
        ? sourceOf(node)
        : `not(${sourceOf(node)})`;
  const isSaid = operator === '==' && isNamed(a) !== isNamed(b) && [a, b].some((operand) => operand?.op === 'value');
  const values = isSaid ? [] : namedIn(node).flatMap((one) => valueOf(one, at));
  return values.length === 0 ? text : `${text}: ${values.join(', ')}`;
}

/** The operator of a comparison that holds; undefined where none says it: what is absent is neither below nor above. */
function operatorNow(node: ASTNode, is: boolean, at: At): string | undefined {
  if (!isBinary(node) || OPPOSITE[node.op] === undefined) return undefined;
  if (is || ['==', '!='].includes(node.op)) return is ? node.op : OPPOSITE[node.op];
  return hasAbsent(node, at) ? undefined : OPPOSITE[node.op];
}

/** An operand as it must be written beside another operator. */
const operandText = (node: ASTNode): string =>
  ['&&', '||', '?:', 'in'].includes(node.op) || OPPOSITE[node.op] !== undefined
    ? `(${sourceOf(node)})`
    : sourceOf(node);

const hasAbsent = ({ args }: Binary, at: At): boolean =>
  args.some((one) => {
    const outcome = at.outcomeOf(one, at);
    const found = outcome.is === 'value' ? outcome.value : undefined;
    return (found instanceof Version && found.text === null) || (found instanceof Quantity && found.amount === null);
  });

function valueOf(node: ASTNode, at: At): readonly string[] {
  const outcome = at.outcomeOf(node, at);
  if (outcome.is !== 'value') return [];
  return [isHidden(node, at) ? HIDDEN : show(outcome.value)];
}

/** The names whose values explain a leaf: the longest paths in it; the macros' own variables say nothing by themselves. */
function namedIn(node: ASTNode): readonly ASTNode[] {
  if (pathOf(node) !== undefined) return [node];
  if (node.op === 'rcall') return namedIn(node.args[1]);
  return childrenOf(node).flatMap(namedIn);
}
