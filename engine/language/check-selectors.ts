import { nearest } from '../lib/nearest.js';
import { isObject, type Json } from '../terms/json.js';
import type { Tree } from './check-names.js';
import { type Mistakes, suggest } from './mistakes.js';
import { memberOf } from './rendered.js';

/** What a selector may name; undefined parts could not be read. */
export interface Selectable {
  readonly roles?: readonly string[];
  readonly hosts?: readonly string[];
  readonly groups?: readonly string[];
  readonly facts?: readonly string[];
}

/** Tells roles, hosts, groups and facts that a selector names and that do not exist. */
export function checkSelector(tree: Tree, there: Selectable, mistakes: Mistakes): void {
  const { json, path } = tree;
  const inside = (value: Json, ...step: (string | number)[]): void =>
    checkSelector({ ...tree, path: [...path, ...step], json: value }, there, mistakes);
  if (Array.isArray(json)) (json as readonly Json[]).forEach((item, i) => inside(item, i));
  if (!isObject(json)) return;
  const name = (noun: Noun, all: readonly string[] | undefined, ...step: (string | number)[]): void =>
    checkNamed(
      {
        ...tree,
        path: [...path, ...step],
        json: step.reduce<Json | undefined>(
          (at, key) => (at === undefined ? undefined : memberOf(at, [String(key)])),
          json,
        ),
      },
      noun,
      all,
      mistakes,
    );
  name('role', there.roles, 'role');
  name('host', there.hosts, 'name');
  name('group', there.groups, 'group');
  const { last } = json;
  if (Array.isArray(last)) last.forEach((_, i) => name('fact', there.facts, 'last', i, 'fact'));
  else name('fact', there.facts, 'last', 'fact');
  for (const key of ['and', 'except']) {
    const inner = json[key];
    if (inner !== undefined) inside(inner, key);
  }
}

type Noun = 'role' | 'host' | 'group' | 'fact';

const writtenIn: Readonly<Record<Noun, string>> = {
  role: 'roles are written in platform.yaml',
  host: 'hosts are written in the inventory',
  group: 'groups are written under `groups` in the inventory',
  fact: 'facts are written in platform.yaml',
};

/** Tells a name that none of these is; one that is a template is judged when it is rendered. */
export function checkNamed(
  { source, path, json, about }: Tree,
  noun: Noun,
  all: readonly string[] | undefined,
  mistakes: Mistakes,
): void {
  if (typeof json !== 'string' || json.includes('{{') || all === undefined || all.includes(json)) return;
  mistakes.at({ source, path }, `${about}there is no ${noun} "${json}"`, {
    hint: suggest(nearest(json, all), all, `${noun}s`) ?? writtenIn[noun],
  });
}
