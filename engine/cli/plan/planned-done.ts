import { findCopy, type RunFolder, type Runs } from '../../journal/run-folder.js';
import { planOutcomes, type PlanComparison } from '../../report/plan/plan-outcome.js';
import type { Recorded } from '../../terms/event.js';
import { hashOf } from '../run/choice.js';
import { doneSince, runThatDid, type DoneSince } from './done-since.js';
import { planId } from './plan-file.js';
import type { KeptPlan } from './plan-of-run.js';

/** Planned against done, for the end of a run, `show` and the report; undefined where its plan is not kept. */
export function plannedDone(
  folder: RunFolder,
  events: readonly Recorded[],
  runs: Runs,
  planned: KeptPlan | undefined,
): PlanComparison | undefined {
  if (planned === undefined) return undefined;
  const { steps, atMs } = planned;
  const copy = findCopy(folder);
  let done: DoneSince | undefined;
  return {
    steps: steps.length,
    ...(copy?.plan === undefined ? {} : { approved: planId(hashOf(copy)) }),
    allow: copy?.allow ?? [],
    ...planOutcomes(steps, events, (step) => runThatDid((done ??= doneSince(runs, atMs, folder.id)), step)),
  };
}
