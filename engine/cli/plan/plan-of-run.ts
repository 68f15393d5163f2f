import { keepForReport, readForReport } from '../../journal/for-report.js';
import type { RunFolder } from '../../journal/run-folder.js';
import { plannedRun, type PlannedRun } from '../../report/document/differences.js';
import type { PlannedPhase } from '../../report/live/phase-bars.js';
import type { PlanSummary } from '../../report/plan/plan-summary.js';
import type { Recorded } from '../../terms/event.js';
import { isObject } from '../../terms/json.js';

/** What a run keeps of its plan, for its report and for its live view. */
export interface KeptPlan extends PlannedRun {
  /** Of the plan of what its newest start had left to do. */
  readonly phases?: readonly PlannedPhase[];
}

export function keepPlanOf(
  folder: RunFolder,
  events: readonly Recorded[],
  summary: PlanSummary,
  approved?: Pick<PlannedRun, 'steps' | 'atMs'>,
): void {
  const kept: KeptPlan = { ...plannedRun(events, summary, approved), phases: phasesOf(summary) };
  keepForReport(folder, 'plan.json', kept);
}

/** The live view of a resume shows the phases of what is left, as its page did; undefined: the page did not tell of the whole. */
export function keepPhasesOfRest(folder: RunFolder, summary: PlanSummary | undefined): void {
  const kept = plannedOf(folder);
  if (kept !== undefined)
    keepForReport(folder, 'plan.json', { ...kept, phases: summary === undefined ? [] : phasesOf(summary) });
}

const phasesOf = ({ phases }: PlanSummary): readonly PlannedPhase[] =>
  phases.map(({ name, changes, takes }) => ({ name, changes, takesMs: takes.maxMs }));

/** The plan that a run keeps; undefined where it is gone, damaged, or of an earlier version. */
export function plannedOf(folder: RunFolder): KeptPlan | undefined {
  const json = readForReport(folder, 'plan.json');
  return json !== undefined && isObject(json) && typeof json['atMs'] === 'number'
    ? (json as unknown as KeptPlan)
    : undefined;
}
