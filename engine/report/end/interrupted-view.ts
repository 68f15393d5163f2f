import { isUnfinished, type RunState } from '../../journal/state.js';
import type { Recorded } from '../../terms/event.js';
import type { StateNow } from '../../terms/state-now.js';
import { changedText, countsOf, isQuestion } from '../counts.js';
import { showDuration } from '../../lib/duration.js';
import { nowRows } from './now-lines.js';
import { layOut } from './screen-rows.js';
import { nextForOpen, nextForRunning, type InUse, type Ways } from './next-commands.js';
import { pausedText } from './stop-lines.js';
import { notRestored } from './not-restored.js';
import { nameHosts } from '../../lib/name-hosts.js';
import { printableLine, styleFor, type Terminal } from '../style.js';
import { linesOf, type Tally } from '../tally.js';

/** A step may take some minutes; longer without a record, and a process on another machine may have ended. */
const SILENT_MS = 180_000;

/** A run without an end: when it was cut, and what it was about to do. */
export function interruptedView(
  events: readonly Recorded[],
  t: Tally,
  state: RunState,
  {
    ways,
    now,
    inUse,
    ...terminal
  }: Terminal & { readonly ways: Ways; readonly now?: StateNow; readonly inUse?: InUse },
): string {
  const style = styleFor(terminal);
  const last = events.at(-1);
  const at =
    last === undefined
      ? ''
      : `: the controller process ended after ${new Date(last.atMs).toISOString().slice(11, 19)} UTC`;
  const open = linesOf(t).filter((line) => line.is === 'begun');
  const [asked, begun] = [open.filter(isQuestion), open.filter((line) => !isQuestion(line))];
  const names = [...new Set(begun.map((line) => line.name))].map((name) => {
    const hosts = begun.flatMap((line) => (line.name === name ? [line.host] : []));
    return `${printableLine(name)} (${nameHosts(hosts)})`;
  });
  const questions = [
    ...(last?.event.e === 'paused' ? [pausedText(last.event)] : []),
    ...asked.map(({ host, because }) => `${printableLine(because)} (${host})`),
  ];
  const made = notRestored([...state.temporaryChanges.values()]);
  const done = `${changedText(countsOf(t))}.`;
  return [
    // A process works on it: a resume or a close would be refused.
    inUse === undefined
      ? style.red(`Run interrupted${at}. ${done}`)
      : `${workText(inUse, questions.length > 0)}. ${done} ${printableLine(inUse.by)}`,
    ...questions.map((question) => `${inUse === undefined ? 'Not answered' : 'Question'}: ${question}`),
    ...(names.length === 0 ? [] : [`Not finished: ${names.join(' · ')}`]),
    ...(made.length === 0 ? [] : [`Temporary changes in effect: ${made.join(' · ')}`]),
    ...(now === undefined ? [] : layOut(nowRows(now, events), terminal.width)),
    ...(inUse === undefined ? (isUnfinished(state) ? nextForOpen(state, ways) : []) : nextForRunning(ways, inUse)),
  ].join('\n');
}

function workText({ silentMs = 0 }: InUse, isAsking: boolean): string {
  if (isAsking) return 'Run waits for an answer, to be given where it runs';
  return silentMs < SILENT_MS
    ? 'Run in progress'
    : `No record for ${showDuration(silentMs)}: not known whether it works`;
}
