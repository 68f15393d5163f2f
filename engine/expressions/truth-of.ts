import type { ASTNode } from '@marcbachmann/cel-js';
import type { Truth } from '../terms/condition.js';
import type { At } from './at.js';
import { HIDDEN, isHidden } from './hidden.js';
import { operandsOf } from './parse.js';
import { reasonOf } from './reason-of.js';
import { namedCheck, pathOf } from './names.js';
import { allOf, anyOf, mistaken, not, stated, unknown } from './truth.js';
import { quantified } from './quantified.js';
import { sourceOf } from './place.js';
import { show, type Outcome } from './value.js';

/** The truth of a node: what combines truths is combined here, the rest is a leaf. */
export function truthOf(node: ASTNode, at: At): Truth {
  switch (node.op) {
    case '&&':
      return allOf(operandsOf(node, '&&').map((one) => at.truthOf(one, at)));
    case '||':
      return anyOf(operandsOf(node, '||').map((one) => at.truthOf(one, at)));
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

function choose(condition: Truth, yes: Truth, no: Truth): Truth {
  if (condition.is === 'unknown') return yes.is === no.is ? yes : condition;
  return condition.is ? yes : no;
}

function leaf(outcome: Outcome, node: ASTNode, at: At): Truth {
  if (outcome.is === 'wrong') return mistaken(outcome.reason);
  if (outcome.is !== 'value') return unknown(outcome);
  if (typeof outcome.value !== 'boolean')
    return mistaken(`${sourceOf(node)} is ${isHidden(node, at) ? HIDDEN : show(outcome.value)}, not true or false`);
  const { value } = outcome;
  return stated(value, () => [reasonOf(node, value, at)]);
}
