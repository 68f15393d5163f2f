import { openJournal } from '../../journal/journal.js';
import type { Project } from '../../language/project.js';
import { summaryOf } from '../../report/plan/plan-summary.js';
import { createRun, type RunOptions } from '../../run/run.js';
import type { Run } from '../../run/run.js';
import { runAll } from '../../run/start.js';
import { NOTHING_ASSESSED } from '../../terms/assessment.js';
import type { Recorded } from '../../terms/event.js';
import type { Range } from '../../terms/step-time.js';
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

/**
 * How long a plan takes that is made for this alone, through the doors of `run`: what the page of the same plan says. Undefined where the
 * plan is not ready, for its page has no estimate then, or is not made in time.
 */
export async function plannedTakes(
  { reader, clock, signal }: Pick<Run, 'reader' | 'clock' | 'signal'>,
  { project, options, past = [] }: ToPlan,
): Promise<Range | undefined> {
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
  const begin = { run: '', verb: 'plan', hash: '', inventory: '', ...leadingTo(project) } as const;
  const end = await inTime(runAll(run, begin));
  if (end === undefined) return undefined;
  const { forks } = options;
  const { is, takes } = summaryOf(events, { assessment: NOTHING_ASSESSED, times: stepTimes(project), forks });
  return is === 'ready' ? takes : undefined;
}
