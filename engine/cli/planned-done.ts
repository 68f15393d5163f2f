import { readForReport } from '../journal/for-report.js';
import { findCopy, type RunFolder, type Runs } from '../journal/run-folder.js';
import type { PlannedRun } from '../report/document/differences.js';
import { planOutcomes, type PlanComparison } from '../report/plan-outcome.js';
import type { Recorded } from '../terms/event.js';
import { isObject } from '../terms/json.js';
import { doneSince, isDone, type DoneSince } from './done-since.js';

/** The plan that a run keeps; undefined where it is gone, damaged, or of an earlier version. */
export function plannedOf(folder: RunFolder): PlannedRun | undefined {
  const json = readForReport(folder, 'plan.json');
  return json !== undefined && isObject(json) && typeof json['atMs'] === 'number'
    ? (json as unknown as PlannedRun)
    : undefined;
}

/** Planned against done, for the end of a run, `show` and the report; undefined where its plan is not kept. */
export function plannedDone(
  folder: RunFolder,
  events: readonly Recorded[],
  runs: Runs,
  planned = plannedOf(folder),
): PlanComparison | undefined {
  if (planned === undefined) return undefined;
  const { steps, atMs } = planned;
  const { plan, allow = [] } = findCopy(folder) ?? {};
  let done: DoneSince | undefined;
  return {
    steps: steps.length,
    ...(plan === undefined ? {} : { approved: plan }),
    allow,
    outcomes: planOutcomes(steps, events, (step) => isDone((done ??= doneSince(runs, atMs, folder.id)), step)),
  };
}
