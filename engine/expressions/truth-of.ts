import type { ASTNode } from '@marcbachmann/cel-js';
import type { Truth } from '../terms/condition.js';
import type { At } from './at.js';
import { HIDDEN, hiddenWith, isHidden } from './hidden.js';
import { childrenOf, isQuantifier } from './parse.js';
import { reasonOf } from './reason-of.js';
import { namedCheck, pathOf } from './names.js';
import { allOf, anyOf, known, mistaken, not, unknown } from './truth.js';
import { elementsOf } from './between.js';
import { sourceOf } from './place.js';
import { member, show, type Outcome, type Value } from './value.js';

/** The truth of a node: what combines truths is combined here, the rest is a leaf. */
export function truthOf(node: ASTNode, at: At): Truth {
  switch (node.op) {
    case '&&':
      return allOf(operands(node, '&&').map((one) => at.truthOf(one, at)));
    case '||':
      return anyOf(operands(node, '||').map((one) => at.truthOf(one, at)));
    case '!_':
      return not(at.truthOf(node.args, at));
    case '?:': {
      const [condition, yes, no] = node.args;
      return choose(at.truthOf(condition, at), at.truthOf(yes, at), at.truthOf(no, at));
    }
    case 'call':
      if (node.args[0] === 'not' && node.args[1][0] !== undefined) return not(at.truthOf(node.args[1][0], at));
      break;
    case 'rcall': {
      const truth = quantified(node, at);
      if (truth !== undefined) return truth;
      break;
    }
    default:
      break;
  }
  return namedCheck(pathOf(node) ?? [], at) ?? leaf(at.outcomeOf(node, at), node, at);
}

/** `a && b && c` is one conjunction of three. */
function operands(node: ASTNode, op: '&&' | '||'): readonly ASTNode[] {
  return node.op === op ? childrenOf(node).flatMap((one) => operands(one, op)) : [node];
}

function choose(condition: Truth, yes: Truth, no: Truth): Truth {
  if (condition.is === 'unknown') return yes.is === no.is ? yes : condition;
  return condition.is ? yes : no;
}

function leaf(outcome: Outcome, node: ASTNode, at: At): Truth {
  if (outcome.is === 'wrong') return mistaken(outcome.reason);
  if (outcome.is !== 'value') return unknown(outcome);
  if (typeof outcome.value !== 'boolean')
    return mistaken(`${sourceOf(node)} is ${isHidden(node, at) ? HIDDEN : show(outcome.value)}, not true or false`);
  return known(outcome.value, reasonOf(node, outcome.value, at));
}

/** `all`, `exists` and `exists_one` over the elements of a list. */
function quantified(node: ASTNode & { op: 'rcall' }, at: At): Truth | undefined {
  if (!isQuantifier(node)) return undefined;
  const [name, list, [variable, body]] = node.args;
  if (variable?.op !== 'id' || body === undefined)
    return mistaken(`${name}() needs a variable and a condition: ${sourceOf(node)}`);
  const elements = elementsOf(at.outcomeOf(list, at), list);
  if (!('elements' in elements)) return elements;
  const hidden = hiddenWith(variable.args, list, at);
  const truths = elements.elements.map((element) => {
    const truth = at.truthOf(body, { ...at, hidden, locals: new Map([...at.locals, [variable.args, element]]) });
    return { ...truth, because: `${hidden === at.hidden ? nameOf(element) : HIDDEN}: ${truth.because}` };
  });
  const empty = `${sourceOf(list)} is empty`;
  if (name === 'all') return allOf(truths, empty);
  return name === 'exists' ? anyOf(truths, empty) : exactlyOne(truths, sourceOf(list));
}

/** How an element is called in a reason. */
function nameOf(element: Value): string {
  const own = ['name', 'id', 'index', 'key'].map((key) => member(element, key)).find((it) => typeof it === 'string');
  return typeof own === 'string' ? own : show(element);
}

function exactlyOne(truths: readonly Truth[], list: string): Truth {
  const fitting = truths.filter(({ is }) => is === true).length;
  const open = truths.filter(({ is }) => is === 'unknown');
  const because = `${fitting} of ${truths.length} in ${list} fit`;
  if (fitting > 1 || fitting + open.length === 0) return known(false, because);
  return open.length === 0 ? known(true, because) : anyOf(open);
}
