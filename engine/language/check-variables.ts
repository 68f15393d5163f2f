import { nearest } from '../lib/nearest.js';
import type { Json, JsonObject } from '../terms/json.js';
import type { Platform } from '../terms/playbook.js';
import { variables } from './check-unread.js';
import type { LoadedInventory } from './inventory-load.js';
import type { Mistakes } from './mistakes.js';
import { misfit, typeOfVariable } from './variable-types.js';

/** Values of variables that are not of their type, in the inventory, its groups and hosts, and in `-e`. */
export function checkVariables(
  platform: Platform,
  loaded: LoadedInventory | undefined,
  extraVars: JsonObject,
  mistakes: Mistakes,
): void {
  for (const { name, value, spot } of loaded === undefined ? [] : variables(loaded)) {
    const mistake = mistakeIn(platform, name, value);
    if (mistake !== undefined) mistakes.at({ ...spot, on: 'value' }, mistake.message, { hint: mistake.hint });
  }
  for (const [name, value] of Object.entries(extraVars)) {
    const mistake = mistakeIn(platform, name, value);
    if (mistake !== undefined) mistakes.add([{ file: '-e', line: 1, column: 1, length: 1, ...mistake }]);
  }
}

function mistakeIn(platform: Platform, name: string, value: Json): { message: string; hint?: string } | undefined {
  const type = typeOfVariable(platform, name);
  const wrong = type === undefined ? undefined : misfit(type, value);
  if (wrong === undefined) return undefined;
  const meant = typeof type === 'object' && typeof value === 'string' ? nearest(value, type) : undefined;
  return {
    message: `the variable "${name}" must be ${wrong.is}; it is ${JSON.stringify(value)}`,
    ...(meant !== undefined
      ? { hint: `did you mean "${meant}"?` }
      : wrong.write === undefined
        ? {}
        : { hint: `write ${wrong.write}` }),
  };
}
