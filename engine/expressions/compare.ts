import type { ASTNode } from '@marcbachmann/cel-js';
import { subsetOf } from '../lib/json.js';
import {
  equals,
  isList,
  isMap,
  member,
  order,
  show,
  value,
  Version,
  wrong,
  type Outcome,
  type Value,
} from './value.js';

/** An operator with two operands: comparison, `in` and arithmetic. */
export function compareNodes(node: ASTNode, a: Outcome, b: Outcome): Outcome {
  if (a.is === 'wrong') return a;
  if (b.is === 'wrong') return b;
  if (a.is !== 'value' || b.is !== 'value') return a.is === 'value' ? b : a;
  return apply(node.op, a.value, b.value);
}

const NO_ORDER = 'have no order; convert with version() or int()';

function apply(op: string, a: Value, b: Value): Outcome {
  switch (op) {
    case '==':
    case '!=': {
      const equal = equals(a, b);
      return equal === undefined
        ? wrong(
            `${show(a)} and ${show(b)} cannot be compared${a instanceof Version || b instanceof Version ? ' as versions' : ''}`,
          )
        : value(equal === (op === '=='));
    }
    case '<':
    case '<=':
    case '>':
    case '>=': {
      const sign = order(a, b);
      if (sign === undefined) return wrong(`${show(a)} and ${show(b)} ${NO_ORDER}`);
      // What is not installed is neither below nor above anything.
      if (sign === null) return value(false);
      return value(op === '<' ? sign < 0 : op === '<=' ? sign <= 0 : op === '>' ? sign > 0 : sign >= 0);
    }
    case 'in':
      if (isList(b)) return value(b.some((one) => equals(a, one) === true));
      if (isMap(a) && isMap(b)) return value(subsetOf(a, b));
      return typeof a === 'string' && typeof b === 'object'
        ? value(member(b, a) !== undefined)
        : wrong(`${show(b)} is not a list`);
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return arithmetic(op, a, b);
    default:
      return wrong(`the operator ${op} is not supported`);
  }
}

function arithmetic(op: '+' | '-' | '*' | '/' | '%', a: Value, b: Value): Outcome {
  const [left, right] = [textOf(a), textOf(b)];
  if (op === '+' && left !== undefined && right !== undefined && [a, b].some((one) => typeof one === 'string'))
    return value(left + right);
  if (op === '+' && isList(a) && isList(b)) return value([...a, ...b]);
  if (typeof a !== 'number' || typeof b !== 'number')
    return wrong(`${show(a)} ${op} ${show(b)}: only numbers can be calculated with`);
  if ((op === '/' || op === '%') && b === 0) return wrong('division by zero');
  const result = op === '+' ? a + b : op === '-' ? a - b : op === '*' ? a * b : op === '/' ? quotient(a, b) : a % b;
  return Number.isSafeInteger(result) || !Number.isInteger(a) || !Number.isInteger(b)
    ? value(result)
    : wrong('the number is too large');
}

/** In a text a version stands as it is written. */
const textOf = (v: Value): string | undefined =>
  v instanceof Version ? (v.text ?? undefined) : typeof v === 'string' ? v : undefined;

/** Whole numbers are divided without a rest, as in the language's definition. */
const quotient = (a: number, b: number): number =>
  Number.isInteger(a) && Number.isInteger(b) ? Math.trunc(a / b) : a / b;
