import { keepPlanned, readPlanned } from '../journal/planned.js';
import type { RunFolder } from '../journal/run-folder.js';
import { plannedRun, type PlannedRun } from '../report/document/differences.js';
import type { PlannedPhase } from '../report/phase-bars.js';
import type { PlanSummary } from '../report/plan-summary.js';
import type { AssessedComponent } from '../terms/assessment.js';
import type { Recorded } from '../terms/event.js';

/** What a run keeps of its plan, for its report and for its live view. */
interface Kept extends PlannedRun {
  readonly phases?: readonly PlannedPhase[];
}

export function keepPlanOf(
  folder: RunFolder,
  events: readonly Recorded[],
  summary: PlanSummary,
  approved?: Pick<PlannedRun, 'steps' | 'atMs'>,
): void {
  const phases = summary.phases.map(({ name, changes, takes }) => ({ name, changes, takesMs: takes.maxMs }));
  keepPlanned(folder, { ...plannedRun(events, summary, approved), phases } satisfies Kept);
}

const keptIn = (folder: RunFolder): Kept | undefined => readPlanned(folder) as unknown as Kept | undefined;

/** The services whose downtime the plan of a run stated; none where no plan was kept. */
export const plannedComponents = (folder: RunFolder): readonly AssessedComponent[] => keptIn(folder)?.components ?? [];

/** The phases of the plan that a run began with; none where no plan was kept. */
export const plannedPhases = (folder: RunFolder): readonly PlannedPhase[] => keptIn(folder)?.phases ?? [];
