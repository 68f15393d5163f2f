import { rmSync } from 'node:fs';
import type { Lock } from '../journal/lock.js';
import { createRunFolder, writeCopy, type Estimate, type RunCopy, type Runs } from '../journal/run-folder.js';
import { keepPlanned } from '../journal/planned.js';
import { plannedRun } from '../report/document/differences.js';
import type { PlannedPhase } from '../report/phase-bars.js';
import type { PlanSummary } from '../report/plan-summary.js';
import { carryOut } from './carry-out.js';
import { hashOf } from './choice.js';
import { openDoors } from './doors.js';
import { planFirst, type Asked } from './plan-first.js';
import { keepApproved } from './planned-done.js';

export interface Begin extends Asked {
  readonly runs: Runs;
  readonly lock: Lock;
  readonly copy: RunCopy;
  /** The file with the plan that was approved. */
  readonly approved?: string;
}

/** A new run: its plan, the question whether to begin, and the run itself, through the same connections and with the same secrets. */
export async function begin(request: Begin): Promise<number> {
  const { choice, flags, lock, copy } = request;
  const folder = createRunFolder(request.runs, Date.now(), copy);
  const doors = await openDoors({ ...choice, flags, folder });
  if (typeof doors === 'number') return doors;
  try {
    const planned = await planFirst(request, doors);
    if (typeof planned === 'number') {
      // A run that was refused or declined did not begin.
      rmSync(folder.path, { recursive: true, force: true });
      return planned;
    }
    if (planned.summary !== undefined) keepPlanned(folder, plannedRun(planned.events, planned.summary));
    if (request.approved !== undefined) keepApproved(folder, request.approved);
    const estimate = planned.summary?.impact;
    if (estimate !== undefined) writeCopy(folder, { ...copy, estimate: kept(estimate) });
    return await carryOut({
      ...choice,
      ...{ flags, lock, doors, folder, verb: 'apply', hash: hashOf(copy) },
      ...(estimate === undefined ? {} : { estimate }),
      phases: phasesOf(planned.summary),
    });
  } finally {
    await doors.close();
  }
}

const phasesOf = (summary: PlanSummary | undefined): readonly PlannedPhase[] =>
  (summary?.phases ?? []).map(({ name, changes, takes }) => ({ name, changes, takesMs: takes.maxMs }));

/** What a run keeps of its estimate. */
export const kept = ({ takesDown, restMs }: Estimate): Estimate => ({ takesDown, restMs });
