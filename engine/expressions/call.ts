import type { ASTNode } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import { subsetOf } from '../lib/json.js';
import { isObject, type Json } from '../terms/json.js';
import { unknownFor } from './compare.js';
import type { At } from './at.js';
import { pathOf } from './names.js';
import { isQuantifier } from './parse.js';
import { elementsOf, ofTruth } from './between.js';
import { sourceOf } from './place.js';
import { isList, show, value, Version, wrong, type Outcome, type Value } from './value.js';

type Call = ASTNode & { op: 'call' | 'rcall' };

/** A function or method: `size(x)` and `x.size()` are one. */
export function call(node: Call, at: At): Outcome {
  const [name, args] =
    node.op === 'call' ? [node.args[0], node.args[1]] : [node.args[0], [node.args[1], ...node.args[2]]];
  const [first, second, third] = args;
  if (first === undefined) return wrong(`${name}() needs a value`);
  if (name === 'has') return has(first, at);
  if (name === 'not' || isQuantifier(node)) return ofTruth(at.truthOf(node, at));
  if ((name === 'filter' || name === 'map') && second?.op === 'id' && third !== undefined)
    return overElements(name, [first, second.args, third], at);
  const operands = args.map((one) => at.outcomeOf(one, at));
  const bad = operands.find(({ is }) => is === 'wrong');
  if (bad !== undefined) return bad;
  const [of] = operands;
  if (name === 'size' && of?.is === 'count') return of;
  const open = operands.find(({ is }) => is !== 'value');
  if (open !== undefined) return open.is === 'count' ? unknownFor(open) : open;
  const values = operands.flatMap((one) => (one.is === 'value' ? [one.value] : []));
  return (
    FUNCTIONS[name]?.(values[0] ?? null, values[1]) ??
    wrong(`${sourceOf(node)}: ${name}() cannot be used with ${values.map(show).join(', ')}`)
  );
}

/** Whether a name leads to something: what is absent, empty as a version, or null is not there. */
function has(node: ASTNode, at: At): Outcome {
  const path = pathOf(node);
  if (path === undefined) return wrong(`has(${sourceOf(node)}) needs a name`);
  const outcome = at.outcomeOf(node, at);
  if (outcome.is === 'wrong') return value(false);
  if (outcome.is !== 'value') return outcome;
  return value(outcome.value !== null && !(outcome.value instanceof Version && outcome.value.text === null));
}

/** `filter` gives the elements that fit; while some are not known, only how many they may be. `map` gives what becomes of each. */
function overElements(
  name: 'filter' | 'map',
  [list, variable, body]: readonly [ASTNode, string, ASTNode],
  at: At,
): Outcome {
  const found = elementsOf(at.outcomeOf(list, at), list);
  if (!('elements' in found)) return ofTruth(found);
  const inner = (element: Value): At => ({ ...at, locals: new Map([...at.locals, [variable, element]]) });
  if (name === 'map') {
    const outcomes = found.elements.map((element) => at.outcomeOf(body, inner(element)));
    const bad = outcomes.find(({ is }) => is === 'wrong') ?? outcomes.find(({ is }) => is !== 'value');
    return bad ?? value(outcomes.flatMap((one) => (one.is === 'value' ? [one.value] : [])));
  }
  const truths = found.elements.map((element) => at.truthOf(body, inner(element)));
  const open = truths.filter((truth) => truth.is === 'unknown');
  const mistake = open.find(({ never }) => never === true);
  if (mistake !== undefined) return wrong(mistake.because);
  const fitting = found.elements.filter((_, i) => truths[i]?.is === true);
  const [cause] = open;
  if (cause === undefined) return value(fitting);
  const { because, dependsOn } = cause;
  return { is: 'count', least: fitting.length, most: fitting.length + open.length, because, dependsOn };
}

type Known = (of: Value, other: Value | undefined) => Outcome | undefined;

const texts =
  (answer: (text: string, other: string) => boolean): Known =>
  (of, other) =>
    typeof of === 'string' && typeof other === 'string' ? value(answer(of, other)) : undefined;

/** All functions that there are, beside `has`, `not` and the macros. Undefined: not for such values. */
const FUNCTIONS: Readonly<Record<string, Known>> = {
  size: (of) => (typeof of === 'string' ? value(Array.from(of).length) : isList(of) ? value(of.length) : sizeOfMap(of)),
  startsWith: texts((text, other) => text.startsWith(other)),
  endsWith: texts((text, other) => text.endsWith(other)),
  contains: texts((text, other) => text.includes(other)),
  // Linear in the text, whatever the pattern; ^ and $ are the ends of a line.
  like: texts((text, pattern) => RE2JS.compile(pattern, RE2JS.MULTILINE).matcher(text).find()),
  json_contains: (of, part) =>
    isObject(of as Json) && isObject(part as Json) ? value(subsetOf(part as Json, of as Json)) : undefined,
  version: (of) =>
    typeof of === 'string' ? value(new Version(of === '' ? null : of)) : of instanceof Version ? value(of) : undefined,
  int: (of) => {
    const n =
      typeof of === 'number' ? of : typeof of === 'string' && /^-?\d+$/.test(of.trim()) ? Number(of) : Number.NaN;
    return Number.isSafeInteger(Math.trunc(n)) ? value(Math.trunc(n)) : undefined;
  },
  string: (of) =>
    of instanceof Version ? value(of.text ?? '') : typeof of === 'object' ? undefined : value(String(of)),
};

const sizeOfMap = (of: Value): Outcome | undefined =>
  isObject(of as Json) ? value(Object.keys(of as object).length) : undefined;
