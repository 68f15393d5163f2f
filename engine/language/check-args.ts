import type { Json } from '../terms/json.js';
import { findingsOf, isSecretText, isTemplated, type Open } from './schema-findings.js';
import { findingText } from './schema-text.js';
import { conditionArgs, modules } from './validators.generated.js';

/**
 * Checks a module's arguments once more when their templates are rendered; the mistakes in words, none when they fit.
 * A secret counts as text. Arguments that are conditions are still data, with templates of their own.
 */
export function checkArgs(module: string, args: Json): readonly string[] {
  const check = modules[module];
  if (check === undefined) return [`there is no module "${module}"`];
  const conditions = conditionArgs[module] ?? [];
  const open: Open = (value, path) =>
    isSecretText(value, path) || (conditions.includes(String(path[0])) && isTemplated(value, path));
  return findingsOf(check, args, open).map(
    (finding) => findingText(finding, module, { keys: [], examples: [] }).message,
  );
}

/** The modules that there are, by name. */
export const moduleNames = (): readonly string[] => Object.keys(modules);
