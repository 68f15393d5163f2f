import { nearest } from '../../lib/nearest.js';
import type { Inventory } from '../../terms/inventory.js';
import type { JsonObject } from '../../terms/json.js';
import type { Platform } from '../../terms/playbook.js';
import type { WholeProject } from '../definitions.js';
import { type Mistakes, suggest } from '../mistakes.js';
import type { LoadedPlaybook } from '../playbook/load.js';
import { readOf } from '../templates/reads.js';
import { objectOf } from '../values.js';

/** Tells a variable of `-e` that nothing reads or sets: most likely it is misspelt, and a run would go on without it. */
export function checkExtraVars(
  extraVars: JsonObject,
  { playbook, platform, mentioned }: WholeProject,
  inventory: Inventory,
  mistakes: Mistakes,
): void {
  const names = Object.keys(extraVars);
  if (names.length === 0) return;
  const read = readOf('vars', mentioned) ?? names;
  const set = [inventory.vars, ...inventory.hosts.map((h) => h.vars)].flatMap(Object.keys);
  const known = [...new Set([...read, ...set, ...varsSetBy(playbook, platform)])];
  for (const name of names) {
    if (known.includes(name)) continue;
    mistakes.add([
      {
        file: '-e',
        line: 1,
        column: 1,
        length: 1,
        message: `nothing reads the variable "${name}"`,
        hint: suggest(nearest(name, known), known, 'variables') ?? 'write it as {{vars.NAME}} where it is used',
      },
    ]);
  }
}

/** Reports a variable that an import sets and nothing reads: most likely it is misspelt. */
export function checkImportVars({ playbook, mentioned }: WholeProject, mistakes: Mistakes): void {
  const read = readOf('vars', mentioned);
  if (read === undefined) return;
  for (const { source, path, json } of playbook.values.filter(({ path }) => path[0] === 'plays'))
    for (const name of Object.keys(objectOf(json)).filter((one) => !read.has(one)))
      mistakes.at({ source, path: [...path, name], on: 'key' }, `nothing reads the variable "${name}"`, {
        hint: suggest(nearest(name, read), [...read], 'variables'),
      });
}

/** Variables that the platform, a playbook, a play or a step gives a value: to override one is no slip. */
export const varsSetBy = ({ plays }: LoadedPlaybook, platform: Platform): readonly string[] =>
  [platform.vars, ...plays.flatMap(({ play }) => [play.vars, ...play.steps.map((step) => step.vars)])].flatMap(
    Object.keys,
  );
