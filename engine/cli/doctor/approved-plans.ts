import { stampOf } from '../../journal/run-folder.js';
import type { DoctorItem } from '../../report/checks/doctor-report.js';
import { approvalsOf, isWaiverName, type Approval } from '../../store/approvals.js';
import type { RunStore } from '../../store/run-store.js';
import { timeText } from '../plan/plan-file.js';

const SHA_SHOWN = 12;

/**
 * The plans that are approved and that no run was begun after: an update of `runbook` brings other playbooks, and a plan of the former ones
 * is refused. Throws StoreUnavailable.
 */
export async function approvedPlans(store: RunStore, nowMs: number): Promise<readonly DoctorItem[]> {
  const [runs, approved] = await Promise.all([store.list(), store.approvals.list()]);
  const newest =
    runs
      .map(({ run }) => run)
      .sort()
      .at(-1) ?? '';
  const plans = approved.map(({ run: name }) => name).filter((name) => !isWaiverName(name));
  const items = await Promise.all(
    plans.map(async (plan) => {
      const counting = (await approvalsOf(store, plan)).filter(
        ({ atMs, untilMs }) => nowMs <= untilMs && stampOf(atMs) > newest,
      );
      return counting.length === 0 ? [] : [itemOf(plan, counting)];
    }),
  );
  return items.flat();
}

function itemOf(plan: string, approvals: readonly Approval[]): DoctorItem {
  const by = [...new Set(approvals.map((approval) => approval.by))].join(', ');
  const until = timeText(Math.max(...approvals.map(({ untilMs }) => untilMs)));
  return {
    check: 'Store: approved plans',
    hosts: [],
    text: `the plan with SHA-256 ${plan.slice(0, SHA_SHOWN)}… was approved by ${by}, until ${until}`,
    evidence: [],
    fix: 'apply it before runbook is updated: an update brings other playbooks, and the plan is refused then',
  };
}
