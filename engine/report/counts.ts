import { count } from '../lib/count.js';
import { warningText } from '../terms/hint.js';
import { linesOf, type Line, type Tally } from './tally.js';

/** What the tasks of a plan or a run came to: the same numbers in every view. Each task counts once. */
export interface Counts {
  /** In a plan: will change. What was restored since counts too; an answered question does not. */
  readonly changed: number;
  readonly unchanged: number;
  /** Known after apply. */
  readonly undecided: number;
  readonly waiting: number;
  readonly asked: number;
  readonly skipped: number;
  readonly failed: number;
  /** Begun by a controller that ended before the step did. */
  readonly notFinished: number;
  /** Different texts, each once for all of its hosts. */
  readonly warnings: number;
}

export function countsOf(t: Tally): Counts {
  const lines = linesOf(t);
  const of = (...is: Line['is'][]): readonly Line[] => lines.filter((line) => is.includes(line.is));
  const asked = of('change').filter(isQuestion).length;
  return {
    changed: of('change').length - asked,
    unchanged: of('ok').length,
    undecided: of('undecided').length,
    waiting: of('waiting').length,
    asked,
    skipped: of('skipped').length,
    failed: of('failed', 'blocked', 'unreachable').length,
    notFinished: of('begun').filter((line) => !isQuestion(line)).length,
    warnings: new Set(lines.flatMap((line) => (line.warnings ?? []).map(warningText))).size,
  };
}

export const isQuestion = ({ change }: Pick<Line, 'change'>): boolean =>
  change !== undefined && change.actions.length > 0 && change.actions.every((action) => action.do === 'ask');

/** `73 changed, 1 failed`. */
export const changedText = ({ changed, failed, notFinished }: Counts): string =>
  [`${changed} changed`, ...(failed === 0 ? [] : [`${failed} failed`]), ...notFinishedText(notFinished)].join(', ');

const notFinishedText = (n: number): readonly string[] => (n === 0 ? [] : [`${count(n, 'step')} not finished`]);
