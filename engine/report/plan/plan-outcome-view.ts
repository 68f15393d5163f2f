import { count } from '../../lib/count.js';
import { groupBy } from '../../lib/group-by.js';
import { columns } from '../columns.js';
import { alteredText } from './altered-text.js';
import { doneBeforeLines } from './done-before.js';
import type { OutcomeKind, PlanComparison, PlanOutcome } from './plan-outcome.js';
import { nameHosts } from '../../lib/name-hosts.js';
import { printableLine } from '../style.js';

const SIGN: Readonly<Record<OutcomeKind, string>> = {
  added: '+',
  altered: '~',
  'other result': '≠',
  repeated: '↻',
  'found done': '-',
  unchanged: '-',
  skipped: '-',
  failed: '✗',
  'not finished': '✗',
  'not started': '-',
};

/** Why a step differs from its plan, as a sentence. */
export function causeText({ is, because }: Pick<PlanOutcome, 'is' | 'because'>, isAllowed: boolean): string {
  const why = because === undefined || because === '' ? '' : `: ${because.split('\n')[0] ?? ''}`;
  switch (is) {
    case 'added':
      return isAllowed ? 'not in the plan, allowed with --allow' : 'not in the plan: known only during the run';
    case 'altered':
      return isAllowed
        ? 'differs from the plan, allowed with --allow'
        : 'differs from the plan: known only during the run';
    case 'other result':
      return `the result differs from the prediction${why}`;
    case 'repeated':
      return `done at a later attempt; failed first${why}`;
    case 'found done':
      return `failed, and was found done when the run continued${why}`;
    case 'unchanged':
      return `not needed${why}`;
    case 'skipped':
      return `skipped${why}`;
    case 'failed':
      return `failed${why}`;
    case 'not finished':
      return 'begun and not finished';
    case 'not started':
      return 'not started';
  }
}

/** Each outcome once for all of its hosts; steps that were not started are only counted. */
export const outcomeGroups = (
  outcomes: readonly PlanOutcome[],
): readonly (readonly [PlanOutcome, ...PlanOutcome[]])[] =>
  groupBy(
    outcomes.filter(({ is }) => is !== 'not started'),
    ({ host: _host, ...same }) => JSON.stringify(same),
  );

export const notStartedIn = (outcomes: readonly PlanOutcome[]): number =>
  outcomes.filter(({ is }) => is === 'not started').length;

const planText = ({ approved }: { readonly approved?: string | undefined }): string =>
  approved === undefined ? 'its plan' : `the approved plan ${approved}`;

/** While it runs these are no differences. */
const TO_COME: ReadonlySet<OutcomeKind> = new Set(['not finished', 'not started']);

type Sums = Pick<PlanComparison, 'steps' | 'approved'> & { readonly total: number };

/** How many steps, each on one host, differ from the plan; or that none does. */
export function comparedText({ steps, approved, total }: Sums): string {
  if (total > 0) return `${count(total, 'difference')} from ${planText({ approved })} of ${count(steps, 'step')}`;
  return approved === undefined
    ? `As planned: all ${count(steps, 'step')}`
    : `As approved: all ${count(steps, 'step')} of the plan ${approved}`;
}

/** What a step did; where that is something else than planned, both. */
function whatOf({ is, planned, done }: PlanOutcome, { approved }: PlanComparison): string | undefined {
  return is === 'altered' && planned !== undefined && done !== undefined && planned !== done
    ? alteredText(planned, done, [approved === undefined ? 'planned' : 'approved', 'done'])
    : (done ?? planned);
}

/** Planned against done: each step that differs with its cause, once for all of its hosts. `isRunning`: the rest is still to come. */
export function planOutcomeLines(comparison: PlanComparison, isRunning = false): readonly string[] {
  const { outcomes: all, allow, before } = comparison;
  const outcomes = isRunning ? all.filter(({ is }) => !TO_COME.has(is)) : all;
  const sum = isRunning
    ? `${count(outcomes.length, 'difference')} so far from ${planText(comparison)} of ${count(comparison.steps, 'step')}`
    : comparedText({ ...comparison, total: outcomes.length });
  const expected = doneBeforeLines(before);
  if (all.length === 0) return [`${sum}.`, ...expected];
  const notStarted = notStartedIn(all);
  const left = isRunning ? 'not started yet' : 'not started, because the run stopped before';
  const rows = outcomeGroups(outcomes).map((group) => {
    const [first] = group;
    const what = whatOf(first, comparison);
    return [
      `  ${SIGN[first.is]} ${nameHosts(group.map(({ host }) => host))}`,
      printableLine(`${first.name}${what === undefined ? '' : `: ${what}`}`),
      `(${printableLine(causeText(first, allow.includes(first.name)))})`,
    ];
  });
  return [
    `${sum}:`,
    ...columns(rows),
    ...(notStarted === 0 ? [] : [`  - ${left}: ${count(notStarted, 'step')}`]),
    ...expected,
    '',
  ];
}
