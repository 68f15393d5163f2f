import { count } from '../lib/count.js';
import { groupBy } from '../lib/group-by.js';
import { columns } from './columns.js';
import type { OutcomeKind, PlanOutcome } from './plan-outcome.js';
import { nameHosts, printableLine } from './style.js';

const SIGN: Readonly<Record<OutcomeKind, string>> = {
  added: '+',
  altered: '~',
  'other result': '≠',
  'done by a run': '-',
  unchanged: '-',
  skipped: '-',
  failed: '✗',
  'not finished': '✗',
  'not started': '-',
};

function causeOf({ is, because }: PlanOutcome, allowed: boolean): string {
  const why = because === undefined || because === '' ? '' : `: ${printableLine(because.split('\n')[0] ?? '')}`;
  switch (is) {
    case 'added':
      return allowed ? 'not in the plan, allowed with --allow' : 'not in the plan: known only during the run';
    case 'altered':
      return allowed
        ? 'differs from the plan, allowed with --allow'
        : 'differs from the plan: known only during the run';
    case 'other result':
      return `the result differs from the prediction${why}`;
    case 'done by a run':
      return 'done by another run after the plan';
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

/** Planned against done: each step that differs with its cause, once for all of its hosts. */
export function planOutcomeLines(
  plan: string,
  planned: number,
  outcomes: readonly PlanOutcome[],
  allowed: readonly string[],
): readonly string[] {
  const notStarted = outcomes.filter(({ is }) => is === 'not started').length;
  const told = outcomes.filter(({ is }) => is !== 'not started');
  if (outcomes.length === 0) return [`As approved: all ${count(planned, 'step')} of the plan ${plan}.`];
  const rows = groupBy(told, (o) => JSON.stringify([o.is, o.name, o.summary, o.because])).map((group) => {
    const [first] = group;
    const what = first.summary === '' ? '' : `: ${printableLine(first.summary)}`;
    return [
      `  ${SIGN[first.is]} ${nameHosts(group.map(({ host }) => host))}`,
      `${printableLine(first.name)}${what}`,
      `(${causeOf(first, allowed.includes(first.name))})`,
    ];
  });
  return [
    `Differs from the approved plan ${plan}, ${count(planned, 'step')}:`,
    ...columns(rows),
    ...(notStarted === 0 ? [] : [`  - not started, because the run stopped before: ${count(notStarted, 'step')}`]),
    '',
  ];
}
