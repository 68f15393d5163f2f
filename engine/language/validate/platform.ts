import { nearest } from '../../lib/nearest.js';
import type { Inventory } from '../../terms/inventory.js';
import type { Platform } from '../../terms/playbook.js';
import type { PlatformOffers } from '../../terms/platform-offers.js';
import { checkPlanPage } from './plan-page.js';
import { checkCondition, checkTemplates } from './names.js';
import { EVERYWHERE } from './no-secret.js';
import {
  checkFacts,
  checkFlags,
  checkRequires,
  checkInvariants,
  checkNamedChecks,
  checkRole,
  SCOPES,
  treeIn,
  type Checked,
} from './platform-parts.js';
import { type Mistakes, suggest } from '../mistakes.js';
import { objectOf } from '../values.js';
import type { Vocabulary } from './vocabulary.js';
import type { Source } from '../yaml/source.js';

/** A check means the same in every playbook, so it uses nothing of one. */
const remediesOfChecks = ({ remedies }: Vocabulary): Vocabulary['remedies'] =>
  new Map([...remedies, ['registered', 'a named check uses nothing of a playbook: write it there'] as const]);

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
  checkRequires(checked);
  checkInvariants(checked, inventory, vocabulary);
  checkFacts(checked, vocabulary);
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

function checkTexts({ platform, source, mistakes }: Checked, vocabulary: Vocabulary): void {
  checkTemplates(treeIn(source, objectOf(objectOf(source.json)['names']), ['names']), vocabulary, mistakes);
  checkTemplates(treeIn(source, platform.vars, ['vars']), vocabulary, mistakes, EVERYWHERE);
  checkTemplates(treeIn(source, platform.status, ['status'], 'status: '), vocabulary, mistakes);
}

function checkWaits({ platform, source, mistakes }: Checked, vocabulary: Vocabulary, declared: Vocabulary): void {
  for (const [i, { when, text }] of (platform.wait ?? []).entries()) {
    checkCondition(treeIn(source, when, ['wait', i, 'when'], 'wait: '), declared, mistakes);
    checkTemplates(treeIn(source, text, ['wait', i, 'text'], 'wait: '), vocabulary, mistakes);
  }
}
