import { getOrCreate } from '../lib/get-or-create.js';
import type { Recorded } from '../terms/event.js';
import type { NamedCheck, Play, Step } from '../terms/playbook.js';
import { stepOf } from '../terms/step-time.js';
import { columns } from './columns.js';
import { conditionText, namedCheckLines } from './explain-view.js';
import { nameHosts, printableLine, section } from './style.js';
import { linesOf, tally, type Line } from './tally.js';

export interface PlacedStep {
  readonly play: Play;
  readonly step: Step;
}

/** Why a plan does or does not do a step: where it is written, its conditions, what each host answered, and the named checks in them. */
export function whyView(
  found: readonly PlacedStep[],
  events: readonly Recorded[],
  checks: Readonly<Record<string, NamedCheck>>,
): string {
  const t = tally(events);
  const lines = linesOf(t);
  const texts = found.map(({ play, step }) => {
    const skipped = t.plays.find(({ path }) => path === play.path)?.skipped;
    const mine = lines.filter((line) => stepOf(line.step) === step.path);
    const rows = [
      ...conditions(play, step).map(([what, text]) => [`  ${what}`, `only when ${text}`]),
      ...(skipped === undefined ? outcomes(mine) : [['  not done', `the play is skipped: ${printableLine(skipped)}`]]),
    ];
    return [headingOf({ play, step }), ...columns(rows)].join('\n');
  });
  const steps = found.map(({ step }) => step);
  const plays = found.map(({ play }) => ({ ...play, steps: play.steps.filter((step) => steps.includes(step)) }));
  return [...texts, ...namedCheckLines(plays, checks)].join('\n\n');
}

const headingOf = ({ play, step }: PlacedStep): string =>
  [
    [...play.within, play.name, ...step.blocks.map(({ name }) => name), step.name].join(' / '),
    section(step.spec),
    `${step.at.file}:${step.at.line}`,
  ]
    .filter((part) => part !== '')
    .join('   ');

const conditions = (play: Play, { blocks, when }: Step): readonly (readonly [what: string, text: string])[] => [
  ...(play.when === undefined ? [] : [['play', conditionText(play.when)] as const]),
  ...blocks.flatMap((block) => (block.when === undefined ? [] : [['block', conditionText(block.when)] as const])),
  ...(when === undefined ? [] : [['step', conditionText(when)] as const]),
];

const WORDS: Readonly<Record<Line['is'], string>> = {
  change: 'will change',
  begun: 'not finished',
  ok: 'unchanged',
  undecided: 'known after apply',
  waiting: 'waits',
  skipped: 'skipped',
  failed: 'failed',
  blocked: 'refused',
  unreachable: 'unreachable',
};

/** Each outcome once for all of its hosts. */
function outcomes(lines: readonly Line[]): readonly (readonly string[])[] {
  const groups = new Map<string, string[]>();
  for (const { is, because, change, host } of lines)
    getOrCreate(groups, `${WORDS[is]}: ${printableLine(change?.summary ?? because)}`, () => []).push(host);
  if (groups.size === 0) return [['  not done', 'no host of the play comes to it']];
  return [...groups].map(([text, hosts]) => [`  ${nameHosts(hosts)}`, text]);
}
