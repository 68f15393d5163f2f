import { nearest } from '../lib/nearest.js';
import { isObject, type Json } from '../terms/json.js';
import type { Tree } from './check-names.js';
import { type Mistakes, suggest } from './mistakes.js';

/** What a selector may name; undefined parts could not be read. */
export interface Selectable {
  readonly roles?: readonly string[];
  readonly hosts?: readonly string[];
  readonly groups?: readonly string[];
  readonly facts?: readonly string[];
}

/** Tells roles, hosts, groups and facts that a selector names and that do not exist. */
export function checkSelector(tree: Tree, there: Selectable, mistakes: Mistakes): void {
  const { json, path, source, about } = tree;
  const inside = (value: Json, ...step: (string | number)[]): void => checkSelector({ ...tree, path: [...path, ...step], json: value }, there, mistakes);
  if (Array.isArray(json)) (json as readonly Json[]).forEach((item, i) => inside(item, i));
  if (!isObject(json)) return;
  const name = (value: Json | undefined, noun: string, all: readonly string[] | undefined, ...step: string[]): void => {
    if (typeof value !== 'string' || value.includes('{{') || all === undefined || all.includes(value)) return;
    mistakes.at({ source, path: [...path, ...step] }, `${about}there is no ${noun} "${value}"`, { hint: suggest(nearest(value, all), all, `${noun}s`) });
  };
  name(json['role'], 'role', there.roles, 'role');
  name(json['name'], 'host', there.hosts, 'name');
  name(json['group'], 'group', there.groups, 'group');
  for (const key of ['last', 'first']) {
    const order = json[key];
    if (isObject(order)) name(order['fact'], 'fact', there.facts, key, 'fact');
  }
  for (const key of ['and', 'except']) {
    const inner = json[key];
    if (inner !== undefined) inside(inner, key);
  }
}

/** The selectors inside a condition (`of`), each with its place. */
export function* selectorsIn(json: Json | undefined, path: readonly (string | number)[]): Generator<{ readonly json: Json; readonly path: readonly (string | number)[] }> {
  if (Array.isArray(json)) for (const [i, item] of (json as readonly Json[]).entries()) yield* selectorsIn(item, [...path, i]);
  if (!isObject(json)) return;
  for (const [key, value] of Object.entries(json)) {
    if (key === 'of') yield { json: value, path: [...path, key] };
    else if (['all', 'any', 'not', 'where', 'satisfies'].includes(key)) yield* selectorsIn(value, [...path, key]);
  }
}
