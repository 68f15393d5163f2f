import { isUnfinished, type RunState } from '../../journal/state.js';
import type { Outlook } from '../../terms/state-now.js';
import { showDuration } from '../../lib/duration.js';
import { wrap } from '../columns.js';
import { backOutText } from '../plan/back-out-text.js';
import { estimateText } from '../plan/estimate-text.js';

/** What can be typed after a run, so that nothing is advised that would be refused. */
export interface Ways {
  /** What the verbs take to find the run again: ` -i lab/inventory.yaml`, or nothing. */
  readonly where: string;
  /** The releases that `rollback` could lead to: one, several to choose from, or none where a rollback is not possible or has nothing to do. */
  readonly backTo: readonly string[];
  /** The run's playbook, as `apply` takes it, where no run came after it. */
  readonly playbook?: string;
  /** The rollback that removed a part of it: it cannot be resumed. */
  readonly takenBackBy?: string;
}

/** The process that works on the run, as far as it is known here. */
export interface InUse {
  readonly by: string;
  /** It is on another machine, so only its records tell whether it works: how long ago the last one was. */
  readonly silentMs?: number;
  /** The run can be taken from it: the team has a store. */
  readonly takeOver?: true;
}

/** On a narrow terminal a line is rather broken by it than has a word. */
const LEAST_TEXT = 30;

/** What to type next for an unfinished run, recommended first: forward loses nothing, closing leaves partial changes. */
export const nextForOpen = (state: RunState, ways: Ways): readonly string[] => [
  `Next for the run ${state.run ?? ''}, recommended first:`,
  ...commands(ways.where, [...forOpen(state, ways), [`show ${state.run ?? ''}`, 'what was done so far']]),
];

/** The same after a failure, below the labels of its summary: how long each takes, and what it costs. */
export function nextAfterFailure(
  state: RunState,
  ways: Ways,
  { label, width, outlook }: { readonly label: number; readonly width: number; readonly outlook?: Outlook },
): readonly string[] {
  const rows = forOpen(state, ways, outlook);
  const most = Math.max(...rows.map(([verb]) => verb.length));
  return rows.flatMap(([verb, what], i) => {
    const number = `${(i === 0 ? 'NEXT' : '').padEnd(label)}${i + 1}  `;
    const head = `${number}runbook ${`${verb}${ways.where}`.padEnd(most + ways.where.length)}   `;
    return wrap(what.split(' '), Math.max(width, head.length + LEAST_TEXT), head);
  });
}

const forOpen = ({ temporaryChanges, ended }: RunState, ways: Ways, outlook: Outlook = {}): readonly Command[] => [
  ...resuming(ways, [whatResumeDoes(ended), ...leftText(outlook)].join('; ')),
  ...rollback(ways, outlook),
  ['close', `final: no resume; ${temporaryChanges.size > 0 ? 'restores temporary changes' : 'changes nothing'}`],
];

function whatResumeDoes(ended: RunState['ended']): string {
  if (ended?.throughout === true) return 'repeat on these hosts';
  if (ended === undefined || ended.as === 'interrupted') return 'continue from this step';
  return 'fix the cause first';
}

/** What a rollback may lose its own page says. */
const leftText = ({ left, isRollback }: Outlook): readonly string[] =>
  left === undefined
    ? []
    : [`${estimateText(left)}${left.counted ? '' : ' planned'}`, ...(isRollback === true ? [] : ['no data loss'])];

/** What to type for a run that another process works on. */
export const nextForRunning = ({ where }: Ways, { silentMs, takeOver }: InUse): readonly string[] =>
  commands(where, [...FOR_RUNNING, ...(silentMs === undefined ? [] : takeOver === true ? TAKE_OVER : UNLOCK)]);

const FOR_RUNNING: readonly Command[] = [
  ['attach', 'follow it'],
  ['stop', 'stop it at its next safe point'],
];

const TAKE_OVER: readonly Command[] = [['resume --take-over', 'take it from that process, which can then do no more']];
const UNLOCK: readonly Command[] = [['unlock', 'remove the lock of a process that has ended there']];

/** The same for a report: empty where nothing is left to do. */
export function nextRows(
  state: RunState,
  ways: Ways,
  {
    outlook,
    isRunning,
    installed,
  }: { readonly outlook?: Outlook; readonly isRunning: boolean; readonly installed: boolean },
): readonly Command[] {
  if (state.ended === undefined && isRunning) return FOR_RUNNING;
  if (state.ended?.as === 'closed') return ways.playbook === undefined || !installed ? [] : forReleased(ways);
  return isUnfinished(state) ? forOpen(state, ways, outlook) : [];
}

/** Before a run is closed: what else is possible. A close starts what the run stopped, which may write in the new release's form. */
export const insteadOfRelease = (ways: Ways): readonly string[] =>
  commands(ways.where, [
    ...resuming(ways, 'fix the cause first; nothing is lost'),
    ...rollback(ways).map(([verb, what]): Command => [verb, `${what}; a close may rule it out`]),
  ]);

/** What to type next for a run that was closed after it installed packages: there is nothing to resume. */
export const nextForReleased = (ways: Ways): readonly string[] => [
  'It installed packages; partial changes remain. Next, recommended first:',
  ...commands(ways.where, forReleased(ways)),
];

const forReleased = (ways: Ways): readonly Command[] => [
  ['diagnose', 'find known failures and their fixes'],
  ...apply(ways),
  ...rollback(ways),
];

const resuming = ({ takenBackBy }: Ways, what: string): readonly Command[] =>
  takenBackBy === undefined ? [['resume', what]] : [];

const apply = ({ playbook }: Ways): readonly Command[] =>
  playbook === undefined
    ? []
    : [[`apply ${playbook}`, 'continue from the current state; first fix and start what does not run']];

const rollback = ({ backTo }: Ways, { backOut }: Outlook = {}): readonly Command[] => {
  const [one, ...others] = backTo;
  if (one === undefined) return [];
  if (others.length > 0) return [['rollback --to VERSION', `one of ${backTo.join(', ')}`]];
  const to = `to ${one}`;
  if (backOut === undefined) return [['rollback', `${to}; shows its plan and asks first`]];
  const loss = `data loss: ${backOut.dataLoss}`;
  if (backOut.command === 'rollback') {
    const promised = backOut.because === undefined ? '' : ', not promised';
    return [['rollback', `${to}; ${backOutText(backOut)}${promised}; ${loss}`]];
  }
  // The platform shows less than the rollback itself checks.
  const instead = `${backOut.do} (about ${showDuration(backOut.takesMs)}; ${loss})`;
  return [['rollback', `${to}, if its plan allows it; else ${instead}`]];
};

export type Command = readonly [verb: string, what: string];

function commands(where: string, rows: readonly Command[]): readonly string[] {
  const width = Math.max(...rows.map(([verb]) => verb.length));
  return rows.map(([verb, what]) => `  runbook ${`${verb}${where}`.padEnd(width + where.length)}   ${what}`);
}
