import { nearest } from '../../lib/nearest.js';
import type { Json, JsonObject } from '../../terms/json.js';
import type { Platform } from '../../terms/playbook.js';
import { variables } from './unread.js';
import type { LoadedInventory } from '../inventory/loaded.js';
import type { Mistakes } from '../mistakes.js';
import { objectOf } from '../values.js';
import { misfit, typeOfVariable } from '../types/variable-types.js';
import type { WrittenValue } from '../playbook/written.js';

interface Sources {
  readonly platform: Platform;
  readonly loaded: LoadedInventory | undefined;
  readonly extraVars: JsonObject;
  /** Of playbooks and imports. */
  readonly values: readonly WrittenValue[];
}

/** Values of variables that are not of their type: in the inventory, its groups and hosts, in playbooks, imports, and in `-e`. */
export function checkVariables({ platform, loaded, extraVars, values }: Sources, mistakes: Mistakes): void {
  const ofPlaybooks = values.flatMap(({ source, path, json }) =>
    Object.entries(objectOf(json)).map(([name, value]) => ({ name, value, spot: { source, path: [...path, name] } })),
  );
  for (const { name, value, spot } of [...(loaded === undefined ? [] : variables(loaded)), ...ofPlaybooks]) {
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
