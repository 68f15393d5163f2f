import { describe, expect, test } from '@jest/globals';
import { planDifferenceLines } from '../../engine/report/plan/plan-differences-view.js';
import { planOutcomeLines } from '../../engine/report/plan/plan-outcome-view.js';
import { planOutcomes, type PlanComparison, type PlanOutcome } from '../../engine/report/plan/plan-outcome.js';
import { ended, play, record, started } from './story.js';
import { planDifferences, type PlannedStep } from '../../engine/report/plan/planned-steps.js';

const step = (key: string, summary: string, more: Partial<PlannedStep> = {}): PlannedStep => {
  const [play = '', name = '', host = ''] = key.split(/[/@]/);
  return { key: `${play}/${name}@${host}`, host, name, is: 'change', summary, digest: summary, facts: [], ...more };
};
const linesOf = (approved: readonly PlannedStep[], now: readonly PlannedStep[]): readonly string[] =>
  planDifferenceLines(planDifferences(approved, now, () => undefined).differences);

describe('differences from an approved plan:', () => {
  test('a step that two plays have is listed once, and its host once', () => {
    expect(linesOf([], [step('A/Wait@web-1', 'ready'), step('B/Wait@web-1', 'ready')])).toEqual([
      '  + web-1  Wait: ready  (not in the approved plan)',
    ]);
  });

  test('what was approved of a step stands before what is planned now', () => {
    const approved = [step('A/Upgrade@web-1', 'web 1.0 → 2.0'), step('A/Upgrade@web-2', 'web 1.1 → 2.0')];
    expect(linesOf(approved, [step('A/Upgrade@web-1', 'web 1.1 → 2.0'), approved[1] as PlannedStep])).toEqual([
      '  ~ web-1  Upgrade: approved: web 1.0 → 2.0; now: web 1.1 → 2.0  (differs from the approved plan)',
    ]);
  });

  test('a step that is not decided now, and one of which only the diff differs', () => {
    const approved = [step('A/Start@web-1', 'web starts'), step('A/Write@web-1', '/etc/web', { digest: 'old' })];
    const now = [step('A/Start@web-1', '', { is: 'undecided' }), step('A/Write@web-1', '/etc/web', { digest: 'new' })];
    expect(linesOf(approved, now)).toEqual([
      '  ~ web-1  Start: approved: web starts; now: known after apply  (differs from the approved plan)',
      '  ~ web-1  Write: /etc/web                                      (its diff differs from the approved plan)',
    ]);
  });

  test('of a long text its beginning and its end are shown', () => {
    const long = (end: string): string => `/var/backups/${'folder/'.repeat(12)}${end}`;
    expect(linesOf([step('A/Copy@web-1', long('old'))], [step('A/Copy@web-1', long('new'))])).toEqual([
      '  ~ web-1  Copy: approved: /var/backups/folder/folder/fol…lder/folder/folder/folder/old; now: /var/backups/folder/folder/fol…lder/folder/folder/folder/new  (differs from the approved plan)',
    ]);
  });
});

describe('differences of a run from its plan:', () => {
  const comparison = (outcomes: readonly PlanOutcome[], approved?: string): PlanComparison => ({
    ...{ steps: 3, allow: ['Upgrade'], outcomes, before: { steps: 0, runs: [] } },
    ...(approved === undefined ? {} : { approved }),
  });
  const altered: PlanOutcome = {
    is: 'altered',
    host: 'web-1',
    name: 'Upgrade',
    planned: '1.0 → 2.0',
    done: '1.1 → 2.0',
  };

  test('a run that is done did not stop before a step, nor before what another step restored', () => {
    const planned = [step('A/Revive@host:a', 'revive'), step('A/Drain (restored)@host:a', 'revive')];
    const of = (as: 'done' | 'failed'): readonly PlanOutcome[] =>
      planOutcomes(planned, record([started(), play('A', ['a']), ended(as)]), () => undefined).outcomes;
    expect(of('failed').map(({ is }) => is)).toEqual(['not started', 'not started']);
    expect(of('done')).toMatchObject([{ is: 'skipped', name: 'Revive', because: 'the run did not come to it' }]);
  });

  test('what was approved of a step, and what was done; each host once', () => {
    expect(planOutcomeLines(comparison([altered, altered], 'dbc3fb34'))).toEqual([
      '2 differences from the approved plan dbc3fb34 of 3 steps:',
      '  ~ web-1  Upgrade: approved: 1.0 → 2.0; done: 1.1 → 2.0  (differs from the plan, allowed with --allow)',
      '',
    ]);
  });

  test('without a plan file what was planned of it; the summary once where only the diff differs', () => {
    const sameText: PlanOutcome = { ...altered, name: 'Write', planned: '/etc/web', done: '/etc/web' };
    expect(planOutcomeLines(comparison([altered, sameText]))).toEqual([
      '2 differences from its plan of 3 steps:',
      '  ~ web-1  Upgrade: planned: 1.0 → 2.0; done: 1.1 → 2.0  (differs from the plan, allowed with --allow)',
      '  ~ web-1  Write: /etc/web                               (differs from the plan: known only during the run)',
      '',
    ]);
  });

  test('steps that were not started are counted; of a run in progress what is at hand or still to come is no difference', () => {
    const stopped = comparison([altered, { is: 'not started', host: 'web-1', name: 'Start' }]);
    expect(planOutcomeLines(stopped)).toContain('  - not started, because the run stopped before: 1 step');
    const running = comparison([...stopped.outcomes, { is: 'not finished', host: 'web-1', name: 'Stop' }]);
    expect(planOutcomeLines(running, true)).toEqual([
      '1 difference so far from its plan of 3 steps:',
      expect.stringMatching(/^ {2}~ web-1 {2}Upgrade: /),
      '  - not started yet: 1 step',
      '',
    ]);
    expect(planOutcomeLines(comparison([]), true)).toEqual(['0 differences so far from its plan of 3 steps.']);
  });
});
