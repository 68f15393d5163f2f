import { readPlanned } from '../journal/planned.js';
import type { RunFolder } from '../journal/run-folder.js';
import type { PlannedRun } from '../report/document/differences.js';
import type { AssessedComponent } from '../terms/assessment.js';

/** The services whose downtime the plan of a run stated; none where no plan was kept. */
export const plannedComponents = (folder: RunFolder): readonly AssessedComponent[] =>
  (readPlanned(folder) as unknown as PlannedRun | undefined)?.components ?? [];
