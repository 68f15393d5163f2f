import type { Compare, Truth } from '../terms/condition.js';
import { isObject, type Json } from '../terms/json.js';
import { isText, showText } from '../terms/secret.js';
import { stableStringify, subsetOf } from '../lib/json.js';
import { compilePattern } from '../lib/pattern.js';
import { compareByPrefix } from '../lib/version.js';
import { allOf, no, unsure, yes } from './kleene.js';

/** The comparators of a condition, their operands rendered. */
export type Comparators = Compare & { readonly matches?: string; readonly contains?: Json; readonly exists?: boolean };

/** What is compared, and its name for people: `installed.indexer on indexer-2`. */
export interface Subject {
  readonly name: string;
  readonly found: Json;
  /** Compare by the components that the operand names. */
  readonly asVersion: boolean;
}

const longest = 60;

const textOf = (v: Json): string => {
  if (v === null) return 'nothing';
  if (isText(v)) return showText(v);
  return typeof v === 'object' ? JSON.stringify(v) : String(v);
};

/** A value as a plan shows it, cut to one short piece. */
export function showValue(v: Json): string {
  const line = textOf(v) === '' ? '""' : textOf(v).replaceAll('\n', ' ');
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

/** All comparators that are given must hold; without any the value itself must be true. */
export function compare(subject: Subject, by: Comparators): Truth {
  if (isText(subject.found) && typeof subject.found !== 'string')
    return unsure(`${subject.name} is a secret, which no condition may look at`);
  const truths = (Object.keys(by) as (keyof Comparators)[]).flatMap((key) => {
    const operand = by[key];
    return operand === undefined ? [] : [compareBy(key, subject, operand)];
  });
  return truths.length === 0 ? compareBy('is', subject, true) : allOf(truths);
}

function compareBy(key: keyof Comparators, subject: Subject, operand: Json): Truth {
  switch (key) {
    case 'is':
      return equals(subject, operand, true);
    case 'not':
      return equals(subject, operand, false);
    case 'in':
      return isIn(subject, operand);
    case 'at_least':
    case 'at_most':
    case 'above':
    case 'below':
      return inOrder(key, subject, operand);
    case 'matches':
      return matches(subject, operand);
    case 'contains':
      return contains(subject, operand);
    case 'exists':
      return (subject.found !== null) === operand ? yes(isThere(subject)) : no(isThere(subject));
  }
}

const isScalar = (v: Json): v is string | number | boolean => v !== null && typeof v !== 'object';

const isThere = ({ name, found }: Subject): string => `${name} is ${found === null ? 'not ' : ''}there`;
const stands = ({ name, found }: Subject): string => `${name} is ${showValue(found)}`;

/** Servers give numbers and booleans as text at times: `3` and `"3"` are the same. Undefined: not to be said. */
function same({ found, asVersion }: Subject, operand: Json): boolean | undefined {
  if (asVersion && found !== null && operand !== null) {
    const order = compareByPrefix(textOf(found), textOf(operand));
    return order === undefined ? undefined : order === 0;
  }
  if (isScalar(found) && isScalar(operand)) return String(found) === String(operand);
  return stableStringify(found) === stableStringify(operand);
}

const noVersion = (subject: Subject, operand: Json): Truth =>
  unsure(`${stands(subject)}, which cannot be compared as a version with ${showValue(operand)}`);

function equals(subject: Subject, operand: Json, wanted: boolean): Truth {
  const equal = same(subject, operand);
  if (equal === undefined) return noVersion(subject, operand);
  const because = equal ? stands(subject) : `${stands(subject)}, not ${showValue(operand)}`;
  return equal === wanted ? yes(because) : no(because);
}

function isIn(subject: Subject, operand: Json): Truth {
  if (!Array.isArray(operand)) return unsure(`${showValue(operand)} is no list that ${subject.name} could be in`);
  const list = operand as readonly Json[];
  const equal = list.map((one) => same(subject, one));
  if (equal.includes(true)) return yes(stands(subject));
  const odd = equal.indexOf(undefined);
  if (odd >= 0) return noVersion(subject, list[odd] ?? null);
  return no(`${stands(subject)}, none of ${list.map(showValue).join(', ')}`);
}

const wordsFor = {
  at_least: { holds: (order: number) => order >= 0, yes: 'at least', no: 'below' },
  at_most: { holds: (order: number) => order <= 0, yes: 'at most', no: 'above' },
  above: { holds: (order: number) => order > 0, yes: 'above', no: 'not above' },
  below: { holds: (order: number) => order < 0, yes: 'below', no: 'not below' },
} as const;

function inOrder(key: keyof typeof wordsFor, subject: Subject, operand: Json): Truth {
  // What is not there is neither above nor below anything.
  if (subject.found === null)
    return no(`${subject.name} is not there, so it is not ${wordsFor[key].yes} ${showValue(operand)}`);
  const order = orderOf(subject, operand);
  if (order === undefined) {
    return subject.asVersion
      ? noVersion(subject, operand)
      : unsure(`${stands(subject)}: only numbers have an order, not this and ${showValue(operand)}`);
  }
  const holds = wordsFor[key].holds(order);
  const because = `${stands(subject)}, ${wordsFor[key][holds ? 'yes' : 'no']} ${showValue(operand)}`;
  return holds ? yes(because) : no(because);
}

function orderOf({ found, asVersion }: Subject, operand: Json): number | undefined {
  if (asVersion) return compareByPrefix(textOf(found), textOf(operand));
  const [a, b] = [numberOf(found), numberOf(operand)];
  return a === undefined || b === undefined ? undefined : a - b;
}

function numberOf(v: Json): number | undefined {
  if (typeof v === 'number') return v;
  return typeof v === 'string' && /^-?\d+(?:\.\d+)?$/.test(v.trim()) ? Number(v) : undefined;
}

function matches(subject: Subject, operand: Json): Truth {
  if (subject.found === null) return no(`${subject.name} is not there`);
  if (!isScalar(subject.found) || typeof operand !== 'string')
    return unsure(`${stands(subject)}: only a text can match`);
  try {
    const fits = compilePattern(operand).test(String(subject.found));
    const because = `${stands(subject)}, which ${fits ? 'matches' : 'does not match'} /${operand}/`;
    return fits ? yes(because) : no(because);
  } catch {
    return unsure(`/${operand}/ is no regular expression`);
  }
}

function contains({ name, found }: Subject, operand: Json): Truth {
  const holds = Array.isArray(found)
    ? (found as readonly Json[]).some((one) => same({ name, found: one, asVersion: false }, operand) === true)
    : isObject(found)
      ? isObject(operand)
        ? subsetOf(operand, found)
        : Object.hasOwn(found, textOf(operand))
      : isScalar(found) && String(found).includes(textOf(operand));
  const because = `${name} ${holds ? 'holds' : 'does not hold'} ${showValue(operand)}`;
  return holds ? yes(because) : no(because);
}
