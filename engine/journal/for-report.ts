import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../terms/json.js';
import type { RunFolder } from './run-folder.js';
import { seal, unseal } from '../lib/sealed.js';
import { MOST_OF, readFileWithin } from '../lib/bounded-file.js';

/**
 * What a run keeps beside its journal for its report: the plan that it began with, how to go back from where it ended, its baselines,
 * what was found after its failure, and how the platform was then.
 */
type Kept = 'plan.json' | 'back-out.json' | 'baseline.json' | 'causes.json' | 'state.json';

const fileOf = ({ path }: RunFolder, name: Kept): string => join(path, name);

/** A file that cannot be written is done without. */
export function keepForReport(folder: RunFolder, name: Kept, value: object): void {
  try {
    writeFileSync(fileOf(folder, name), seal(JSON.stringify(value)), { mode: 0o600 });
  } catch {
    // The run itself is recorded; only its report lacks this.
  }
}

/** What a run kept; undefined where there is nothing that can be read. */
export function readForReport(folder: RunFolder, name: Kept): Json | undefined {
  try {
    return unseal(readFileWithin(fileOf(folder, name), MOST_OF.own));
  } catch {
    return undefined;
  }
}
