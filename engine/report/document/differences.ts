import type { AssessedComponent } from '../../terms/assessment.js';
import type { Recorded } from '../../terms/event.js';
import { keyOf } from '../../terms/subject.js';
import { withoutText } from '../ndjson.js';
import type { PlanComparison } from '../plan/plan-outcome.js';
import { notStartedIn, outcomeGroups } from '../plan/plan-outcome-view.js';
import type { PlanSummary } from '../plan/plan-summary.js';
import { plannedSteps, type PlannedStep } from '../plan/planned-steps.js';
import { AT_END, type Tally } from '../tally.js';
import type { Differences, Document } from './document.js';
import { planDocument } from './plan-document.js';

/** The plan that a run began with, as it is kept in the run's folder. */
export interface PlannedRun {
  readonly document: Document;
  /** Of the plan that was approved, where there was one; and when it was made. */
  readonly steps: readonly PlannedStep[];
  readonly atMs: number;
  readonly components: readonly AssessedComponent[];
}

/** What a run keeps of its plan. */
export const plannedRun = (
  events: readonly Recorded[],
  summary: PlanSummary,
  approved?: Pick<PlannedRun, 'steps' | 'atMs'>,
): PlannedRun => ({
  document: planDocument(events, summary),
  steps: approved?.steps ?? plannedSteps(events),
  atMs: approved?.atMs ?? summary.atMs,
  components: summary.components,
});

/** What a run did otherwise than its plan said, and what read otherwise after an action than the action predicted. */
export function differencesOf(t: Tally, comparison: PlanComparison | undefined): Differences {
  const { outcomes = [], allow = [], steps, approved, before } = comparison ?? {};
  return {
    is: 'differences',
    ...(steps === undefined ? {} : { plannedSteps: steps }),
    ...(approved === undefined ? {} : { approved }),
    total: outcomes.length,
    notStarted: notStartedIn(outcomes),
    ...(before === undefined || before.steps === 0 ? {} : { before }),
    steps: outcomeGroups(outcomes).map((group) => {
      const [{ host: _host, ...same }] = group;
      return {
        ...same,
        hosts: [...new Set(group.map(({ host }) => host))],
        ...(allow.includes(same.name) ? { isAllowed: true as const } : {}),
      };
    }),
    facts: t.plays.flatMap(({ path, lines }) =>
      path === AT_END
        ? []
        : lines.flatMap(({ name, differs = [] }) =>
            differs.map(({ ref, predicted, observed }) => ({
              name,
              host: keyOf(ref.of).replace(/^host:/, ''),
              fact: ref.fact,
              key: ref.key,
              predicted: withoutText(predicted),
              observed: withoutText(observed),
            })),
          ),
    ),
  };
}
