import { groupBy } from '../../lib/group-by.js';
import type { DifferenceKind, PlanDifference } from './planned-steps.js';
import { columns } from '../columns.js';
import { nameHosts } from '../../lib/name-hosts.js';
import { printableLine } from '../style.js';

const SIGN: Readonly<Record<DifferenceKind, string>> = { added: '+', altered: '~', dropped: '-' };
const MEANING: Readonly<Record<DifferenceKind, string>> = {
  added: 'not in the approved plan',
  altered: 'differs from the approved plan',
  dropped: 'no longer needed, and no run of this inventory did it since',
};

/** What differs from an approved plan, each step once for all of its hosts. */
export const planDifferenceLines = (differences: readonly PlanDifference[]): readonly string[] =>
  columns(
    groupBy(differences, ({ is, step }) => JSON.stringify([is, step.name, step.summary])).map((group) => {
      const [{ is, step }] = group;
      return [
        `  ${SIGN[is]} ${nameHosts(group.map((one) => one.step.host))}`,
        `${printableLine(step.name)}${step.summary === '' ? '' : `: ${printableLine(step.summary)}`}`,
        `(${MEANING[is]})`,
      ];
    }),
  );
