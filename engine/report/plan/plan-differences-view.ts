import { groupBy } from '../../lib/group-by.js';
import { alteredText } from './altered-text.js';
import type { DifferenceKind, PlanDifference, PlannedStep } from './planned-steps.js';
import { columns } from '../columns.js';
import { nameHosts } from '../../lib/name-hosts.js';
import { printableLine } from '../style.js';

const SIGN: Readonly<Record<DifferenceKind, string>> = { added: '+', altered: '~', dropped: '-' };
const MEANING: Readonly<Record<DifferenceKind, string>> = {
  added: 'not in the approved plan',
  altered: 'differs from the approved plan',
  dropped: 'no longer needed, and no run of this inventory did it since',
};

const UNKNOWN: Readonly<Record<PlannedStep['is'], string>> = {
  change: 'changes',
  undecided: 'known after apply',
  waiting: 'waits for a state',
};
const textOf = ({ is, summary }: PlannedStep): string => (summary === '' ? UNKNOWN[is] : summary);

/** What a step does; of one that is altered also what was approved, unless only its diff differs. */
function whatOf({ step, was = step }: PlanDifference): string {
  if (textOf(was) !== textOf(step)) return alteredText(textOf(was), textOf(step), ['approved', 'now']);
  return step.summary;
}

const meaningOf = ({ is, step, was }: PlanDifference): string =>
  was !== undefined && textOf(was) === textOf(step) ? 'its diff differs from the approved plan' : MEANING[is];

/** What differs from an approved plan, each step once for all of its hosts. */
export const planDifferenceLines = (differences: readonly PlanDifference[]): readonly string[] =>
  columns(
    groupBy(differences, (one) => JSON.stringify([one.is, one.step.name, whatOf(one), meaningOf(one)])).map((group) => {
      const [first] = group;
      const what = whatOf(first);
      return [
        `  ${SIGN[first.is]} ${nameHosts(group.map((one) => one.step.host))}`,
        printableLine(`${first.step.name}${what === '' ? '' : `: ${what}`}`),
        `(${meaningOf(first)})`,
      ];
    }),
  );
