import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../terms/json.js';
import type { RunFolder } from './run-folder.js';
import { seal, unseal } from './sealed.js';

const fileOf = ({ path }: RunFolder): string => join(path, 'plan.json');

/** Keeps the plan that a run began with beside its journal, for its report. A file that cannot be written is done without. */
export function keepPlanned(folder: RunFolder, planned: object): void {
  try {
    writeFileSync(fileOf(folder), seal(JSON.stringify(planned)), { mode: 0o600 });
  } catch {
    // The run itself is recorded; only its report cannot compare it with the plan.
  }
}

/** The plan of a run as it was kept; undefined where there is none that can be read. */
export function readPlanned(folder: RunFolder): Json | undefined {
  try {
    return unseal(readFileSync(fileOf(folder)));
  } catch {
    return undefined;
  }
}
