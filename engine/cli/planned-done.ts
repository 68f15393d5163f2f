import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { readCopy, type RunFolder, type Runs } from '../journal/run-folder.js';
import { planOutcomeLines } from '../report/plan-outcome-view.js';
import { planOutcomes } from '../report/plan-outcome.js';
import type { Recorded } from '../terms/event.js';
import { doneSince, isDone, type DoneSince } from './done-since.js';
import { readPlanFile } from './plan-file.js';

const fileIn = ({ path }: RunFolder): string => join(path, 'approved.plan');

/** The run keeps the plan that it was approved with: the file itself may be moved or removed. */
export const keepApproved = (folder: RunFolder, file: string): void => copyFileSync(file, fileIn(folder));

/** Planned against done, of a run that a plan file began; of any other, and where its plan cannot be read, nothing. */
export function plannedDone(folder: RunFolder, events: readonly Recorded[], runs: Runs): readonly string[] {
  const read = existsSync(fileIn(folder)) ? readPlanFile(fileIn(folder)) : undefined;
  if (read === undefined || 'mistake' in read) return [];
  const { id, digest, plan } = read;
  const copy = readCopy(folder);
  if (digest !== copy.plan) return [];
  let done: DoneSince | undefined;
  const outcomes = planOutcomes(plan.steps, events, (step) => isDone((done ??= doneSince(runs, plan.atMs)), step));
  return planOutcomeLines(id, plan.steps.length, outcomes, copy.allow ?? []);
}
