import { getOrCreate } from '../lib/get-or-create.js';
import type { DifferenceKind, PlanDifference } from './planned-steps.js';
import { columns } from './columns.js';
import { nameHosts, printableLine } from './style.js';

const SIGN: Readonly<Record<DifferenceKind, string>> = { added: '+', altered: '~', dropped: '-' };
const MEANING: Readonly<Record<DifferenceKind, string>> = {
  added: 'not in the approved plan',
  altered: 'differs from the approved plan',
  dropped: 'no longer needed, and no run of this inventory did it since',
};

/** What differs from an approved plan, each step once for all of its hosts. */
export function planDifferenceLines(differences: readonly PlanDifference[]): readonly string[] {
  const groups = new Map<string, { readonly difference: PlanDifference; readonly hosts: string[] }>();
  for (const difference of differences) {
    const { is, step } = difference;
    const key = JSON.stringify([is, step.name, step.summary]);
    getOrCreate(groups, key, () => ({ difference, hosts: [] as string[] })).hosts.push(step.host);
  }
  return columns(
    [...groups.values()].map(({ difference: { is, step }, hosts }) => [
      `  ${SIGN[is]} ${nameHosts(hosts)}`,
      `${printableLine(step.name)}${step.summary === '' ? '' : `: ${printableLine(step.summary)}`}`,
      `(${MEANING[is]})`,
    ]),
  );
}
