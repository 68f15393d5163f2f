import { nearest } from '../../lib/nearest.js';
import type { Host } from '../../terms/inventory.js';
import type { Tree } from './tree.js';
import { type Mistakes, suggest } from '../mistakes.js';
import { matchesGlob, partWord, select } from '../playbook/selector.js';

/** What a selector may name; undefined parts could not be read. */
export interface Selectable {
  readonly roles?: readonly string[];
  readonly hosts?: readonly string[];
  readonly groups?: readonly string[];
  readonly facts?: readonly string[];
}

/** Reports words that name no role, group or host. */
export function checkPlayHosts(tree: Tree, { roles, groups, hosts }: Selectable, mistakes: Mistakes): void {
  if (roles === undefined || groups === undefined || hosts === undefined || !Array.isArray(tree.json)) return;
  const all = ['all', ...roles, ...groups, ...hosts];
  for (const text of tree.json as readonly string[]) {
    const { word } = partWord(text);
    // What is no word has been reported by the schema.
    if (!/^[^\s,{}!&:]+$/.test(word) || all.includes(word) || hosts.some((host) => matchesGlob(word, host))) continue;
    mistakes.at({ ...tree, word, nth: 0 }, `${tree.about}no role, group or host is called "${word}"`, {
      hint:
        suggest(nearest(word, all), roles, 'roles') ??
        'roles are written in platform.yaml, hosts and groups in the inventory',
    });
  }
}

/** Reports words that take all hosts away: what the other words select must be left in part. A role without hosts is no mistake. */
export function checkLeavesHosts(
  tree: Tree,
  inventory: readonly Host[] | undefined,
  roles: Readonly<Record<string, unknown>>,
  mistakes: Mistakes,
): void {
  if (inventory === undefined || !Array.isArray(tree.json)) return;
  const words = tree.json as readonly string[];
  const taking = words.filter((word) => word.startsWith('!')).map((word) => `"${word}"`);
  if (taking.length === 0) return;
  const others = words.filter((word) => !word.startsWith('!'));
  const before = select({ hosts: others.length === 0 ? ['all'] : others }, inventory, { roles });
  if (before.length === 0 || select({ hosts: words }, inventory, { roles }).length > 0) return;
  mistakes.at(tree, `${tree.about}"hosts" selects no host: ${taking.join(', ')} leaves none of ${before.join(', ')}`, {
    hint: 'remove the play, or the word with "!"',
  });
}

type Noun = 'host' | 'fact';

const writtenIn: Readonly<Record<Noun, string>> = {
  host: 'hosts are written in the inventory',
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
