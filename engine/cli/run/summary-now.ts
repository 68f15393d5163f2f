import { foldAll } from '../../journal/fold.js';
import { findUnfinished } from '../../journal/run-folder.js';
import { modules } from '../platforms.js';
import { summaryOf, type PlanSummary, type UnfinishedRun } from '../../report/plan/plan-summary.js';
import { assess } from '../../run/assess.js';
import { createRun, type Run } from '../../run/run.js';
import { NOTHING_ASSESSED, type Assessment } from '../../terms/assessment.js';
import { runsOfProject } from '../options/project.js';
import { stateInTime } from './ask-now.js';
import { leadingTo, type Choice } from './choice.js';
import type { Planned, Rest } from '../commands/plan.js';
import { rehearsalOf } from '../rehearsals.js';
import type { Session } from './session.js';
import { withCounted } from '../plan/outlook.js';
import { stepTimes } from '../plan/step-times.js';
import { backOutStages, rollbackMsOf } from '../back-out-times.js';

/** What the hosts and the platform say beside the plan. A plan that cannot be applied promises nothing, so nothing is read for it. */
export async function summaryNow(
  { run, events, mayApply }: Pick<Planned, 'events' | 'mayApply'> & Pick<Session, 'run'>,
  { project, window }: Choice,
  rest: Rest | undefined,
): Promise<PlanSummary> {
  const isRollback = leadingTo(project).target !== undefined;
  const open = rest ?? (isRollback ? findUnfinished(runsOfProject(project)) : undefined);
  // The plan predicts over what it reads: how the platform is now, a run without predictions reads.
  const now = open === undefined ? undefined : await unfinishedNow(withoutPredictions(run), open);
  return summaryOf(events, {
    assessment: mayApply || rest !== undefined ? await assessed(withoutPredictions(run), rest) : NOTHING_ASSESSED,
    times: stepTimes(project),
    forks: run.options.forks,
    // Neither the rest of a run nor a rollback was tried elsewhere.
    ...(rest === undefined && !isRollback ? { rehearsal: rehearsalOf(project) } : {}),
    ...(window === undefined ? {} : { within: { window, rollbackMs: rollbackMsOf(project) } }),
    ...(now === undefined ? {} : { [rest === undefined ? 'takesBack' : 'rest']: now }),
  });
}

/** Of a run that stopped, the time of its rollback is counted. */
async function assessed(run: Run, rest: Rest | undefined): Promise<Assessment> {
  const found = await assess(run, backOutStages(run.project));
  if (rest === undefined) return found;
  return { ...found, backOut: await withCounted(run, found.backOut) };
}

const withoutPredictions = (run: Run): Run => createRun(run.project, modules, run, run.options);

async function unfinishedNow(run: Run, { folder, past }: Pick<Rest, 'folder' | 'past'>): Promise<UnfinishedRun> {
  const { from, lost } = foldAll(past.map(({ event }) => event));
  const now = await stateInTime(
    run,
    [...from.keys()].filter((host) => !lost.has(host)),
  );
  return { run: folder.id, past, ...(now === undefined ? {} : { now }) };
}
