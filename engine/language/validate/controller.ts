import type { Json, JsonObject } from '../../terms/json.js';
import { checkNoHost } from './blocks.js';
import type { Tree } from './tree.js';
import type { StepSetting } from './setting.js';
import { templateHostName } from '../inventory/host-names.js';
import type { Mistakes } from '../mistakes.js';
import { conditionArgs, withoutHost } from '../validators.generated.js';
import { objectOf } from '../values.js';
import type { WrittenStep } from '../playbook/written.js';

const WHERE = 'this play has no hosts: it runs on the controller';
const HINT = 'write `hosts:` in the play';

/** A play without hosts runs on the controller, where modules that act on a host, and names of one, have no meaning. */
export function checkOnController(
  { step }: WrittenStep,
  tree: (json: Json | undefined, ...at: string[]) => Tree,
  setting: StepSetting,
  mistakes: Mistakes,
): void {
  checkNoHost(tree(step.when, 'when'), WHERE, HINT, setting, mistakes);
  const vars = { ...setting.play.vars, ...step.vars };
  if (step.check === undefined)
    checkModule(tree(step.args, step.module), step.module, { setting, vars, path: step.path }, mistakes);
  else checkNoHost(tree(step.check, step.module), WHERE, HINT, setting, mistakes);
  const { temporary } = step;
  if (temporary !== undefined)
    checkModule(
      tree(temporary.args, 'temporary', temporary.module),
      temporary.module,
      { setting, vars, path: step.path },
      mistakes,
    );
}

interface Around {
  readonly setting: StepSetting;
  /** Of the play and the step. */
  readonly vars: JsonObject;
  /** Of the step. */
  readonly path: string;
}

function checkModule(tree: Tree, module: string, { setting, vars, path }: Around, mistakes: Mistakes): void {
  const { platform, inventory, extraVars } = setting;
  if (!withoutHost.has(module)) {
    // What is missing is missing once: in the play.
    if (setting.play.steps.find((one) => !withoutHost.has(one.module))?.path !== path) return;
    const spot = { source: tree.source, path: tree.path, on: 'key' } as const;
    mistakes.at(spot, `${tree.about}"${module}" acts on a host, and ${WHERE}`, { hint: HINT });
    return;
  }
  const conditions = conditionArgs[module] ?? [];
  for (const [key, json] of Object.entries(objectOf(tree.json))) {
    const at = { ...tree, path: [...tree.path, key], json };
    if (conditions.includes(key)) checkNoHost(at, WHERE, HINT, setting, mistakes);
    else if (platform !== undefined && inventory !== undefined) {
      const name = templateHostName(json, { platform, inventory, extraVars }, vars);
      if (name !== undefined)
        mistakes.at({ ...at, word: name, nth: 0 }, `${tree.about}"${name}" is of one host, and ${WHERE}`, {
          hint: HINT,
        });
    }
  }
}
