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

/** Tells what is wrong inside a platform.yaml: roles, components and templates that name nothing. */
export function checkPlatform(
  platform: Platform,
  source: Source,
  {
    inventory,
    vocabulary,
    offers,
  }: { inventory: Inventory | undefined; vocabulary: Vocabulary; offers: PlatformOffers | undefined },
  mistakes: Mistakes,
): void {
  const roles = Object.keys(platform.roles);
  const tree = (json: Json | undefined, ...path: (string | number)[]): Tree => ({ source, path, json, about: '' });
  const unknownRole = (role: string, ...path: (string | number)[]): void => {
    if (!roles.includes(role))
      mistakes.at({ source, path }, `there is no role "${role}"`, {
        hint: suggest(nearest(role, roles), roles, 'roles'),
      });
  };
  for (const [name, role] of Object.entries(platform.roles))
    if (role.requires !== undefined) unknownRole(role.requires, 'roles', name, 'requires');
  for (const [i, role] of (platform.lease?.roles ?? []).entries()) unknownRole(role, 'lease', 'roles', i);
  for (const [i, component] of platform.components.entries()) {
    if (platform.names[component]?.['package'] === undefined) {
      mistakes.at(
        { source, path: ['components', i] },
        `the component "${component}" has no names.${component}.package`,
        {
          hint: suggest(
            nearest(component, Object.keys(platform.names)),
            Object.keys(platform.names),
            'groups of names',
          ),
        },
      );
    }
  }
  const scopes = new Set([
    'previous',
    'needs_restart',
    'staged',
    'installed',
    'platform',
    'host',
    'vars',
    'secret',
    'fact',
    'registered',
    'hosts',
    'all_hosts',
    'run',
    'item',
  ]);
  for (const group of Object.keys(platform.names))
    if (scopes.has(group))
      mistakes.at(
        { source, path: ['names', group], on: 'key' },
        `a group of names may not be called "${group}": the word has a meaning of its own`,
      );
  checkTemplates(tree(objectOf(objectOf(source.json)['names']), 'names'), vocabulary, mistakes);
  checkTemplates(tree(platform.vars, 'vars'), vocabulary, mistakes);
  checkTemplates({ ...tree(platform.status, 'status'), about: 'status: ' }, vocabulary, mistakes);
  // An inventory without an endpoint need not use the checks that ask it.
  const declared = { ...vocabulary, barren: new Map<string, string>(), remedies: remediesOfChecks(vocabulary) };
  for (const [i, { when, text }] of (platform.wait ?? []).entries()) {
    const condition = { ...tree(when, 'wait', i, 'when'), about: 'wait: ' };
    checkCondition(condition, declared, mistakes);
    checkTemplates({ ...tree(text, 'wait', i, 'text'), about: 'wait: ' }, vocabulary, mistakes);
  }
  checkPlanPage(platform, { source, offers }, mistakes);
  for (const [name, { that, failIf, message, hint }] of Object.entries(platform.checks)) {
    const part = (json: Json | undefined, key: string): Tree => ({
      ...tree(json, 'checks', name, key),
      about: `check "${name}": `,
    });
    const condition = part(that, 'that');
    checkCondition(condition, declared, mistakes);
    if (failIf !== undefined) checkCondition(part(failIf, 'fail_if'), declared, mistakes);
    checkTemplates(part(message, 'message'), vocabulary, mistakes);
    checkTemplates(part(hint, 'hint'), vocabulary, mistakes);
    if (namesItself(name, platform.checks)) mistakes.at(condition, `${condition.about}it is defined by itself`);
    if (scopes.has(name))
      mistakes.at(
        { source, path: ['checks', name], on: 'key' },
        `a check may not be named "${name}": the name is taken`,
      );
  }
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
  for (const [i, invariant] of platform.invariants.entries()) {
    invariant.roles.forEach((role, r) => unknownRole(role, 'invariants', i, 'roles', r));
    const condition = {
      ...tree(invariant.condition, 'invariants', i, 'condition'),
      about: `invariant ${JSON.stringify(invariant.name)}: `,
    };
    const needed = inventory?.hosts.some((host) => host.roles.some((role) => invariant.roles.includes(role))) ?? false;
    checkCondition(condition, needed ? vocabulary : { ...vocabulary, barren: new Map() }, mistakes);
  }
  for (const [name, fact] of Object.entries(platform.facts)) {
    checkFactType(name, fact, source, mistakes);
    for (const key of ['path', 'json', 'file', 'command', 'disk', 'pointer', 'elements', 'url'] as const) {
      const json = (fact as { readonly [k in typeof key]?: Json })[key];
      const at = { ...tree(json, 'facts', name, key), about: `fact "${name}": ` };
      checkTemplates(at, vocabulary, mistakes);
      checkNoSecret(at, platform, inventory, mistakes);
    }
  }
}
