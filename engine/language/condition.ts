import type { Condition, Selector, Truth } from '../terms/condition.js';
import type { Known } from '../terms/fact.js';
import { isObject, type Json } from '../terms/json.js';
import { evaluateText, isTexts } from './condition-text.js';
import { type Comparators, compare, showValue } from './compare.js';
import { allOf, anyOf, mistaken, negate, no, unsure, yes } from './kleene.js';
import { render } from './render.js';
import { memberOf, type Rendered, type Scope } from './rendered.js';
import { isList } from './selector.js';
import { parseTemplate } from './template.js';

export { mentions } from './mentions.js';

/** Where a condition looks names up: those of a host when one is given, else of the host at hand. */
export interface ConditionScope {
  get(path: readonly string[], host?: string): Known<Json> | 'missing';
  /** The hosts of a selector, over the whole inventory; `limited`: only those that `--limit` left. */
  select(selector: Selector, limited?: boolean): readonly string[];
  /** The truth of a named check of the platform. */
  check?(name: string, host?: string): Truth | undefined;
}

type Comparison = Extract<Condition, { value: Json } | { version: Json }>;
type Each = Extract<Condition, { each: Json }>;
type Count = Extract<Condition, { count: Json }>;

/**
 * Evaluates a condition to one of three values, with the reason in words (`installed.indexer on indexer-2 is 4.12.0-1, not
 * 4.14.7`). Unknown only when what is unknown could change the result. A mistake that shows only now (a name that leads nowhere, a
 * template that is wrong) is unknown for ever (`never`): nobody may act on it, and to wait is no use.
 */
export function evaluate(condition: Condition, scope: ConditionScope): Truth {
  if (typeof condition === 'boolean') return condition ? yes('always') : no('never');
  if (typeof condition === 'string') return evaluateText(condition, scope);
  if (isTexts(condition)) return allOf(condition.map((one) => evaluateText(one, scope)));
  if ('all' in condition) return allOf(condition.all.map((one) => evaluate(one, scope)));
  if ('any' in condition) return anyOf(condition.any.map((one) => evaluate(one, scope)));
  if ('each' in condition) return evaluateEach(condition, scope);
  if ('count' in condition) return evaluateCount(condition, scope);
  // "not" comes last: it is a comparator of those before, too.
  if ('value' in condition || 'version' in condition) return evaluateComparison(condition, scope);
  return negate(evaluate(condition.not, scope));
}

const ofHost = (scope: ConditionScope, host?: string): Scope => ({
  get: (path) => (host === undefined ? scope.get(path) : scope.get(path, host)),
});

/** What is not a value, as a truth. */
const unclear = (rendered: Exclude<Rendered, { is: 'value' }>): Truth =>
  rendered.is === 'wrong' ? mistaken(rendered.message) : rendered;

/** `{{installed.indexer}}` is spoken of as `installed.indexer`; a literal as itself. */
function nameOf(written: Json): string {
  if (typeof written !== 'string') return showValue(written);
  return written.replace(/^\{\{\s*([^{}]*?)\s*\}\}$/, '$1');
}

function evaluateComparison(condition: Comparison, scope: ConditionScope): Truth {
  const { of, match = 'all' } = condition;
  if (of === undefined) return compareOn(condition, scope);
  const hosts = scope.select(of);
  const truths = hosts.map((host) => compareOn(condition, scope, host));
  const none = `there is no host ${describe(of)}`;
  if (match === 'none') return negate(anyOf(truths, none));
  if (match === 'any') return anyOf(truths, none);
  return inOneReason(allOf(truths, none), truths, hosts);
}

/** Hosts that agree are spoken of at once: `on all 3 hosts installed.indexer is 4.14.7-1`. */
function inOneReason(whole: Truth, truths: readonly Truth[], hosts: readonly string[]): Truth {
  const reasons = new Set(truths.map((truth, i) => truth.because.replace(` on ${hosts[i] ?? ''} `, ' ')));
  const [reason] = reasons;
  if (whole.is !== true || hosts.length < 2 || reasons.size > 1) return whole;
  return yes(`on all ${hosts.length} hosts ${reason ?? ''}`);
}

interface Split {
  readonly subject: Json;
  readonly by: Readonly<Record<string, Json>>;
}
/** A condition is asked again and again, and never altered. */
const splitBefore = new WeakMap<Comparison, Split>();

function split(condition: Comparison): Split {
  const before = splitBefore.get(condition);
  if (before !== undefined) return before;
  const { of: _of, match: _match, ...rest } = condition;
  const by = Object.entries(rest).filter(([key]) => key !== 'value' && key !== 'version');
  const made = { subject: 'version' in condition ? condition.version : condition.value, by: Object.fromEntries(by) };
  splitBefore.set(condition, made);
  return made;
}

function compareOn(condition: Comparison, scope: ConditionScope, host?: string): Truth {
  const { subject, by } = split(condition);
  const operands = render(by, ofHost(scope, host));
  if (operands.is !== 'value') return unclear(operands);
  const found = 'exists' in by ? orNothing(subject, ofHost(scope, host)) : render(subject, ofHost(scope, host));
  if (found.is !== 'value') return unclear(found);
  const name = nameOf(subject) + (host === undefined ? '' : ` on ${host}`);
  return compare({ name, found: found.value, asVersion: 'version' in condition }, operands.value as Comparators);
}

/** Whoever asks whether something exists may ask for what does not. */
function orNothing(subject: Json, scope: Scope): Rendered {
  const template = typeof subject === 'string' ? parseTemplate(subject) : undefined;
  const only = template?.ok === true && template.nodes.length === 1 ? template.nodes[0] : undefined;
  const path =
    typeof only === 'object' && only.kind === 'show' && only.what.kind === 'name' ? only.what.path : undefined;
  return path !== undefined && scope.get(path) === 'missing' ? { is: 'value', value: null } : render(subject, scope);
}

function elementsOf(list: Json, scope: ConditionScope): { readonly elements: readonly Json[] } | Truth {
  const rendered = render(list, ofHost(scope));
  if (rendered.is !== 'value') return unclear(rendered);
  if (Array.isArray(rendered.value)) return { elements: rendered.value as readonly Json[] };
  if (isObject(rendered.value))
    return { elements: Object.entries(rendered.value).map(([key, v]) => ({ key, value: v })) };
  return unsure(`${nameOf(list)} is ${showValue(rendered.value)}, and no list`);
}

/** The same scope, in which `item` is one element. */
const withItem = (scope: ConditionScope, item: Json): ConditionScope => ({
  select: (selector, limited) => scope.select(selector, limited),
  ...(scope.check === undefined ? {} : { check: (name, host) => scope.check?.(name, host) }),
  get(path, host) {
    if (path[0] !== 'item') return host === undefined ? scope.get(path) : scope.get(path, host);
    const member = memberOf(item, path.slice(1));
    return member === undefined ? 'missing' : { known: true, value: member };
  },
});

/** An element in words: by what it calls itself, else by its place. */
function describeItem(item: Json, index: number): string {
  const own = isObject(item)
    ? ['name', 'id', 'index', 'key'].map((key) => item[key]).find((v) => typeof v === 'string')
    : undefined;
  return typeof own === 'string'
    ? own
    : isObject(item) || Array.isArray(item)
      ? `element ${index + 1}`
      : showValue(item);
}

const aboutItem = (truth: Truth, item: Json, index: number): Truth => ({
  ...truth,
  because: `${describeItem(item, index)}: ${truth.because.replaceAll(/\bitem\./g, '')}`,
});

function evaluateEach({ each, where, satisfies }: Each, scope: ConditionScope): Truth {
  const list = elementsOf(each, scope);
  if (!('elements' in list)) return list;
  const truths = list.elements.flatMap((item, index) => {
    const inner = withItem(scope, item);
    const picked = where === undefined ? yes('each') : evaluate(where, inner);
    const satisfied = aboutItem(evaluate(satisfies, inner), item, index);
    if (picked.is === true) return [satisfied];
    // An element that may not be meant does no harm when it satisfies anyway.
    return picked.is === false || satisfied.is === true ? [] : [picked];
  });
  return allOf(truths, `${nameOf(each)} holds nothing that is meant`);
}

function evaluateCount(condition: Count, scope: ConditionScope): Truth {
  const { count, where, ...written } = condition;
  const list = elementsOf(count, scope);
  if (!('elements' in list)) return list;
  const by = render(Object.fromEntries(Object.entries(written)), ofHost(scope));
  if (by.is !== 'value') return unclear(by);
  const picked = list.elements.map((item) =>
    where === undefined ? yes('each') : evaluate(where, withItem(scope, item)),
  );
  const least = picked.filter((truth) => truth.is === true).length;
  const unknown = picked.filter((truth) => truth.is === 'unknown');
  const name = `the number of ${nameOf(count)}${where === undefined ? '' : ' that fit'}`;
  // Each number that it may turn out to be; when all agree, what is unknown does not matter.
  const truths = Array.from({ length: unknown.length + 1 }, (_, more) =>
    compare({ name, found: least + more, asVersion: false }, by.value as Comparators),
  );
  const [first = unsure('nothing to count')] = truths;
  return truths.every((truth) => truth.is === first.is) ? first : allOf(unknown);
}

/** A selector in a few words: `of role indexer`. */
function describe(selector: Selector): string {
  if (typeof selector === 'string') return selector === 'all' ? 'at all' : `of ${selector}`;
  const { role, group, name, pattern }: Exclude<Selector, string | readonly Selector[]> = isList(selector)
    ? {}
    : selector;
  if (role !== undefined) return `of role ${role}`;
  if (group !== undefined) return `of group ${group}`;
  return name === undefined && pattern === undefined ? 'that fits' : `called ${name ?? pattern ?? ''}`;
}
