import { COMPONENT_ROOTS } from '../../terms/component-roots.js';
import type { Json, JsonObject } from '../../terms/json.js';
import type { Inventory } from '../../terms/inventory.js';
import type { Platform, Play } from '../../terms/playbook.js';
import { checkExpression } from './expression.js';
import { ExpressionTypes } from '../types/expression-types.js';
import type { Mistakes } from '../mistakes.js';
import { requiredNamesIn, templateMistake } from '../templates/names.js';
import { leaves } from '../values.js';
import { checkNoSecret, NOWHERE, type SecretPlaces } from './no-secret.js';
import type { Tree } from './tree.js';
import { judgeName, type Vocabulary } from './vocabulary.js';

/** What the names of a project come from; undefined parts could not be read, and names from them are not judged. */
export interface NameSources {
  readonly platform?: Platform;
  readonly inventory?: Inventory;
  readonly extraVars: JsonObject;
  readonly plays: readonly Play[];
}

/** The names that hold everywhere in a project (docs/reference.md has them as a table). */
export function projectVocabulary({ platform, inventory, extraVars, plays }: NameSources): Vocabulary {
  const components = platform === undefined ? undefined : new Set(platform.components);
  const scopes = new Map<string, ReadonlySet<string> | undefined>([
    ...COMPONENT_ROOTS.map((root) => [root, components] as const),
    ['endpoint', inventory === undefined ? undefined : new Set(Object.keys(inventory.endpoints))],
    ['platform', inventory === undefined ? undefined : new Set(Object.keys(inventory.platform))],
    ['host', new Set(['name', 'address', 'roles', 'groups', 'vars'])],
    [
      'vars',
      inventory === undefined || platform === undefined
        ? undefined
        : new Set([...Object.keys(platform.vars), ...varsOf(inventory), ...Object.keys(extraVars)]),
    ],
    ['secret', inventory === undefined ? undefined : new Set(Object.keys(inventory.secrets))],
    ['fact', platform === undefined ? undefined : new Set(Object.keys(platform.facts))],
    ['registered', new Set<string>()],
    [
      'all_hosts',
      platform === undefined || inventory === undefined
        ? undefined
        : new Set(['all', ...Object.keys(platform.roles), ...inventory.hosts.flatMap(({ groups }) => groups)]),
    ],
    ['run', new Set(['id'])],
  ]);
  for (const [group, names] of Object.entries(platform?.names ?? {})) {
    scopes.set(group, new Set([...Object.keys(names), ...Object.keys(inventory?.names[group] ?? {})]));
  }
  return {
    scopes,
    remedies,
    barren: barrenFacts(platform, inventory),
    ...(platform === undefined || inventory === undefined
      ? {}
      : { types: new ExpressionTypes({ platform, inventory, extraVars, plays }) }),
  };
}

/** Facts whose endpoint the inventory does not have: reported only where one is used. */
const barrenFacts = (platform: Platform | undefined, inventory: Inventory | undefined): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(inventory === undefined ? {} : (platform?.facts ?? {})).flatMap(([name, fact]) =>
      !('endpoint' in fact) || Object.hasOwn(inventory?.endpoints ?? {}, fact.endpoint)
        ? []
        : [[`fact.${name}`, `asks the endpoint "${fact.endpoint}", which the inventory does not have`] as const],
    ),
  );

const varsOf = (inventory: Inventory): string[] => [
  ...Object.keys(inventory.vars),
  ...inventory.hosts.flatMap((host) => Object.keys(host.vars)),
];

const remedies: ReadonlyMap<string, string> = new Map([
  ['platform', 'write it under `platform` in the inventory'],
  ['secret', 'write where it comes from under `secrets` in the inventory'],
  ['vars', 'write it under `vars` of the step, play, playbook, inventory or platform, or give it with -e'],
  ['fact', 'write it under `facts` in platform.yaml'],
]);

/** Reports every template of a tree that is malformed, contains an undefined name, or a secret where none may stand. */
export function checkTemplates(
  tree: Tree,
  vocabulary: Vocabulary,
  mistakes: Mistakes,
  places: SecretPlaces = NOWHERE,
): void {
  for (const { text, path } of leaves(tree.json)) {
    if (!text.includes('{{')) continue;
    const leaf = { ...tree, path: [...tree.path, ...path] };
    const around = { places, types: vocabulary.types?.declared, mistakes };
    const refused = places.takes(path) ? undefined : checkNoSecret(text, leaf, around);
    checkLeaf(text, leaf, { vocabulary, refused }, mistakes);
  }
}

/** Facts and endpoints that a step says it changes: names without braces, among paths. */
export function checkTouched(tree: Tree, vocabulary: Vocabulary, mistakes: Mistakes): void {
  for (const { text, path } of leaves(tree.json)) {
    const found = /^(?:fact|endpoint)\.[^.]+$/.test(text) ? judgeName(text, vocabulary) : undefined;
    const { source, about } = tree;
    if (found !== undefined)
      mistakes.at({ source, path: [...tree.path, ...path] }, about + found.message, { hint: found.hint });
  }
}

interface Judging {
  readonly vocabulary: Vocabulary;
  /** The name that is reported already. */
  readonly refused: string | undefined;
}

function checkLeaf(
  text: string,
  { source, path, about }: Tree,
  { vocabulary, refused }: Judging,
  mistakes: Mistakes,
): void {
  const wrong = templateMistake(text);
  if (wrong !== undefined) mistakes.at({ source, path }, about + wrong);
  else
    for (const name of requiredNamesIn(text)) {
      const found = name === refused ? undefined : judgeName(name, vocabulary);
      if (found !== undefined) mistakes.at({ source, path, word: name }, about + found.message, { hint: found.hint });
    }
}

/** Reports what is wrong with the expressions of a condition. What is no text is reported by the schema. */
export function checkCondition(tree: Tree, vocabulary: Vocabulary, mistakes: Mistakes): void {
  const { json, path } = tree;
  if (typeof json === 'string') checkExpression(tree, json, vocabulary, mistakes);
  if (Array.isArray(json))
    for (const [i, text] of (json as readonly Json[]).entries())
      if (typeof text === 'string') checkExpression({ ...tree, path: [...path, i] }, text, vocabulary, mistakes);
}
