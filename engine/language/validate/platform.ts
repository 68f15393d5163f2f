import { nearest } from '../../lib/nearest.js';
import type { Json } from '../../terms/json.js';
import type { Inventory } from '../../terms/inventory.js';
import type { Platform } from '../../terms/playbook.js';
import type { PlatformOffers } from '../../terms/platform-offers.js';
import { checkPlanPage } from './plan-page.js';
import { checkFactType, checkNoSecret } from './facts.js';
import { namesItself } from './cycles.js';
import { checkCondition, checkTemplates, type Tree } from './names.js';
import { type Mistakes, suggest } from '../mistakes.js';
import { objectOf } from '../values.js';
import type { Vocabulary } from './vocabulary.js';
import type { Source } from '../yaml/source.js';

/** A check means the same in every playbook, so it uses nothing of one. */
const remediesOfChecks = ({ remedies }: Vocabulary): Vocabulary['remedies'] =>
  new Map([...remedies, ['registered', 'a named check uses nothing of a playbook: write it there'] as const]);

/** A platform.yaml that is checked, and where its mistakes are reported. */
interface Checked {
  readonly platform: Platform;
  readonly source: Source;
  readonly mistakes: Mistakes;
}

interface Around {
  readonly inventory: Inventory | undefined;
  readonly vocabulary: Vocabulary;
  readonly offers: PlatformOffers | undefined;
}

/** Tells what is wrong inside a platform.yaml: roles, components and templates that name nothing. */
export function checkPlatform(platform: Platform, source: Source, around: Around, mistakes: Mistakes): void {
  const checked: Checked = { platform, source, mistakes };
  const { inventory, vocabulary, offers } = around;
  // An inventory without an endpoint need not use the checks that ask it.
  const declared = { ...vocabulary, barren: new Map<string, string>(), remedies: remediesOfChecks(vocabulary) };
  checkRoles(checked);
  checkComponents(checked);
  checkTexts(checked, vocabulary);
  checkWaits(checked, vocabulary, declared);
  checkPlanPage(platform, { source, offers }, mistakes);
  checkNamedChecks(checked, vocabulary, declared);
  checkFlags(checked);
  checkInvariants(checked, inventory, vocabulary);
  checkFacts(checked, inventory, vocabulary);
}

const treeIn = (source: Source, json: Json | undefined, path: Tree['path'], about = ''): Tree => ({
  ...{ source, path, about },
  json,
});

function checkRole({ platform, source, mistakes }: Checked, role: string, path: Tree['path']): void {
  const roles = Object.keys(platform.roles);
  if (!roles.includes(role))
    mistakes.at({ source, path }, `there is no role "${role}"`, {
      hint: suggest(nearest(role, roles), roles, 'roles'),
    });
}

function checkRoles(checked: Checked): void {
  const { roles, lease } = checked.platform;
  for (const [name, { requires }] of Object.entries(roles))
    if (requires !== undefined) checkRole(checked, requires, ['roles', name, 'requires']);
  for (const [i, role] of (lease?.roles ?? []).entries()) checkRole(checked, role, ['lease', 'roles', i]);
}

function checkComponents({ platform: { components, names }, source, mistakes }: Checked): void {
  const groups = Object.keys(names);
  for (const [i, component] of components.entries())
    if (names[component]?.['package'] === undefined)
      mistakes.at(
        { source, path: ['components', i] },
        `the component "${component}" has no names.${component}.package`,
        { hint: suggest(nearest(component, groups), groups, 'groups of names') },
      );
  for (const group of groups)
    if (SCOPES.has(group))
      mistakes.at(
        { source, path: ['names', group], on: 'key' },
        `a group of names may not be called "${group}": the word has a meaning of its own`,
      );
}

/** Words that begin a name of the engine's own. */
const SCOPES: ReadonlySet<string> = new Set([
  ...['previous', 'needs_restart', 'staged', 'installed', 'platform', 'host', 'vars', 'secret', 'fact', 'registered'],
  ...['hosts', 'all_hosts', 'run', 'item'],
]);

function checkTexts({ platform, source, mistakes }: Checked, vocabulary: Vocabulary): void {
  checkTemplates(treeIn(source, objectOf(objectOf(source.json)['names']), ['names']), vocabulary, mistakes);
  checkTemplates(treeIn(source, platform.vars, ['vars']), vocabulary, mistakes);
  checkTemplates(treeIn(source, platform.status, ['status'], 'status: '), vocabulary, mistakes);
}

function checkWaits({ platform, source, mistakes }: Checked, vocabulary: Vocabulary, declared: Vocabulary): void {
  for (const [i, { when, text }] of (platform.wait ?? []).entries()) {
    checkCondition(treeIn(source, when, ['wait', i, 'when'], 'wait: '), declared, mistakes);
    checkTemplates(treeIn(source, text, ['wait', i, 'text'], 'wait: '), vocabulary, mistakes);
  }
}

function checkNamedChecks(
  { platform: { checks }, source, mistakes }: Checked,
  vocabulary: Vocabulary,
  declared: Vocabulary,
): void {
  for (const [name, { that, failIf, message, hint }] of Object.entries(checks)) {
    const part = (json: Json | undefined, key: string): Tree =>
      treeIn(source, json, ['checks', name, key], `check "${name}": `);
    const condition = part(that, 'that');
    checkCondition(condition, declared, mistakes);
    if (failIf !== undefined) checkCondition(part(failIf, 'fail_if'), declared, mistakes);
    checkTemplates(part(message, 'message'), vocabulary, mistakes);
    checkTemplates(part(hint, 'hint'), vocabulary, mistakes);
    if (namesItself(name, checks)) mistakes.at(condition, `${condition.about}it is defined by itself`);
    if (SCOPES.has(name))
      mistakes.at(
        { source, path: ['checks', name], on: 'key' },
        `a check may not be named "${name}": the name is taken`,
      );
  }
}

function checkFlags({ platform, source, mistakes }: Checked): void {
  const variables = Object.keys(platform.vars);
  for (const [name, flag] of Object.entries(objectOf(objectOf(source.json)['flags']))) {
    const sets = objectOf(flag)['sets'];
    if (typeof sets === 'string' && !variables.includes(sets))
      mistakes.at(
        { source, path: ['flags', name, 'sets'] },
        `the flag --${name} sets "${sets}", and there is no such variable`,
        { hint: suggest(nearest(sets, variables), variables, 'variables') },
      );
  }
}

function checkInvariants(checked: Checked, inventory: Inventory | undefined, vocabulary: Vocabulary): void {
  const { platform, source, mistakes } = checked;
  for (const [i, { name, roles, condition }] of platform.invariants.entries()) {
    roles.forEach((role, r) => checkRole(checked, role, ['invariants', i, 'roles', r]));
    const needed = inventory?.hosts.some((host) => host.roles.some((role) => roles.includes(role))) ?? false;
    checkCondition(
      treeIn(source, condition, ['invariants', i, 'condition'], `invariant ${JSON.stringify(name)}: `),
      needed ? vocabulary : { ...vocabulary, barren: new Map() },
      mistakes,
    );
  }
}

/** The keys of a fact that may hold templates. */
const FACT_TEXTS = ['path', 'json', 'file', 'command', 'disk', 'pointer', 'elements', 'url'] as const;

function checkFacts(
  { platform, source, mistakes }: Checked,
  inventory: Inventory | undefined,
  vocabulary: Vocabulary,
): void {
  for (const [name, fact] of Object.entries(platform.facts)) {
    checkFactType(name, fact, source, mistakes);
    for (const key of FACT_TEXTS) {
      const json = (fact as { readonly [k in typeof key]?: Json })[key];
      const at = treeIn(source, json, ['facts', name, key], `fact "${name}": `);
      checkTemplates(at, vocabulary, mistakes);
      checkNoSecret(at, platform, inventory, mistakes);
    }
  }
}
