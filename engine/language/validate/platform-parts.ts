import { nearest } from '../../lib/nearest.js';
import { COMPONENT_ROOTS } from '../../terms/component-roots.js';
import type { Inventory } from '../../terms/inventory.js';
import type { Json } from '../../terms/json.js';
import type { Platform } from '../../terms/playbook.js';
import { type Mistakes, suggest } from '../mistakes.js';
import { noSuchCheck } from '../playbook/named-checks.js';
import { objectOf } from '../values.js';
import type { Source } from '../yaml/source.js';
import { namesItself } from './cycles.js';
import { checkFactType } from './facts.js';
import { checkCondition, checkTemplates } from './names.js';
import { inArguments, NOT_IN_FACTS } from './no-secret.js';
import type { Tree } from './tree.js';
import type { Vocabulary } from './vocabulary.js';

/** A platform.yaml that is checked, and where its mistakes are reported. */
export interface Checked {
  readonly platform: Platform;
  readonly source: Source;
  readonly mistakes: Mistakes;
}

export const treeIn = (source: Source, json: Json | undefined, path: Tree['path'], about = ''): Tree => ({
  ...{ source, path, about },
  json,
});

export function checkRole({ platform, source, mistakes }: Checked, role: string, path: Tree['path']): void {
  const roles = Object.keys(platform.roles);
  if (!roles.includes(role))
    mistakes.at({ source, path }, `there is no role "${role}"`, {
      hint: suggest(nearest(role, roles), roles, 'roles'),
    });
}

/** Words that begin a name of the engine's own. */
export const SCOPES: ReadonlySet<string> = new Set([
  ...COMPONENT_ROOTS,
  ...['platform', 'host', 'vars', 'secret', 'fact', 'registered'],
  ...['hosts', 'all_hosts', 'run', 'item'],
]);

export function checkNamedChecks(
  { platform: { checks }, source, mistakes }: Checked,
  vocabulary: Vocabulary,
  declared: Vocabulary,
): void {
  for (const [name, { that, looks, failIf, message, hint }] of Object.entries(checks)) {
    const part = (json: Json | undefined, key: string): Tree =>
      treeIn(source, json, ['checks', name, key], `check "${name}": `);
    const condition = part(that, 'that');
    if (that !== undefined) checkCondition(condition, declared, mistakes);
    if (looks !== undefined) {
      checkTemplates(part(looks.args, looks.module), vocabulary, mistakes, inArguments(looks.module));
      if (looks.when !== undefined) checkCondition(part(looks.when, 'when'), declared, mistakes);
    }
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

/** What components require is a check, and they are components. */
export function checkRequires({ platform: { requires, components, checks }, source, mistakes }: Checked): void {
  for (const [component, names] of Object.entries(requires)) {
    const path = ['requires', component];
    if (!components.includes(component))
      mistakes.at({ source, path, on: 'key' }, `there is no component "${component}"`, {
        hint: suggest(nearest(component, components), components, 'components'),
      });
    for (const [i, name] of names.entries())
      if (!Object.hasOwn(checks, name)) noSuchCheck(name, checks, mistakes, { source, path: [...path, i] });
  }
}

export function checkFlags({ platform, source, mistakes }: Checked): void {
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

export function checkInvariants(checked: Checked, inventory: Inventory | undefined, vocabulary: Vocabulary): void {
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

export function checkFacts({ platform, source, mistakes }: Checked, vocabulary: Vocabulary): void {
  for (const [name, fact] of Object.entries(platform.facts)) {
    checkFactType(name, fact, source, mistakes);
    for (const key of FACT_TEXTS) {
      const json = (fact as { readonly [k in typeof key]?: Json })[key];
      const at = treeIn(source, json, ['facts', name, key], `fact "${name}": `);
      checkTemplates(at, vocabulary, mistakes, NOT_IN_FACTS);
    }
  }
}
