import type { HeldLock } from './lock.js';
import { rmSync } from 'node:fs';
import { createRunFolder, writeCopy, type Estimate, type RunCopy, type Runs } from '../../journal/run-folder.js';
import type { PlannedRun } from '../../report/document/differences.js';
import { carryOut } from './carry-out.js';
import { hashOf } from './choice.js';
import { openDoors } from './doors.js';
import { Refusal } from '../options/exit.js';
import { planFirst, type Asked } from '../plan/plan-first.js';
import { keepPlanOf } from '../plan/plan-of-run.js';

export interface Begin extends Asked {
  readonly runs: Runs;
  readonly lock: HeldLock;
  readonly copy: RunCopy;
  /** The plan that was approved. */
  readonly approved?: Pick<PlannedRun, 'steps' | 'atMs'>;
  /** Where the inventory asks for approvals. */
  readonly approvedBy?: readonly string[];
}

/** A new run: its plan, the question whether to begin, and the run itself, through the same connections and with the same secrets. */
export async function begin(request: Begin): Promise<number> {
  const { choice, flags, lock, copy, approvedBy = [] } = request;
  const folder = createRunFolder(request.runs, Date.now(), copy);
  // A run that was refused or declined, or that reached no host, did not begin.
  const notBegun = (error: unknown): never => {
    if (error instanceof Refusal) rmSync(folder.path, { recursive: true, force: true });
    throw error;
  };
  const doors = await openDoors({ ...choice, flags, folder }).catch(notBegun);
  try {
    const planned = await planFirst(request, doors).catch(notBegun);
    if (planned.summary !== undefined) keepPlanOf(folder, planned.events, planned.summary, request.approved);
    const estimate = planned.summary?.impact;
    if (estimate !== undefined) writeCopy(folder, { ...copy, estimate: estimateToKeep(estimate) });
    return await carryOut({
      ...choice,
      ...{ flags, lock, doors, folder, verb: 'apply', hash: hashOf(copy) },
      ...(estimate === undefined ? {} : { estimate }),
      ...(approvedBy.length === 0 ? {} : { approvedBy }),
    });
  } finally {
    await doors.close();
  }
}

/** What a run keeps of its estimate. */
export const estimateToKeep = ({ takesDown, restMs }: Estimate): Estimate => ({ takesDown, restMs });
