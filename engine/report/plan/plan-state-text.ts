import { count } from '../../lib/count.js';
import type { PlanState } from './plan-state.js';
import { momentText } from './window-lines.js';

const OUTSIDE: Readonly<Record<NonNullable<PlanState['outside']>, string>> = {
  'window-over': 'the window is over',
  'window-too-short': 'the window is too short',
  'latest-start-passed': 'the latest start has passed',
};

type StateText = readonly [text: string, tone: 'good' | 'warn' | 'bad'];

/** The state in words, the same on the page and in every document. */
export function planStateText(state: PlanState): StateText {
  const { is, outside, decisions, failed, leftOut } = state;
  const why = outside === undefined ? '' : `, ${OUTSIDE[outside]}`;
  switch (is) {
    case 'ready':
      return [`READY${readyText(state)}`, 'good'];
    case 'decisions':
      return [`${count(decisions, 'decision')} OPEN, else ready${readyText(state)}`, 'warn'];
    case 'not-ready':
      return [`NOT READY${why}`, 'bad'];
    case 'nothing':
      return ['NOTHING TO DO', 'good'];
    case 'left-out':
      return [`${count(leftOut, 'host')} LEFT OUT, nothing to do on the others`, 'warn'];
    case 'refused':
      return ['REFUSED', 'bad'];
    case 'will-stop':
      return [`WILL STOP, ${count(failed, 'check')} failed`, 'bad'];
    case 'incomplete':
      return ['NOT COMPLETE', 'bad'];
    case 'interrupted':
      return ['INTERRUPTED', 'bad'];
  }
}

function readyText({ outside, from, leftOut, warnings }: PlanState): string {
  const when =
    outside !== undefined
      ? ` outside its window (${OUTSIDE[outside]})`
      : from === undefined
        ? ''
        : ` from ${momentText(from.atMs, from.zone)} on`;
  const without = leftOut === 0 ? '' : ` without ${count(leftOut, 'host')}`;
  const warned = warnings === 0 ? '' : `, ${count(warnings, 'warning')}`;
  return `${when}${without}${warned}`;
}

/** What a yes to a resume does where its plan is not whole: it may be what helps, so it is not refused. */
const IF_CONTINUED = {
  'will-stop':
    'the run does the steps before the failed check, stops there again, and stays open. Fix the cause first, unless these steps fix it.',
  incomplete:
    'the run waits where it needs a host that does not answer, stops there if it does not come back, and stays open.',
  unread: 'the run stops where it needs what cannot be read, if it still cannot be read then, and stays open.',
  defect: 'the run fails where the plan did, if it meets the same error there, and stays open.',
} as const;

const CONNECT = 'Connect what did not answer, then plan again.';
const REPORT = 'The defect is of runbook, not of a host: report it with its trace, which is named above.';

/** Of a plan whose steps hang on what cannot be read. */
export const NOT_READ =
  'Refused: the plan is not complete. Nothing was changed. Make what could not be read readable, then plan again.';

/** Why the plan cannot be applied, or what continuing a run does all the same; undefined where neither is so. */
export function refusalText(
  { is, failed, unreachable, unread }: Pick<PlanState, 'is' | 'failed' | 'unreachable' | 'unread'>,
  isRest: boolean,
): string | undefined {
  if (is === 'will-stop') return `If continued: ${IF_CONTINUED[is]}`;
  if (is === 'incomplete') {
    const why = unread > 0 ? 'unread' : unreachable === 0 ? 'defect' : is;
    if (isRest) return `If continued: ${IF_CONTINUED[why]}`;
    return why === 'unread'
      ? NOT_READ
      : `Refused: the plan is not complete. Nothing was changed. ${why === 'defect' ? REPORT : CONNECT}`;
  }
  if (is !== 'refused') return undefined;
  return `Refused: ${failed === 0 ? '' : `${count(failed, 'check')} failed. `}Nothing was changed.`;
}
