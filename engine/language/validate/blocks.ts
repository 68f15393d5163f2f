import { checkCondition } from './names.js';
import type { Tree } from './tree.js';
import type { Setting, StepSetting } from './setting.js';
import { expressionsOf } from '../../terms/condition.js';
import { hostNames } from '../inventory/host-names.js';
import type { Mistakes } from '../mistakes.js';
import type { WrittenStep } from '../playbook/written.js';

/** The conditions of the blocks around a step; each is reported once, at the first step of its block. */
export function checkBlocks(
  { step, source, path }: WrittenStep,
  seen: Set<string>,
  setting: StepSetting,
  mistakes: Mistakes,
): void {
  for (const [depth, { path: name, name: title, when }] of step.blocks.entries()) {
    if (seen.has(name) || when === undefined) continue;
    seen.add(name);
    // plays, N, then `steps`, N for each block around.
    const at = [...path.slice(0, 2 + 2 * (depth + 1)), 'when'];
    checkCondition(
      { source, path: at, json: when, about: `block ${JSON.stringify(title)}: ` },
      setting.vocabulary,
      mistakes,
    );
  }
}

/** Names of one host, where no host is at hand: they have no value there. */
export function checkNoHost(tree: Tree, where: string, hint: string, setting: Setting, mistakes: Mistakes): void {
  const { platform, inventory, extraVars } = setting;
  if (platform === undefined || inventory === undefined) return;
  for (const text of expressionsOf(tree.json)) {
    const [wrong] = hostNames(text, { platform, inventory, extraVars });
    if (wrong === undefined) continue;
    const name = wrong.path.join('.');
    const spot = { source: tree.source, path: tree.path, word: name, nth: 0 };
    mistakes.at(spot, `${tree.about}"${name}" is of one host, and ${where}`, { hint: hint.replaceAll('NAME', name) });
  }
}

/** The `when` of a play is asked once, before its hosts: a name of one host has no value there. */
export function checkPlayWhen(tree: Tree, setting: Setting, mistakes: Mistakes): void {
  checkCondition(tree, setting.vocabulary, mistakes);
  const hint = 'as in hosts.ROLE.exists(h, h.NAME …), or in the "when" of a block';
  checkNoHost(tree, 'the "when" of a play is asked once', hint, setting, mistakes);
}
