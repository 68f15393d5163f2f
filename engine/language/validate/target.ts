import { isRelease } from '../../lib/version.js';
import type { Json } from '../../terms/json.js';
import type { Platform } from '../../terms/playbook.js';
import type { InventoryParts } from '../inventory/files.js';
import type { Mistakes } from '../mistakes.js';
import { show } from '../schema/shown.js';
import { objectOf } from '../values.js';

/** Tells what is wrong with the target version: it has as many numbers as the platform's example, or one to four. */
export function checkTarget(
  { sources }: Pick<InventoryParts, 'sources'>,
  platform: Platform | undefined,
  mistakes: Mistakes,
): void {
  const example = platform?.versionExample;
  for (const source of sources) {
    const message = mistakeOf(objectOf(objectOf(source.json)['platform'])['target'], example);
    if (message === undefined) continue;
    const hint = example === undefined ? '"15.9" or 4.14.7' : asWritten(example);
    mistakes.at({ source, path: ['platform', 'target'] }, message, { hint: `such as ${hint}` });
  }
}

function mistakeOf(target: Json | undefined, example: string | undefined): string | undefined {
  if (typeof target === 'number') return `"target" must be text, and is ${target}`;
  if (typeof target !== 'string' || target.includes('{{') || isRelease(target, example)) return undefined;
  return `"target" is ${show(target)}, which is invalid`;
}

/** YAML reads two numbers as one, and 15.20 as 15.2. */
const asWritten = (version: string): string => (version.split('.').length < 3 ? `"${version}"` : version);
