import { nearest } from '../../lib/nearest.js';
import type { Inventory } from '../../terms/inventory.js';
import { isObject, type Json } from '../../terms/json.js';
import type { Play, Step } from '../../terms/playbook.js';
import { checkCondition, checkTemplates, checkTouched } from './names.js';
import { EVERYWHERE, inArguments } from './no-secret.js';
import type { Tree } from './tree.js';
import { checkBlocks, checkPlayWhen } from './blocks.js';
import { checkOnController } from './controller.js';
import { checkLast } from './last.js';
import { checkLeavesHosts, checkNamed, checkPlayHosts, type Selectable } from './selectors.js';
import { checkSerial } from './serial.js';
import type { PlaySetting, Setting, StepSetting } from './setting.js';
import { checkUnique } from './unique.js';
import { type Mistakes, suggest } from '../mistakes.js';
import { select } from '../playbook/selector.js';
import { objectOf } from '../values.js';
import { checks, conditionArgs } from '../validators.generated.js';
import { widen } from './vocabulary.js';
import type { WrittenPlay, WrittenStep, WrittenValue } from '../playbook/written.js';

/** Tells what the schemas cannot see: names that name nothing, conditions, steps of one name. */
export function checkPlaybook(
  plays: readonly WrittenPlay[],
  values: readonly WrittenValue[],
  setting: Setting,
  mistakes: Mistakes,
): void {
  const registered = new Set<string>();
  const all = plays.flatMap(({ steps }) => steps.map(({ step }) => step));
  const idsOf = (steps: readonly Step[]): ReadonlySet<string> => new Set(steps.flatMap(({ id }) => id ?? []));
  const ids = idsOf(all);
  const looping = idsOf(all.filter(({ loop }) => loop !== undefined));
  checkUnique(plays, mistakes);
  for (const value of values) {
    const vars = setting.vocabulary.scopes.get('vars');
    const here = widen(setting.vocabulary, {
      vars: vars === undefined ? undefined : new Set([...vars, ...value.vars]),
    });
    checkTemplates({ source: value.source, path: value.path, json: value.json, about: '' }, here, mistakes, EVERYWHERE);
  }
  for (const written of plays) checkPlay(written, { ...setting, registered, ids, looping }, mistakes);
}

function checkPlay(written: WrittenPlay, setting: PlaySetting, mistakes: Mistakes): void {
  const { play, source, path, steps } = written;
  const about = `play ${JSON.stringify(play.name)}: `;
  const vars = setting.vocabulary.scopes.get('vars');
  const absent = hasNoHosts(play, setting);
  const known = absent ? { ...setting.vocabulary, barren: new Map<string, string>() } : setting.vocabulary;
  const here = widen(
    known,
    {
      vars: vars === undefined ? undefined : new Set([...vars, ...Object.keys(play.vars)]),
      registered: setting.registered,
    },
    { play },
  );
  const tree = (key: string, json: Json | undefined): Tree => ({ source, path: [...path, key], json, about });
  const there = selectable(setting);
  checkPlayHosts(tree('hosts', play.hosts), there, mistakes);
  checkLeavesHosts(tree('hosts', play.hosts), setting.inventory?.hosts, setting.platform?.roles ?? {}, mistakes);
  checkSerial(written, setting.platform?.roles ?? {}, setting.inventory, mistakes);
  checkTemplates(tree('vars', objectOf(ownVars(source.json, path))), here, mistakes, EVERYWHERE);
  checkPlayWhen(tree('when', play.when), { ...setting, vocabulary: here }, mistakes);
  checkLast(written, setting.platform, mistakes);
  const blocks = new Set<string>();
  for (const step of steps) {
    const inner = { ...setting, play, vocabulary: here, there, absent };
    checkBlocks(step, blocks, inner, mistakes);
    checkStep(step, inner, mistakes);
  }
}

function checkStep(written: WrittenStep, setting: StepSetting, mistakes: Mistakes): void {
  const { step, source, path } = written;
  const about = `step ${JSON.stringify(step.name)}: `;
  const vars = setting.vocabulary.scopes.get('vars');
  const own = vars === undefined ? undefined : new Set([...vars, ...Object.keys(step.vars)]);
  const item = step.loop === undefined ? {} : { item: undefined };
  const here = widen(
    setting.vocabulary,
    { vars: own, ...item, ...(setting.absent ? { secret: undefined } : {}) },
    { play: setting.play, step },
  );
  const tree = (json: Json | undefined, ...at: string[]): Tree => ({ source, path: [...path, ...at], json, about });
  checkCondition(tree(step.when, 'when'), here, mistakes);
  if (setting.play.hosts === 'controller') checkOnController(written, tree, setting, mistakes);
  checkTemplates(tree(step.vars, 'vars'), here, mistakes, EVERYWHERE);
  checkTemplates(tree(step.remedy, 'remedy'), here, mistakes);
  checkTemplates(tree(step.evidence, 'evidence'), here, mistakes);
  checkTemplates(tree(step.loop, 'loop'), setting.vocabulary, mistakes);
  if (!Object.hasOwn(checks, step.module))
    checkArgs(tree(step.args, step.module), step.module, { ...setting, vocabulary: here }, mistakes);
  else checkCheck(step, tree, { ...setting, vocabulary: here }, mistakes);
  if (step.register !== undefined) setting.registered.add(step.register);
  if (step.temporary !== undefined) checkTemporary(step.temporary, tree, { ...setting, vocabulary: here }, mistakes);
}

/** What the step itself writes of its check: the texts of a named one are the platform's. */
function checkCheck(
  step: WrittenStep['step'],
  tree: (json: Json | undefined, ...at: string[]) => Tree,
  setting: StepSetting,
  mistakes: Mistakes,
): void {
  const { severity, timeout, ...own } = objectOf(step.args);
  for (const [key, json] of Object.entries({ severity, timeout }))
    checkTemplates(tree(json, key), setting.vocabulary, mistakes);
  if (step.check === undefined) checkArgs(tree(own, step.module), step.module, setting, mistakes);
}

function checkTemporary(
  temporary: NonNullable<WrittenStep['step']['temporary']>,
  tree: (json: Json, ...at: string[]) => Tree,
  setting: StepSetting,
  mistakes: Mistakes,
): void {
  checkArgs(tree(temporary.args, 'temporary', temporary.module), temporary.module, setting, mistakes);
  const { noRestoreAfter, restoredBy } = temporary;
  if (restoredBy !== undefined) {
    const at = tree(null, 'temporary', 'restored_by');
    if (setting.looping.has(restoredBy))
      mistakes.at(at, `${at.about}the step "${restoredBy}" has a loop`, {
        hint: 'one act restores the change: name a step without a loop',
      });
    else checkStepId(restoredBy, setting.ids, at, mistakes);
  }
  // Of one play alone, the step from which on its change is kept may be in a playbook that imports this one.
  if (noRestoreAfter !== undefined && !setting.hasStepElsewhere(noRestoreAfter))
    checkStepId(noRestoreAfter, setting.ids, tree(null, 'temporary', 'no_restore_after'), mistakes);
}

function checkStepId(id: string, ids: ReadonlySet<string>, at: Tree, mistakes: Mistakes): void {
  if (!/^[a-z][a-z0-9_]*$/.test(id) || ids.has(id)) return;
  mistakes.at(at, `${at.about}no step has the id "${id}"`, {
    hint: suggest(nearest(id, ids), [...ids], 'ids') ?? 'give the step that is meant an `id`',
  });
}

/** Arguments: templates, conditions among them, and the endpoint and its node that they name. */
function checkArgs(tree: Tree, module: string, setting: StepSetting, mistakes: Mistakes): void {
  if (!isObject(tree.json)) return;
  const conditions = conditionArgs[module] ?? [];
  for (const [key, value] of Object.entries(tree.json)) {
    const at = { ...tree, path: [...tree.path, key], json: value };
    if (conditions.includes(key)) checkCondition(at, setting.vocabulary, mistakes);
    else checkTemplates(at, setting.vocabulary, mistakes, inArguments(module, key));
  }
  const { endpoint, node, changes } = tree.json;
  checkTouched({ ...tree, path: [...tree.path, 'changes'], json: changes }, setting.vocabulary, mistakes);
  if (typeof endpoint === 'string' && !setting.absent)
    checkEndpoint({ ...tree, path: [...tree.path, 'endpoint'] }, endpoint, setting.inventory, mistakes);
  // An endpoint's node is asked by the name of its host.
  if (endpoint !== undefined && node !== undefined && !setting.absent)
    checkNamed({ ...tree, path: [...tree.path, 'node'], json: node }, 'host', setting.there.hosts, mistakes);
}

/** Tells an endpoint that the inventory does not have. */
export function checkEndpoint(
  { source, path, about }: Tree,
  endpoint: string,
  inventory: Inventory | undefined,
  mistakes: Mistakes,
): void {
  if (inventory === undefined || endpoint.includes('{{') || Object.hasOwn(inventory.endpoints, endpoint)) return;
  const all = Object.keys(inventory.endpoints);
  mistakes.at({ source, path }, `${about}there is no endpoint "${endpoint}"`, {
    hint:
      suggest(nearest(endpoint, all), all, 'endpoints') ?? 'endpoints are written under `endpoints` in the inventory',
  });
}

const selectable = ({ platform, inventory, groups }: Setting): Selectable => ({
  ...(platform === undefined ? {} : { roles: Object.keys(platform.roles), facts: Object.keys(platform.facts) }),
  ...(inventory === undefined ? {} : { hosts: inventory.hosts.map((host) => host.name) }),
  ...(groups === undefined ? {} : { groups }),
});

const hasNoHosts = (play: Play, { inventory, platform }: Setting): boolean =>
  inventory !== undefined &&
  play.hosts !== 'controller' &&
  select(play, inventory.hosts, { roles: platform?.roles ?? {} }).length === 0;

/** The vars that a play itself writes; those of its playbook are checked where they stand. */
function ownVars(json: Json, path: readonly (string | number)[]): Json | undefined {
  let value: Json | undefined = json;
  for (const step of [...path, 'vars'])
    value = isObject(value) ? value[step] : Array.isArray(value) ? (value as readonly Json[])[Number(step)] : undefined;
  return value;
}
