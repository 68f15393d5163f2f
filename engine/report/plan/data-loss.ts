import type { PlanSummary } from './plan-summary.js';

/** Of the plan of a rollback: what the playbook of the upgrade says of it from where that stopped. Empty: it says nothing. */
export function dataLossOf({ backsOut }: Pick<PlanSummary, 'backsOut'>): readonly string[] {
  if (backsOut === undefined) return [];
  return backsOut.command === 'rollback'
    ? [backsOut.dataLoss]
    : ['not known: the playbook promises no rollback from here', `its back-out: ${backsOut.do}`];
}
