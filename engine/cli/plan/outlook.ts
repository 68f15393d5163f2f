import { foldAll } from '../../journal/fold.js';
import type { Project } from '../../language/project.js';
import { isOpen, spanAt, type Window } from '../../lib/window.js';
import { backOutNow, rollbackNow } from '../../report/plan/impact-lines.js';
import { timeLeftMs } from '../../report/live/time-left.js';
import { assess } from '../../run/assess.js';
import type { Run } from '../../run/run.js';
import type { AssessedBackOut } from '../../terms/assessment.js';
import type { Recorded } from '../../terms/event.js';
import type { Outlook } from '../../terms/state-now.js';
import type { KeptPlan } from './plan-of-run.js';
import { stepTimes } from './step-times.js';
import { leadingTo } from '../run/choice.js';
import { backOutStages, rollbackMsOf } from '../back-out-times.js';
import { rollbackOf } from '../run/rollback-project.js';
import { plannedTakes } from './plan-aside.js';

/** An unfinished run. */
export interface Open {
  readonly past: readonly Recorded[];
  readonly planned?: Pick<KeptPlan, 'steps'>;
  readonly window?: Window;
}

/** What is possible from where an unfinished run stopped, before its times are counted. Only reads. */
export async function outlookOf(run: Run, { planned, past, window }: Open): Promise<Outlook> {
  const { project } = run;
  const state = foldAll(past.map(({ event }) => event));
  const { backOut: stages } = await assess(run, backOutStages(project));
  const nowMs = run.clock.nowMs();
  const span = window === undefined ? undefined : spanAt(window, nowMs);
  const leftMs =
    planned === undefined ? undefined : timeLeftMs(project.playbook.plays, planned.steps, state, stepTimes(project));
  return {
    ...assessedAs(nowMs, stages),
    ...(leadingTo(project).target === undefined ? {} : { isRollback: true as const }),
    ...(leftMs === undefined ? {} : { left: { minMs: leftMs, maxMs: leftMs, counted: false } }),
    ...(window === undefined || span === undefined || !isOpen(span, nowMs)
      ? {}
      : { window: { closesMs: span.closesMs, zone: window.zone, nowMs, rollbackMs: rollbackMsOf(project) } }),
  };
}

/** The same with the times that the pages of a resume and of a rollback say, where these are ready. */
export async function withTimes(
  run: Run,
  outlook: Outlook,
  { past, planned }: Open,
  rollback = (): Promise<Project | undefined> => rollbackOf(run.project),
): Promise<Outlook> {
  const { lost, leftOut } = foldAll(past.map(({ event }) => event));
  // Their plans would wait for it again, and not be whole.
  if ([...lost.keys()].some((host) => !leftOut.has(host))) return outlook;
  const { project, options } = run;
  const rest = planned === undefined ? undefined : await plannedTakes(run, { project, options, past });
  const { atMs, stages } = outlook.assessed ?? { atMs: run.clock.nowMs(), stages: [] };
  return {
    ...outlook,
    ...(rest === undefined ? {} : { left: { ...rest, counted: true } }),
    ...assessedAs(atMs, await withCounted(run, stages, rollback)),
  };
}

/** The stage of a rollback now with the time that its own page says, also where the platform shows less than the rollback itself checks. */
export async function withCounted(
  run: Run,
  stages: readonly AssessedBackOut[],
  rollback = (): Promise<Project | undefined> => rollbackOf(run.project),
): Promise<readonly AssessedBackOut[]> {
  const now = rollbackNow(stages);
  const project = now === undefined || now.impossible === true ? undefined : await rollback();
  const counted =
    project === undefined ? undefined : await plannedTakes(run, { project, options: { forks: run.options.forks } });
  return counted === undefined ? stages : stages.map((one) => (one === now ? { ...one, counted } : one));
}

function assessedAs(atMs: number, stages: readonly AssessedBackOut[]): Outlook {
  const backOut = stages.find(({ counted }) => counted !== undefined) ?? backOutNow(stages);
  return { assessed: { atMs, stages }, ...(backOut === undefined ? {} : { backOut }) };
}
