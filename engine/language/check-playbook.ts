import { nearest } from '../lib/nearest.js';
import type { Inventory } from '../terms/inventory.js';
import { isObject, type Json } from '../terms/json.js';
import type { Platform } from '../terms/playbook.js';
import { checkForm } from './check-conditions.js';
import { checkCondition, checkTemplates, type Tree } from './check-names.js';
import { checkNamed, checkSelector, type Selectable, selectorsIn } from './check-selectors.js';
import { checkSerial } from './check-serial.js';
import { type Mistakes, suggest } from './mistakes.js';
import { select } from './selector.js';
import { objectOf } from './values.js';
import { conditionArgs } from './validators.generated.js';
import { type Vocabulary, widen } from './vocabulary.js';
import type { WrittenPlay, WrittenStep, WrittenValue } from './written.js';

/** What a playbook is checked against; undefined parts could not be read, or are not needed. */
export interface Setting {
  readonly platform?: Platform;
  readonly inventory?: Inventory;
  readonly groups?: readonly string[];
  readonly vocabulary: Vocabulary;
  /** Is there a step of this name in another playbook, which imports this one? */
  readonly hasStepElsewhere: (name: string) => boolean;
}

/** Tells what the schemas cannot see: names that name nothing, conditions, steps of one name. */
export function checkPlaybook(
  plays: readonly WrittenPlay[],
  values: readonly WrittenValue[],
  setting: Setting,
  mistakes: Mistakes,
): void {
  const registered = new Set<string>();
  const stepNames = new Set(plays.flatMap(({ steps }) => steps.map(({ step }) => step.name)));
  sameNames(plays, mistakes);
  for (const value of values) {
    const vars = setting.vocabulary.scopes.get('vars');
    const here = widen(setting.vocabulary, {
      param: new Set(value.params),
      vars: vars === undefined ? undefined : new Set([...vars, ...value.vars]),
    });
    checkTemplates({ source: value.source, path: value.path, json: value.json, about: '' }, here, mistakes);
  }
  for (const written of plays) checkPlay(written, { ...setting, registered, stepNames }, mistakes);
}

interface PlaySetting extends Setting {
  /** Grows as steps are passed. */
  readonly registered: Set<string>;
  readonly stepNames: ReadonlySet<string>;
}

function checkPlay(written: WrittenPlay, setting: PlaySetting, mistakes: Mistakes): void {
  const { play, source, path, steps } = written;
  const about = `play ${JSON.stringify(play.name)}: `;
  const vars = setting.vocabulary.scopes.get('vars');
  const absent = hasNoHosts(play.hosts, setting);
  const known = absent ? { ...setting.vocabulary, barren: new Map<string, string>() } : setting.vocabulary;
  const here = widen(known, {
    param: new Set(Object.keys(play.params)),
    vars: vars === undefined ? undefined : new Set([...vars, ...Object.keys(play.vars)]),
    registered: setting.registered,
  });
  const tree = (key: string, json: Json | undefined): Tree => ({ source, path: [...path, key], json, about });
  const there = selectable(setting);
  checkSelector(tree('hosts', play.hosts), there, mistakes);
  checkTemplates(tree('hosts', play.hosts), here, mistakes);
  checkSerial(written, setting.platform?.roles ?? {}, mistakes);
  checkTemplates(tree('vars', objectOf(ownVars(source.json, path))), here, mistakes);
  judge(tree('unless_all', play.unlessAll as Json | undefined), here, there, mistakes);
  for (const step of steps) checkStep(step, { ...setting, vocabulary: here, there, absent }, mistakes);
}

interface StepSetting extends PlaySetting {
  readonly there: Selectable;
  /** The inventory has no host for this play: what it says of endpoints and secrets is not missed. */
  readonly absent: boolean;
}

function checkStep({ step, source, path }: WrittenStep, setting: StepSetting, mistakes: Mistakes): void {
  const { there } = setting;
  const about = `step ${JSON.stringify(step.name)}: `;
  const vars = setting.vocabulary.scopes.get('vars');
  const own = vars === undefined ? undefined : new Set([...vars, ...Object.keys(step.vars)]);
  const here = widen(setting.vocabulary, { vars: own, ...(setting.absent ? { secret: undefined } : {}) });
  const tree = (json: Json | undefined, ...at: string[]): Tree => ({ source, path: [...path, ...at], json, about });
  judge(tree(step.when as Json | undefined, 'when'), here, there, mistakes);
  checkTemplates(tree(step.vars, 'vars'), here, mistakes);
  checkTemplates(tree(step.onHost, 'on'), here, mistakes);
  checkTemplates(tree(step.finding as Json | undefined, 'finding'), here, mistakes);
  if (step.onHost !== undefined) checkNamed(tree(step.onHost, 'on'), 'host', there.hosts, mistakes);
  checkArgs(tree(step.args, step.module), step.module, { ...setting, vocabulary: here }, mistakes);
  if (step.register !== undefined) setting.registered.add(step.register);
  judge(tree(step.until as Json | undefined, 'until'), widen(here, { result: undefined }), there, mistakes);
  if (step.temporary !== undefined) checkTemporary(step.temporary, tree, { ...setting, vocabulary: here }, mistakes);
  if (step.undo !== undefined && 'module' in step.undo)
    checkArgs(
      tree(step.undo.args, 'undo', step.undo.module),
      step.undo.module,
      { ...setting, vocabulary: here },
      mistakes,
    );
}

function checkTemporary(
  temporary: NonNullable<WrittenStep['step']['temporary']>,
  tree: (json: Json, ...at: string[]) => Tree,
  setting: StepSetting,
  mistakes: Mistakes,
): void {
  checkArgs(tree(temporary.args, 'temporary', temporary.module), temporary.module, setting, mistakes);
  const { onFailure } = temporary;
  if (typeof onFailure === 'string' || setting.stepNames.has(onFailure.keep_after)) return;
  if (setting.hasStepElsewhere(onFailure.keep_after)) return;
  const at = tree(null, 'temporary', 'on_failure', 'keep_after');
  mistakes.at(at, `${at.about}there is no step "${onFailure.keep_after}"`, {
    hint: suggest(nearest(onFailure.keep_after, setting.stepNames), [], ''),
  });
}

function judge(tree: Tree, vocabulary: Vocabulary, there: Selectable, mistakes: Mistakes): void {
  if (tree.json === undefined) return;
  checkForm(tree, mistakes);
  checkCondition(tree, vocabulary, mistakes);
  for (const { json, path } of selectorsIn(tree.json, tree.path))
    checkSelector({ ...tree, json, path }, there, mistakes);
}

/** Arguments: templates, conditions among them, and the endpoint and its node that they name. */
function checkArgs(tree: Tree, module: string, setting: StepSetting, mistakes: Mistakes): void {
  if (!isObject(tree.json)) return;
  const conditions = conditionArgs[module] ?? [];
  for (const [key, value] of Object.entries(tree.json)) {
    const at = { ...tree, path: [...tree.path, key], json: value };
    if (conditions.includes(key)) judge(at, setting.vocabulary, setting.there, mistakes);
    else checkTemplates(at, setting.vocabulary, mistakes);
  }
  const { endpoint, node } = tree.json;
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

function sameNames(plays: readonly WrittenPlay[], mistakes: Mistakes): void {
  const seen = new Set<string>();
  for (const { play, source, path, steps } of plays) {
    if (seen.has(play.path))
      mistakes.at({ source, path: [...path, 'play'] }, `two plays are called ${JSON.stringify(play.path)}`, {
        hint: 'a run finds a play by its name: give one another name, or its import an `as`',
      });
    seen.add(play.path);
    const names = new Set<string>();
    for (const { step, path: at } of steps) {
      if (names.has(step.name))
        mistakes.at(
          { source, path: [...at, 'step'] },
          `two steps of this play are called ${JSON.stringify(step.name)}`,
          { hint: 'a resume finds a step by its name: say what differs' },
        );
      names.add(step.name);
    }
  }
}

const selectable = ({ platform, inventory, groups }: Setting): Selectable => ({
  ...(platform === undefined ? {} : { roles: Object.keys(platform.roles), facts: Object.keys(platform.facts) }),
  ...(inventory === undefined ? {} : { hosts: inventory.hosts.map((host) => host.name) }),
  ...(groups === undefined ? {} : { groups }),
});

const hasNoHosts = (hosts: WrittenPlay['play']['hosts'], { inventory }: Setting): boolean =>
  inventory !== undefined && hosts !== 'controller' && select(hosts, inventory.hosts, {}).length === 0;

/** The vars that a play itself writes; those of its playbook are checked where they stand. */
function ownVars(json: Json, path: readonly (string | number)[]): Json | undefined {
  let value: Json | undefined = json;
  for (const step of [...path, 'vars'])
    value = isObject(value) ? value[step] : Array.isArray(value) ? (value as readonly Json[])[Number(step)] : undefined;
  return value;
}
