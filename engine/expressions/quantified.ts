import type { ASTNode } from '@marcbachmann/cel-js';
import type { Statement, Truth } from '../terms/condition.js';
import type { At } from './at.js';
import { elementsOf } from './between.js';
import { atElement } from './hidden.js';
import { freePaths, pathOf } from './names.js';
import { isQuantifier, operandsOf } from './parse.js';
import { sourceOf } from './place.js';
import { isBinary } from './right-form.js';
import { subjectOf, wantedOf } from './shown.js';
import { allOf, anyOf, mistaken, stated, statementsOf } from './truth.js';
import { HostRef, member, type Value } from './value.js';

/** A longer text says less of an element than its place. */
const LONGEST = 40;

interface Macro {
  readonly variable: string;
  readonly list: ASTNode;
  /** What must hold of an element: each operand of `&&`. */
  readonly conditions: readonly ASTNode[];
  readonly at: At;
}

/** An element, and what came of each condition. */
interface Judged {
  readonly at: At;
  readonly truths: readonly Truth[];
  readonly truth: Truth;
}

/** `all`, `exists` and `exists_one` over the elements of a list. */
export function quantified(node: ASTNode & { op: 'rcall' }, at: At): Truth | undefined {
  if (!isQuantifier(node)) return undefined;
  const [name, list, [variable, body]] = node.args;
  if (variable?.op !== 'id' || body === undefined)
    return mistaken(`${name}() needs a variable and a condition: ${sourceOf(node)}`);
  const elements = elementsOf(at.outcomeOf(list, at), list);
  if (!('elements' in elements)) return elements;
  const macro: Macro = { variable: variable.args, list, conditions: operandsOf(body, '&&'), at };
  const judged = elements.elements.map((element, i) => judge(macro, element, i));
  const truths = judged.map(({ truth }) => truth);
  const empty = `${subjectOf(list, at)} is empty`;
  if (name === 'all') return allOf(truths, empty);
  const answer = name === 'exists' ? anyOf(truths, empty) : exactlyOne(truths, macro, empty);
  const isNone = answer.is === false && judged.length > 0 && truths.every(({ is }) => is === false);
  return isNone ? stated(false, () => nearest(judged, macro)) : answer;
}

function judge({ variable, list, conditions, at }: Macro, element: Value, index: number): Judged {
  const inner = atElement(variable, element, list, at);
  const about = (one: Statement): Statement => {
    const place = pathOf(list) === undefined ? `element ${index + 1}` : `${subjectOf(list, at)}[${index}]`;
    if (one.of === undefined && one.subject === variable) return { ...one, subject: place };
    const name = (inner.hidden === at.hidden ? nameOf(element) : undefined) ?? place;
    return { ...one, of: one.of === undefined ? name : `${name}: ${one.of}` };
  };
  const truths = conditions
    .map((one) => at.truthOf(one, inner))
    .map((one): Truth => (one.is === 'unknown' ? one : stated(one.is, () => statementsOf(one).map(about))));
  return { at: inner, truths, truth: allOf(truths) };
}

/** How an element is called in a reason; undefined where it has no name of its own. */
function nameOf(element: Value): string | undefined {
  if (element instanceof HostRef) return element.name;
  if (typeof element === 'string' && element.length <= LONGEST) return element;
  const names = ['name', 'id', 'index', 'key'].map((key) => member(element, key));
  return names.find((one): one is string => typeof one === 'string');
}

/** Of no element that fits: what the nearest ones lack, or where none of them comes near, that there is none. */
function nearest(judged: readonly Judged[], macro: Macro): readonly Statement[] {
  const { variable, list, conditions, at } = macro;
  const fits = ({ truths }: Judged): number => truths.filter(({ is }) => is === true).length;
  const most = Math.max(...judged.map(fits));
  // Of elements with as many, the author's first condition says which one is meant: it is mostly the name.
  const rank = ({ truths }: Judged): string => truths.map(({ is }) => (is === true ? 1 : 0)).join('');
  const best = judged
    .filter((one) => fits(one) === most)
    .map(rank)
    .toSorted()
    .at(-1);
  if (most > 0) return judged.filter((one) => rank(one) === best).flatMap(({ truth }) => statementsOf(truth));
  const [first] = conditions;
  // A name of each element, such as a named check, has its own reason there.
  if (first !== undefined && pathOf(first) !== undefined) return judged.flatMap(({ truth }) => statementsOf(truth));
  const inner = judged[0]?.at ?? at;
  return [
    {
      subject: `no ${variable} in ${subjectOf(list, at)} with ${first === undefined ? '' : conditionText(first, variable, inner)}`,
    },
  ];
}

/** A condition on the variable, with the value of what the variable is compared with. */
function conditionText(node: ASTNode, variable: string, at: At): string {
  if (!isBinary(node)) return sourceOf(node);
  const [a, b] = node.args;
  const text = (one: ASTNode, other: ASTNode): string =>
    uses(one, variable) ? sourceOf(one) : (wantedOf(one, at, other) ?? sourceOf(one));
  return `${text(a, b)} ${node.op} ${text(b, a)}`;
}

const uses = (node: ASTNode, variable: string): boolean => freePaths(node).some(({ path }) => path[0] === variable);

function exactlyOne(truths: readonly Truth[], { variable, list, conditions, at }: Macro, empty: string): Truth {
  const fitting = truths.filter(({ is }) => is === true);
  if (fitting.length > 1) {
    const condition = conditions.map(sourceOf).join(' && ');
    return stated(false, () => [
      { subject: `${subjectOf(list, at)} has ${fitting.length} ${variable} with ${condition}, not 1` },
    ]);
  }
  const open = truths.filter(({ is }) => is === 'unknown');
  return open.length === 0 ? anyOf(truths, empty) : anyOf(open);
}
