import type { ASTNode } from '@marcbachmann/cel-js';
import { nearest } from '../lib/nearest.js';
import { compareVersions } from '../lib/version.js';
import { FUNCTION_NAMES } from './call.js';
import type { Names } from './environment.js';
import { pathOf } from './names.js';
import { childrenOf, MACROS } from './parse.js';
import { sourceOf } from './place.js';
import { isQuantityType, quantityOf } from './quantity.js';
import { isBinary, isOrder, rightForm, textOf, typeOfNode, whyNot, type Binary } from './right-form.js';
import { ANY, typeInWords } from './types.js';

/** What is wrong with a node, in words. */
export interface Wrong {
  readonly node: ASTNode;
  readonly reason: string;
  readonly hint?: string;
}

/**
 * What the library lets pass, and what would be a mistake of the run, or worse, never true: an order of texts, a text that is no version
 * or no value of the variable beside it, functions and forms that the evaluator does not have. The types of the nodes are known.
 */
export function wrongForms(node: ASTNode, names: Names): readonly Wrong[] {
  const own = wrongOf(node, names);
  return own === undefined ? childrenOf(node).flatMap((one) => wrongForms(one, names)) : [own];
}

function wrongOf(node: ASTNode, names: Names): Wrong | undefined {
  if (isBinary(node)) return wrongOperands(node, names);
  switch (node.op) {
    case 'call':
    case 'rcall':
      return wrongCall(node);
    case 'map':
      return { node, reason: 'a map cannot be written here' };
    case '.':
    case '[]':
      return pathOf(node) === undefined
        ? { node, reason: 'a key or an index can only follow a name, and an index must be a literal' }
        : undefined;
    case 'value':
      return ['string', 'number', 'boolean', 'bigint'].includes(typeof node.args) || node.args === null
        ? undefined
        : { node, reason: 'bytes and unsigned numbers are not supported' };
    default:
      return undefined;
  }
}

function wrongOperands(node: Binary, names: Names): Wrong | undefined {
  const [a, b] = node.args;
  const types = [typeOfNode(a), typeOfNode(b)];
  const unordered =
    types.every((type) => type === 'string' || type === 'bool' || type === ANY) && types.some((type) => type !== ANY);
  if (isOrder(node) && unordered) return { node, reason: whyNot(node), ...rightForm(node) };
  return beside(a, b, node, names) ?? beside(b, a, node, names);
}

/** A literal beside a name: it must be a value that the name can have. */
function beside(name: ASTNode, literal: ASTNode, node: Binary, names: Names): Wrong | undefined {
  if (node.op === 'in' && literal.op === 'list' && name === node.args[0])
    return literal.args.map((one) => beside(name, one, node, names)).find((wrong) => wrong !== undefined);
  const text = textOf(literal);
  if (text === undefined || ['+', '-', '*', '/', '%'].includes(node.op)) return undefined;
  const type = typeOfNode(name);
  const isTyped = type === 'Version' || isQuantityType(type);
  if (isTyped && text === '')
    return {
      node,
      reason: `${typeInWords(type)} is never ""`,
      // Without "!", which is a tag at the beginning of a YAML value.
      hint: `write ${node.op === '==' ? `not(has(${sourceOf(name)}))` : `has(${sourceOf(name)})`}`,
    };
  if (isTyped && !(isQuantityType(type) ? quantityOf(type, text) : compareVersions(text, text) !== undefined))
    return { node: literal, reason: `${sourceOf(literal)} is not ${typeInWords(type)}`, ...FORMS[type] };
  const all =
    node.op === 'in' && name !== node.args[0] ? undefined : names.choices?.get((pathOf(name) ?? []).join('.'));
  if (all === undefined || all.includes(text)) return undefined;
  const meant = nearest(text, all);
  return {
    node: literal,
    reason: `${sourceOf(name)} is never ${sourceOf(literal)}`,
    hint: meant === undefined ? `it is ${all.join(', ')}` : `did you mean "${meant}"?`,
  };
}

const FORMS: Readonly<Record<string, { readonly hint: string }>> = {
  Version: { hint: 'write it as "4.14.7"' },
  Duration: { hint: 'write it as "90s", "10m" or "1h30m"' },
  Size: { hint: 'write it as "500MB" or "10GB"' },
};

function wrongCall(node: ASTNode & { op: 'call' | 'rcall' }): Wrong | undefined {
  const [name] = node.args;
  if (!FUNCTION_NAMES.includes(name)) return { node, ...noFunction(name) };
  return node.op === 'rcall' && MACROS.has(name) ? unusedVariable(node) : undefined;
}

/** `hosts.web.all(h, ready)` asks the host at hand once for each host of the list. */
function unusedVariable(node: ASTNode & { op: 'rcall' }): Wrong | undefined {
  const [name, , [variable, body]] = node.args;
  if (variable?.op !== 'id' || body === undefined || uses(body, variable.args)) return undefined;
  return {
    node: body,
    reason: `the condition of ${name}() does not use "${variable.args}"`,
    hint: `write ${variable.args}.NAME`,
  };
}

const uses = (node: ASTNode, name: string): boolean =>
  (node.op === 'id' && node.args === name) || childrenOf(node).some((one) => uses(one, name));

/** What other dialects of the language call them. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  contains: 'like',
  matches: 'like',
  startsWith: 'like',
  endsWith: 'like',
  length: 'size',
  existsOne: 'exists_one',
};

/** There is no function of this name. */
export function noFunction(name: string): { readonly reason: string; readonly hint?: string } {
  const meant = OTHER_NAMES[name] ?? nearest(name, FUNCTION_NAMES);
  return {
    reason: `there is no function ${name}()`,
    hint: meant === undefined ? `there are ${FUNCTION_NAMES.join(', ')}` : `did you mean "${meant}"?`,
  };
}
