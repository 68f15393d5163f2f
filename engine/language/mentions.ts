import type { Condition, Selector } from '../terms/condition.js';
import type { Json } from '../terms/json.js';
import { isTexts } from './condition-text.js';
import { namesIn } from './names.js';
import { factsOfEnd, isList } from './selector.js';

/** A dotted name that a condition needs; with `of`, it is needed of each of those hosts. */
export interface Mention {
  readonly name: string;
  readonly of?: Selector;
}

/** All that must be known to evaluate a condition, facts that order a selector included. `item` is bound inside, so no mention. */
export function mentions(condition: Condition): readonly Mention[] {
  if (typeof condition === 'boolean' || typeof condition === 'string' || isTexts(condition)) return [];
  if ('all' in condition) return condition.all.flatMap(mentions);
  if ('any' in condition) return condition.any.flatMap(mentions);
  if ('each' in condition) {
    const inner = [condition.where ?? true, condition.satisfies].flatMap(mentions).filter(isFree);
    return [...namesOf(condition.each), ...inner];
  }
  if ('count' in condition) {
    const { count, where = true, ...by } = condition;
    return [...namesOf(count), ...namesOf(by), ...mentions(where).filter(isFree)];
  }
  if ('value' in condition || 'version' in condition) {
    const { of, match: _match, ...written } = condition;
    if (of === undefined) return namesOf(written);
    return [...factsOf(of).map((name) => ({ name })), ...namesOf(written as Json).map(({ name }) => ({ name, of }))];
  }
  return mentions(condition.not);
}

const namesOf = (tree: Json): readonly Mention[] => namesIn(tree).map((name) => ({ name }));

const isFree = ({ name }: Mention): boolean => name !== 'item' && !name.startsWith('item.');

function factsOf(selector: Selector): readonly string[] {
  if (typeof selector === 'string') return [];
  if (isList(selector)) return selector.flatMap(factsOf);
  const { first, last, and, except } = selector;
  const own = [first, last].flatMap((end) => factsOfEnd(end).map((fact) => `fact.${fact}`));
  return [...own, ...[and, except].flatMap((inner) => (inner === undefined ? [] : factsOf(inner)))];
}
