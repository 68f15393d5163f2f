import { groupBy } from '../../lib/group-by.js';
import type { AssessedComponent } from '../../terms/assessment.js';
import type { Recorded } from '../../terms/event.js';
import { keyOf } from '../../terms/subject.js';
import { isQuestion } from '../counts.js';
import { withoutText } from '../ndjson.js';
import type { PlanSummary } from '../plan-summary.js';
import { plannedSteps, type PlannedStep } from '../planned-steps.js';
import { AT_END, type Line, type Tally } from '../tally.js';
import type { Differences, Document, StepDifference } from './document.js';
import type { Rounds } from './outcomes.js';
import { planDocument } from './plan-document.js';

/** The plan that a run began with, as it is kept in the run's folder. */
export interface PlannedRun {
  readonly document: Document;
  readonly steps: readonly PlannedStep[];
  readonly components: readonly AssessedComponent[];
}

/** What a run keeps of its plan. */
export const plannedRun = (events: readonly Recorded[], summary: PlanSummary): PlannedRun => ({
  document: planDocument(events, summary),
  steps: plannedSteps(events),
  components: summary.components,
});

/** What a run did otherwise than its plan said, and what read otherwise after an action than the action predicted. */
export function differencesOf(t: Tally, planned: PlannedRun | undefined, rounds: Rounds): Differences {
  const lines = t.plays.flatMap((play) => (play.path === AT_END ? [] : play.lines));
  return {
    is: 'differences',
    planned: planned !== undefined,
    steps: planned === undefined ? [] : stepDifferences(planned.steps, lines, rounds),
    facts: lines.flatMap(({ name, differs = [] }) =>
      differs.map(({ ref, predicted, observed }) => ({
        name,
        host: keyOf(ref.of).replace(/^host:/, ''),
        fact: ref.fact,
        key: ref.key,
        predicted: withoutText(predicted),
        observed: withoutText(observed),
      })),
    ),
  };
}

/** What was known after apply may have become anything, and a step that was not reached is no difference. */
function stepDifferences(
  steps: readonly PlannedStep[],
  lines: readonly Line[],
  rounds: Rounds,
): readonly StepDifference[] {
  const before = new Map(steps.map((step) => [step.key, step]));
  const all = lines.flatMap((line) => {
    const was = before.get(line.key);
    const all = rounds.get(line.key)?.map(({ summary }) => summary) ?? [];
    const done = all.length === 0 ? (line.change?.summary ?? line.because) : all.join('; then ');
    if (line.is === 'change' && !isQuestion(line)) {
      if (was === undefined) return [one('added', line, { done })];
      if (was.is === 'change' && was.summary !== done && !all.includes(was.summary))
        return [one('altered', line, { planned: was.summary, done })];
    }
    const isNotNeeded = (line.is === 'ok' || line.is === 'skipped') && was?.is === 'change';
    return isNotNeeded ? [one('not-needed', line, { planned: was.summary, done: line.because })] : [];
  });
  return groupBy(all, ({ host: _host, ...rest }) => JSON.stringify(rest)).map((group) => {
    const [{ host: _host, ...rest }] = group;
    return { ...rest, hosts: group.map(({ host }) => host) };
  });
}

const one = (
  is: StepDifference['is'],
  { name, host }: Line,
  texts: { readonly planned?: string; readonly done?: string },
) => ({
  ...{ is, name, host },
  ...texts,
});
