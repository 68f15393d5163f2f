import { foldAll } from '../../journal/fold.js';
import { openJournal } from '../../journal/journal.js';
import { findCopy, findUnfinished, inspectEvents, openRunFolder } from '../../journal/run-folder.js';
import type { Project } from '../../language/project.js';
import { defined } from '../../lib/defined.js';
import { modules } from '../platforms.js';
import { rollbackNow } from '../../report/plan/impact-lines.js';
import {
  summaryOf,
  type PlanContext,
  type PlanSummary,
  type TakenBack,
  type UnfinishedRun,
} from '../../report/plan/plan-summary.js';
import { assess } from '../../run/assess.js';
import { createRun, type Run } from '../../run/run.js';
import { NOTHING_ASSESSED, type AssessedBackOut, type Assessment } from '../../terms/assessment.js';
import type { Recorded } from '../../terms/event.js';
import type { StateNow } from '../../terms/state-now.js';
import { runsOfProject } from '../options/project.js';
import { isWholeRollback } from '../options/rollback-playbooks.js';
import { stateInTime } from './ask-now.js';
import { leadingTo, type Choice } from './choice.js';
import type { Planned, Rest } from '../plan/planned.js';
import { rehearsalOf } from '../rehearsals.js';
import { inTime } from './in-time.js';
import { previousVersions } from './previous-version.js';
import { projectOf } from './rollback-options.js';
import type { Session } from './session.js';
import { withCounted } from '../plan/outlook.js';
import { stepTimes } from '../plan/step-times.js';
import { backOutStages, rollbackMsOf } from '../back-out-times.js';

/** What the hosts and the platform say beside the plan. A plan that cannot be applied promises nothing, so nothing is read for it. */
export async function summaryNow(
  { run, events, mayApply, outsideLimit }: Pick<Planned, 'events' | 'mayApply'> & Pick<Session, 'run' | 'outsideLimit'>,
  { project, window, goesOutside }: Choice & Pick<PlanContext, 'goesOutside'>,
  rest: Rest | undefined,
): Promise<PlanSummary> {
  const isRollback = leadingTo(project).target !== undefined;
  // The plan predicts over what it reads: how the platform is now, a run without predictions reads.
  const { lost } = foldAll(events.map(({ event }) => event));
  const now = rest === undefined ? undefined : await unfinishedNow(withoutPredictions(run), rest, lost);
  return summaryOf(events, {
    assessment: mayApply || rest !== undefined ? await assessed(withoutPredictions(run), rest) : NOTHING_ASSESSED,
    times: stepTimes(project),
    forks: run.options.forks,
    // Neither the rest of a run nor a rollback was tried elsewhere.
    ...(rest === undefined && !isRollback ? { rehearsal: rehearsalOf(project, events) } : {}),
    ...(window === undefined ? {} : { within: { window, rollbackMs: rollbackMsOf(project) } }),
    ...defined({ goesOutside }),
    ...(now === undefined ? {} : { rest: now }),
    ...(isRollback ? { takesBack: await takenBack(withoutPredictions(run), events, lost) } : {}),
    // At last, when all is read.
    ...(run.options.limit === undefined ? {} : { outsideLimit: outsideLimit() }),
  });
}

/** Of a run that stopped, the time of its rollback is counted. */
async function assessed(run: Run, rest: Rest | undefined): Promise<Assessment> {
  const found = await assess(run, backOutStages(run.project));
  if (rest === undefined) return found;
  return { ...found, backOut: await withCounted(run, found.backOut) };
}

const withoutPredictions = (run: Run): Run => createRun(run.project, modules, run, run.options);

/** `lost`: by the plan. A host that was lost by the run itself may be back. */
async function unfinishedNow(
  run: Run,
  { folder, past }: Pick<Rest, 'folder' | 'past'>,
  lost: ReadonlyMap<string, unknown>,
): Promise<UnfinishedRun> {
  return { run: folder.id, past, ...(await nowIn(run, past, lost)) };
}

/** What a rollback finds: the unfinished run that it takes back, where there is one, and in any case what is installed and down now. */
async function takenBack(
  run: Run,
  events: readonly Recorded[],
  lost: ReadonlyMap<string, unknown>,
): Promise<TakenBack> {
  const { project } = run;
  const runs = runsOfProject(project);
  const open = findUnfinished(runs);
  // Of a rollback that is resumed: the upgrade that it takes back.
  const ofOpen = open === undefined ? undefined : (findCopy(open.folder)?.rollsBack ?? open.folder.id);
  const id = ofOpen ?? previousVersions(runs, project.platform.components)?.run;
  const copy = id === undefined ? undefined : findCopy(openRunFolder(runs, id));
  const isWhole = isWholeRollback(project.playbook.files[0]?.file ?? '');
  const upgrade = copy === undefined || !isWhole ? undefined : await projectOf(copy);
  const past =
    id === undefined ? [] : id === open?.folder.id ? open.past : inspectEvents(openRunFolder(runs, id)).events;
  const backOut = upgrade === undefined ? undefined : await inTime(backOutOfPast(run, upgrade, past));
  return {
    past: open?.past ?? [],
    ...(await nowIn(run, open?.past ?? events, lost)),
    ...defined({ backOut }),
  };
}

/** The back-out of an upgrade that a rollback takes: what was installed before is in that upgrade's record, not in the rollback's. */
async function backOutOfPast(
  run: Run,
  upgrade: Project,
  past: readonly Recorded[],
): Promise<AssessedBackOut | undefined> {
  const journal = openJournal({ nowMs: () => run.clock.nowMs(), past });
  const { backOut } = await assess(
    createRun(upgrade, modules, { ...run, journal }, run.options),
    upgrade.playbook.backOut ?? [],
  );
  return rollbackNow(backOut);
}

async function nowIn(
  run: Run,
  events: readonly Recorded[],
  lost: ReadonlyMap<string, unknown>,
): Promise<{ readonly now?: StateNow }> {
  const { from } = foldAll(events.map(({ event }) => event));
  return defined({ now: await stateInTime(run, [...from.keys()], lost) });
}
