import { nearest } from '../lib/nearest.js';
import type { Json, JsonObject } from '../terms/json.js';
import type { Platform } from '../terms/playbook.js';
import { variables } from './check-unread.js';
import type { LoadedInventory } from './inventory-load.js';
import type { Mistakes } from './mistakes.js';
import { decoded, misfit, typeOfVariable } from './variable-types.js';

/** The variables of `-e` by their types: a text that is given for a number or a truth value becomes one. */
export const typedVars = (vars: JsonObject, platform: Platform): JsonObject =>
  Object.fromEntries(
    Object.entries(vars).map(([name, value]) => [name, decoded(typeOfVariable(platform, name), value)]),
  );

/** Values of variables that are not of their type, in the inventory, its groups and hosts, and in `-e`. */
export function checkVariables(
  platform: Platform,
  loaded: LoadedInventory | undefined,
  extraVars: JsonObject,
  mistakes: Mistakes,
): void {
  for (const { name, value, spot } of loaded === undefined ? [] : variables(loaded)) {
    const told = mistakeIn(platform, name, value);
    if (told !== undefined) mistakes.at({ ...spot, on: 'value' }, told.message, { hint: told.hint });
  }
  for (const [name, value] of Object.entries(extraVars)) {
    const told = mistakeIn(platform, name, value);
    if (told !== undefined) mistakes.add([{ file: '-e', line: 1, column: 1, length: 1, ...told }]);
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
