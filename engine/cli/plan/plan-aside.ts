import { openJournal } from '../../journal/journal.js';
import type { Project } from '../../language/project.js';
import { isWhole } from '../../report/plan/plan-state.js';
import { summaryOf, type PlanSummary } from '../../report/plan/plan-summary.js';
import { plannedSteps } from '../../report/plan/planned-steps.js';
import { createRun, type RunOptions } from '../../run/run.js';
import type { Run } from '../../run/run.js';
import { runAll } from '../../run/start.js';
import { NOTHING_ASSESSED } from '../../terms/assessment.js';
import type { Recorded } from '../../terms/event.js';
import type { StepPath } from '../../terms/task.js';
import { stepOf, type Range } from '../../terms/step-time.js';
import { modules } from '../platforms.js';
import { inTime, LIMIT_MS } from '../run/in-time.js';
import { leadingTo } from '../run/choice.js';
import { stepTimes } from './step-times.js';

interface ToPlan {
  readonly project: Project;
  readonly options: RunOptions;
  /** Of the run whose rest it is. */
  readonly past?: readonly Recorded[];
}

type Doors = Pick<Run, 'reader' | 'clock' | 'signal'>;

/** How long a plan takes: what the page of the same plan says. Undefined where it is not ready, for its page has no estimate then. */
export async function plannedTakes(doors: Doors, toPlan: ToPlan): Promise<Range | undefined> {
  const summary = summaryIn(await planAside(doors, toPlan), toPlan);
  return summary !== undefined && isWhole(summary.state) ? summary.takes : undefined;
}

/** The steps that have something to do in a plan of the rest of a run. Undefined where that does not get through, and so not tell of all. */
export async function stepsLeft(doors: Doors, toPlan: ToPlan): Promise<ReadonlySet<StepPath> | undefined> {
  const events = await planAside(doors, toPlan);
  const state = summaryIn(events, toPlan)?.state;
  if (events === undefined || state === undefined || !(isWhole(state) || state.is === 'nothing')) return undefined;
  return new Set(plannedSteps(events).map(({ key }) => stepOf(key.slice(0, key.lastIndexOf('@')))));
}

function summaryIn(
  events: readonly Recorded[] | undefined,
  { project, options: { forks } }: ToPlan,
): PlanSummary | undefined {
  return events && summaryOf(events, { assessment: NOTHING_ASSESSED, times: stepTimes(project), forks });
}

/** The events of a plan that is made through the doors of a run, and kept nowhere. Undefined where it is not made in time. */
async function planAside(
  { reader, clock, signal }: Doors,
  { project, options, past = [] }: ToPlan,
): Promise<readonly Recorded[] | undefined> {
  const enough = AbortSignal.any([AbortSignal.timeout(LIMIT_MS), ...(signal === undefined ? [] : [signal])]);
  const journal = openJournal({ nowMs: () => clock.nowMs(), past });
  const events: Recorded[] = [...past.filter(({ event }) => event.e === 'from')];
  journal.subscribe((recorded) => events.push(recorded));
  const run = createRun(
    project,
    modules,
    { reader, clock, journal, stopping: () => enough.aborted, signal: enough },
    options,
  );
  const end = await inTime(
    runAll(run, { run: '', verb: 'plan', hash: '', inventory: '', ...leadingTo(project) } as const),
  );
  return end === undefined ? undefined : events;
}
