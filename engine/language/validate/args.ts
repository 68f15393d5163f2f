import type { Json } from '../../terms/json.js';
import { holdsReference, mapTexts, showText } from '../../terms/secret.js';
import { findingsOf, nothingOpen } from '../schema/findings.js';
import { misplacedSecrets, noSecretText } from '../schema/secret-places.js';
import { findingText } from '../schema/text.js';
import { checks, modules } from '../validators.generated.js';

/**
 * Checks a module's arguments once more when their templates are rendered; the mistakes in words, none when they fit.
 * A secret stands for text where the module takes one. Arguments that are conditions are still expressions.
 */
export function checkArgs(module: string, args: Json): readonly string[] {
  const check = modules[module] ?? checks[module];
  if (check === undefined) return [`there is no module "${module}"`];
  let written = args;
  // Asked of every task, and nearly none has a secret.
  if (holdsReference(args)) {
    const misplaced = misplacedSecrets(module, args);
    if (misplaced.length > 0) return misplaced.map(noSecretText);
    written = mapTexts(args, showText);
  }
  return findingsOf(check, written, nothingOpen).map(
    (finding) => findingText(finding, module, { keys: [], examples: [], isCondition: false }).message,
  );
}

/** The modules that there are, by name. */
export const moduleNames = (): readonly string[] => Object.keys(modules);
