import { count } from '../../lib/count.js';
import { printableLine } from '../style.js';

/** Steps of a plan, each on one host, that other runs of the inventory did since it was made; and these runs, by name. */
export interface DoneBefore {
  readonly steps: number;
  readonly runs: readonly string[];
}

/** Of each such step the run that did it. */
export const doneBefore = (runs: readonly string[]): DoneBefore => ({ steps: runs.length, runs: [...new Set(runs)] });

/** One line, or none. */
export const doneBeforeLines = ({ steps, runs }: DoneBefore, when = 'before the run'): readonly string[] =>
  steps === 0
    ? []
    : [
        printableLine(
          `${count(steps, 'step')} ${steps === 1 ? 'was' : 'were'} done ${when}, as expected: ${runs.join(', ')}`,
        ),
      ];
