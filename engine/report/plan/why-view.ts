import type { NamedCheck } from '../../terms/playbook.js';
import { columns } from '../columns.js';
import { namedCheckLines } from '../checks/explain-view.js';
import { nameHosts } from '../../lib/name-hosts.js';
import { printableLine, section } from '../style.js';
import type { Line } from '../tally.js';
import type { PlacedStep, Why } from './why.js';

/** Why a plan does or does not do steps, and the named checks in their conditions. */
export function whyView(
  reasons: readonly Why[],
  found: readonly PlacedStep[],
  checks: Readonly<Record<string, NamedCheck>>,
): string {
  const steps = found.map(({ step }) => step);
  const plays = found.map(({ play }) => ({ ...play, steps: play.steps.filter((step) => steps.includes(step)) }));
  return [...reasons.map(text), ...namedCheckLines(plays, checks)].join('\n\n');
}

function text(why: Why): string {
  const { step, spec, file, line, conditions } = why;
  const heading = [step, section(spec), `${file}:${line}`].filter((part) => part !== '').join('   ');
  const rows = [
    ...conditions.flatMap(({ of, when, because }) => [
      [`  ${of}`, `only when ${when}`],
      ...(because === undefined ? [] : [['', `as ${printableLine(because)}`]]),
    ]),
    ...outcomeRows(why),
  ];
  return [heading, ...columns(rows)].join('\n');
}

function outcomeRows({ skipped, outcomes }: Why): readonly (readonly string[])[] {
  if (skipped !== undefined) return [['  not done', `the play is skipped: ${printableLine(skipped)}`]];
  if (outcomes.length === 0) return [['  not done', 'no host of the play comes to it']];
  return outcomes.flatMap(({ is, because, due = [], hosts }) => [
    [`  ${nameHosts(hosts)}`, `${WORDS[is]}: ${printableLine(because)}`],
    ...due.map((text) => ['', `as ${printableLine(text)}`]),
  ]);
}

const WORDS: Readonly<Record<Line['is'], string>> = {
  change: 'will change',
  begun: 'not finished',
  ok: 'unchanged',
  undecided: 'known after apply',
  unread: 'cannot be read',
  waiting: 'waits',
  skipped: 'skipped',
  failed: 'failed',
  blocked: 'refused',
  unreachable: 'unreachable',
};
