import { keepForReport, readForReport } from '../../journal/for-report.js';
import type { RunFolder } from '../../journal/run-folder.js';
import type { KeptBackOut } from '../../report/document/run-document.js';
import { assess } from '../../run/assess.js';
import type { Run } from '../../run/run.js';
import { backOutStages } from '../back-out-times.js';
import { inTime } from '../run/in-time.js';

/** Keeps for the report how to go back from where a run ended. */
export const keepBackOut = (folder: RunFolder, found: KeptBackOut): void =>
  keepForReport(folder, 'back-out.json', found);

/** The same, read from the platform as it is now. Left out where that takes too long. */
export async function assessBackOut(folder: RunFolder, run: Run): Promise<void> {
  if (run.project.playbook.backOut === undefined) return;
  run.facts.forgetHosts();
  run.facts.forgetEndpoints();
  const found = await inTime(assess(run, backOutStages(run.project)));
  if (found !== undefined) keepBackOut(folder, { atMs: run.clock.nowMs(), stages: found.backOut });
}

export const backOutOf = (folder: RunFolder): KeptBackOut | undefined =>
  readForReport(folder, 'back-out.json') as unknown as KeptBackOut | undefined;
