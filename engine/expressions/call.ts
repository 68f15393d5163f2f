import type { ASTNode } from '@marcbachmann/cel-js';
import { isObject, type Json } from '../terms/json.js';
import type { At } from './at.js';
import { pathOf } from './names.js';
import { compile } from './pattern.js';
import { isQuantifier, MACROS } from './parse.js';
import { ofTruth } from './between.js';
import { withoutHidden } from './hidden.js';
import { sourceOf } from './place.js';
import { Quantity } from './quantity.js';
import { isList, show, value, Version, wrong, type Outcome, type Value } from './value.js';

type Call = ASTNode & { op: 'call' | 'rcall' };

/** A function or method: `size(x)` and `x.size()` are one. */
export function call(node: Call, at: At): Outcome {
  const [name, args] =
    node.op === 'call' ? [node.args[0], node.args[1]] : [node.args[0], [node.args[1], ...node.args[2]]];
  const [first] = args;
  if (first === undefined) return wrong(`${name}() needs a value`);
  if (name === 'has') return has(first, at);
  if (name === 'not' || isQuantifier(node)) return ofTruth(at.truthOf(node, at));
  const operands = args.map((one) => at.outcomeOf(one, at));
  const bad = operands.find(({ is }) => is === 'wrong');
  if (bad !== undefined) return bad;
  const open = operands.find(({ is }) => is !== 'value');
  if (open !== undefined) return open;
  const values = operands.flatMap((one) => (one.is === 'value' ? [one.value] : []));
  const answer =
    FUNCTIONS[name]?.(values[0] ?? null, values[1]) ??
    wrong(`${sourceOf(node)}: ${name}() cannot be used with ${values.map(show).join(', ')}`);
  return withoutHidden(answer, node, at);
}

/** Whether a name leads to something: what is absent, empty as a version, or null is not there. */
function has(node: ASTNode, at: At): Outcome {
  const path = pathOf(node);
  if (path === undefined) return wrong(`has(${sourceOf(node)}) needs a name`);
  const outcome = at.outcomeOf(node, at);
  if (outcome.is === 'wrong') return value(false);
  if (outcome.is !== 'value') return outcome;
  const { value: found } = outcome;
  const isAbsent =
    (found instanceof Version && found.text === null) || (found instanceof Quantity && found.amount === null);
  return value(found !== null && !isAbsent);
}

type Known = (of: Value, other: Value | undefined) => Outcome | undefined;

/** All functions that there are, beside `has`, `not` and the macros. Undefined: not for such values. */
const FUNCTIONS: Readonly<Record<string, Known>> = {
  size: (of) => (typeof of === 'string' ? value(Array.from(of).length) : isList(of) ? value(of.length) : sizeOfMap(of)),
  like: (of, pattern) => {
    const compiled = typeof of === 'string' && typeof pattern === 'string' ? compile(pattern) : undefined;
    if (compiled?.ok === false) return wrong(`${show(pattern ?? null)} is no regular expression: ${compiled.reason}`);
    return compiled === undefined ? undefined : value(compiled.it.matcher(of as string).find());
  },
  version: (of) =>
    typeof of === 'string' ? value(new Version(of === '' ? null : of)) : of instanceof Version ? value(of) : undefined,
  int: (of) => {
    const n =
      typeof of === 'number' ? of : typeof of === 'string' && /^-?\d+$/.test(of.trim()) ? Number(of) : Number.NaN;
    return Number.isSafeInteger(Math.trunc(n)) ? value(Math.trunc(n)) : undefined;
  },
  string: (of) =>
    of instanceof Version || of instanceof Quantity
      ? value(of.text ?? '')
      : typeof of === 'object'
        ? undefined
        : value(String(of)),
};

/** The names of all functions and macros. */
export const FUNCTION_NAMES: readonly string[] = ['has', 'not', ...MACROS, ...Object.keys(FUNCTIONS)];

const sizeOfMap = (of: Value): Outcome | undefined =>
  isObject(of as Json) ? value(Object.keys(of as object).length) : undefined;
