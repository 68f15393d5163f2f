import { groupBy } from '../../lib/group-by.js';
import type { Recorded } from '../../terms/event.js';
import type { Play, Step } from '../../terms/playbook.js';
import { stepOf } from '../../terms/step-time.js';
import { conditionText } from '../checks/explain-view.js';
import { linesOf, tally, type Line } from '../tally.js';

export interface PlacedStep {
  readonly play: Play;
  readonly step: Step;
}

/** Why a plan does or does not do a step: where it is written, its conditions, and what each host answered. */
export interface Why {
  readonly step: string;
  readonly spec?: string;
  readonly file: string;
  readonly line: number;
  readonly conditions: readonly {
    readonly of: 'play' | 'block' | 'step';
    readonly when: string;
    /** Why that of a play holds, as the first host came to the step. */
    readonly because?: string;
  }[];
  /** The play is skipped for this reason: no host answered. */
  readonly skipped?: string;
  /** Each outcome once for all of its hosts. */
  readonly outcomes: readonly WhyOutcome[];
}

export interface WhyOutcome {
  readonly is: Line['is'];
  readonly because: string;
  /** Why the conditions of a change and of its blocks hold, with the values that they read. */
  readonly due?: readonly string[];
  readonly hosts: readonly string[];
}

export function whyOf(found: readonly PlacedStep[], events: readonly Recorded[]): readonly Why[] {
  const t = tally(events);
  const lines = linesOf(t);
  return found.map(({ play, step }) => {
    const skipped = t.plays.find(({ path }) => path === play.path)?.skipped;
    const mine = lines.filter((line) => stepOf(line.step) === step.path);
    return {
      step: [...play.within, play.name, ...step.blocks.map(({ name }) => name), step.name].join(' / '),
      ...(step.spec === undefined ? {} : { spec: step.spec }),
      file: step.at.file,
      line: step.at.line,
      conditions: conditionsOf(play, step, mine),
      ...(skipped === undefined ? {} : { skipped }),
      outcomes: skipped === undefined ? outcomesOf(mine) : [],
    };
  });
}

const conditionsOf = (play: Play, { blocks, when }: Step, lines: readonly Line[]): Why['conditions'] => [
  ...(play.when === undefined ? [] : [{ of: 'play' as const, when: conditionText(play.when), ...playDue(lines) }]),
  ...blocks.flatMap((block) =>
    block.when === undefined ? [] : [{ of: 'block' as const, when: conditionText(block.when) }],
  ),
  ...(when === undefined ? [] : [{ of: 'step' as const, when: conditionText(when) }]),
];

const playDue = (lines: readonly Line[]): { readonly because?: string } => {
  const first = lines.flatMap(({ due = [] }) => due).find(({ of }) => of === 'play');
  return first === undefined ? {} : { because: first.because };
};

const outcomesOf = (lines: readonly Line[]): readonly WhyOutcome[] =>
  groupBy(
    lines.map(({ is, change, because, due = [], host }) => {
      const own = [...new Set(due.flatMap((one) => (one.of === 'play' ? [] : [one.because])))];
      return { is, because: change?.summary ?? because, host, ...(own.length === 0 ? {} : { due: own }) };
    }),
    ({ is, because, due }) => JSON.stringify([is, because, due]),
  ).map((alike) => {
    const [{ host: _, ...one }] = alike;
    return { ...one, hosts: alike.map(({ host }) => host) };
  });
