import { nearest } from '../lib/nearest.js';
import type { Inventory } from '../terms/inventory.js';
import type { Json, JsonObject } from '../terms/json.js';
import type { Platform } from '../terms/playbook.js';
import { type Mistakes, suggest } from './mistakes.js';
import { namesIn } from './names.js';
import type { LoadedPlaybook } from './playbook-load.js';

/** Tells a variable of `-e` that nothing reads or sets: most likely it is misspelt, and a run would go on without it. */
export function checkExtraVars(
  extraVars: JsonObject,
  { playbook, platform, inventory }: { playbook: LoadedPlaybook; platform: Platform; inventory: Inventory },
  mistakes: Mistakes,
): void {
  const names = Object.keys(extraVars);
  if (names.length === 0) return;
  const plays = playbook.plays.map(({ play }) => play);
  const read = [
    ...plays.map((play) => play as unknown as Json),
    platform as unknown as Json,
    inventory.vars,
    inventory.platform,
  ]
    .flatMap(namesIn)
    .flatMap((name) => (name.startsWith('vars.') ? [name.split('.')[1] ?? ''] : []));
  const set = [
    platform.vars,
    inventory.vars,
    ...inventory.hosts.map((h) => h.vars),
    ...plays.flatMap((play) => [play.vars, ...play.steps.map((step) => step.vars)]),
  ].flatMap(Object.keys);
  const known = [...new Set([...read, ...set, ...playbook.params])];
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
