import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(dirname(fileURLToPath(import.meta.url)), 'work');

/** A file of the work that is measured: the ten steps, in the words of each tool. */
export const workFile = (name: string): string => join(folder, name);

/** The program under test: the built one. */
export const program = process.env['RUNBOOK_PROGRAM'] ?? join(folder, '../../../dist/cli/main.js');

/** How many steps `ten-steps.yaml` has. */
export const STEPS = 10;

/** The argument list of a run of the program. */
export const runbook = (...args: readonly string[]): readonly [string, ...string[]] => [
  process.execPath,
  program,
  ...args,
];
