import { readForReport } from '../journal/for-report.js';
import { findCopy, inspectEvents, listRuns, openRunFolder, type Runs } from '../journal/run-folder.js';
import type { Project } from '../language/project.js';
import { getOrCreate } from '../lib/get-or-create.js';
import type { KeptBackOut } from '../report/document/run-document.js';
import { stageNow } from '../report/plan/impact-lines.js';
import { tookOf } from '../report/end/took.js';
import type { BackOutStage } from '../terms/playbook.js';
import { hasInstalled } from './terminal/links.js';
import { runsOfProject } from './options/project.js';
import { isWholeRollback } from './options/rollback-playbooks.js';

/** A command asks for it several times, and each time would read the journals of all rollbacks. */
const known = new WeakMap<Project, readonly BackOutStage[]>();

/** How to go back from each stage, with the time that the newest rollback from there took; else with the playbook's default. */
export const backOutStages = (project: Project): readonly BackOutStage[] =>
  getOrCreate(known, project, () => stagesOf(project));

function stagesOf(project: Project): readonly BackOutStage[] {
  const { backOut = [] } = project.playbook;
  if (backOut.length === 0) return [];
  const measured = rollbackTimes(runsOfProject(project));
  return backOut.map((one) => {
    const takesMs = one.command !== undefined ? measured.get(one.stage) : undefined;
    return takesMs === undefined ? one : { ...one, takesMs, measured: true };
  });
}

/** How long the rollback of a playbook takes: the longest of its back-outs that are commands of this program. */
export const rollbackMsOf = (project: Project): number =>
  Math.max(0, ...backOutStages(project).flatMap((one) => (one.command !== undefined ? [one.takesMs] : [])));

/** By the stage that the upgrade had reached when it stopped: what its rollback took, of those that were done. */
function rollbackTimes(runs: Runs): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const id of listRuns(runs)) {
    const copy = findCopy(openRunFolder(runs, id));
    const isWhole = isWholeRollback(copy?.playbook[0]?.file ?? '');
    const stage = copy?.rollsBack === undefined || !isWhole ? undefined : stageOf(runs, copy.rollsBack);
    if (stage === undefined) continue;
    const { events } = inspectEvents(openRunFolder(runs, id));
    const last = events.at(-1)?.event;
    if (last?.e === 'run-ended' && last.as === 'done' && hasInstalled(events))
      times.set(stage, tookOf(events).workedMs);
  }
  return times;
}

function stageOf(runs: Runs, run: string): string | undefined {
  const recorded = readForReport(openRunFolder(runs, run), 'back-out.json') as unknown as KeptBackOut | undefined;
  return stageNow(recorded?.stages ?? [])?.stage;
}
