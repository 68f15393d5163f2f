import { MIN_WIDTH, wrap, wrapParts } from '../columns.js';
import { foldAll } from '../../journal/fold.js';
import { hasActed, isUnfinished } from '../../journal/state.js';
import { count } from '../../lib/count.js';
import type { Event, Recorded } from '../../terms/event.js';
import { hintText, type Hint } from '../../terms/hint.js';
import type { Outlook, StateNow } from '../../terms/state-now.js';
import { failureSummary } from './failure-view.js';
import { LABEL } from './screen-rows.js';
import { causeLines, hostsThatFailed } from './causes.js';
import { changedText, countsOf } from '../counts.js';
import { modelMark } from '../model-mark.js';
import { lostIn, lostTogether } from '../lost-hosts.js';
import { interruptedView } from './interrupted-view.js';
import { stopLines } from './stop-lines.js';
import { leftTable } from './items-view.js';
import { nextAfterFailure, nextForOpen, nextForReleased, type InUse, type Ways } from './next-commands.js';
import { notRestored } from './not-restored.js';
import { outcomeOf, type RunOutcome } from '../run-outcome.js';
import { packagesPut } from '../plan/packages-put.js';
import { nameHosts } from '../../lib/name-hosts.js';
import { printable, printableLine, section, styleFor, type Terminal, type Style } from '../style.js';
import { linesOf, tally, type Line, type Tally } from '../tally.js';
import { staysOpen, stillStopped } from './stays-stopped.js';
import { tookOf, tookText } from './took.js';
import { untouched } from '../plan/untouched.js';
import { worseLines } from './worse-lines.js';
import type { BaselineRow } from '../checks/baseline.js';
import { warningLines, warningsOf } from '../warnings.js';

type Ended = Extract<Event, { e: 'run-ended' }>;

export interface EndViewOptions extends Terminal {
  /** Where the journal and the log are. */
  readonly folder?: string;
  readonly ways?: Ways;
  /** Of a rollback that was closed: the run that it takes back, which stays open. */
  readonly leavesOpen?: string;
  readonly inUse?: InUse;
  /** What runs where, asked after the failure; absent where it was not asked. */
  readonly now?: StateNow;
  /** What a diagnosis of the hosts that failed told; absent where none was made. */
  readonly causes?: readonly Recorded[];
  /** What the baseline after a run that is done has worse than the one before it, or could not read. */
  readonly worse?: readonly BaselineRow[];
}

/** How a run ended: what failed and why, what was not started, what is not restored yet, what to type next. */
export function endView(events: readonly Recorded[], options: EndViewOptions): string {
  const t = tally(events);
  const style = styleFor(options);
  const { ended } = t;
  const width = Math.max(MIN_WIDTH, options.width);
  const ways = options.ways ?? { where: '', backTo: [] };
  const state = foldAll(events.map((r) => r.event));
  if (ended === undefined) return interruptedView(events, t, state, { ...options, ways });
  if (ended.as === 'closed')
    return [
      `${style.green('✓')} ${ended.notRestored.length === 0 ? `Run closed. All ${options.leavesOpen === undefined ? '' : 'its own '}temporary changes are restored.` : 'Run closed.'}`,
      ...(ended.notRestored.length === 0
        ? []
        : [
            `Not restored, host unreachable: ${notRestored(ended.notRestored).join(' · ')}. The next run that makes the same temporary change restores it.`,
          ]),
      ...markerLines(ended, width),
      ...(options.now === undefined ? [] : stillStopped(state, options.now, options.leavesOpen).map(style.bold)),
      ...(options.leavesOpen === undefined ? [] : [style.bold(staysOpen(options.leavesOpen))]),
      ...(ways.playbook === undefined || packagesPut(events, t).size === 0 ? [] : nextForReleased(ways)),
    ].join('\n');
  const acted = hasActed(state);
  const next = !isUnfinished(state)
    ? []
    : acted
      ? nextAfterFailure(state, ways, { label: LABEL, width: options.width, ...outlookIn(options) })
      : nextForOpen(state, ways);
  const failures = [...failureViews(t, style), ...warningLines(events, style), ...leftTable(events, options, style)];
  if (ended.as === 'done')
    return [
      ...failures,
      doneLine(t, tookText(tookOf(events)), warningsOf(events).length, style),
      ...markerLines(ended, width),
      ...worseLines(options.worse ?? [], width, ways.where, style),
    ].join('\n');
  return [
    ...failures,
    ...(failures.length === 0 ? [] : ['']),
    ...causesOf(events, options, style),
    ...(options.folder === undefined ? [] : [style.dim(`journal and log: ${options.folder}`), '']),
    ...(ended.untouched.length === 0 || !acted ? [] : wrapParts(untouched(t, ended), width, 'Not started: ')),
    ...(ended.notRestored.length === 0
      ? []
      : wrapParts(notRestored(ended.notRestored), width, 'Temporary changes in effect: ')),
    stoppedLine(t, ended, acted ? tookText(tookOf(events)) : undefined, style),
    ...stopLines(ended.stop, acted, ways),
    ...(acted ? failureSummary(t, events, { ...options, below: next.length, style }) : []),
    ...next,
  ].join('\n');
}

/** An apply elsewhere takes the run for one that is not over. */
const markerLines = ({ markersOn = [] }: Ended, width: number): readonly string[] =>
  markersOn.length === 0
    ? []
    : wrap(
        `The marker of this run stays on ${nameHosts(markersOn)}, which did not answer at its end. The next run from this folder removes it; an apply from another folder refuses until --from-hosts.`.split(
          ' ',
        ),
        width,
        '',
      );

const outlookIn = ({ now }: EndViewOptions): { readonly outlook?: Outlook } =>
  now?.outlook === undefined ? {} : { outlook: now.outlook };

function causesOf(events: readonly Recorded[], { causes }: EndViewOptions, style: Style): readonly string[] {
  return causes === undefined || causes.length === 0 ? [] : [...causeLines(causes, hostsThatFailed(events), style), ''];
}

const doneLine = (t: Tally, took: string, warnings: number, style: Style): string =>
  `${style.green('✓')} ${printableLine(t.started?.playbook ?? '')}: done in ${[took, ...modelMark(t.started)].join(', ')}${warnings === 0 ? '' : `, with ${count(warnings, 'warning')}`}`;

const STOPPED: Readonly<Record<RunOutcome, string>> = {
  partial: 'Completed with failures',
  failed: 'Stopped',
  unreachable: 'Stopped',
  interrupted: 'Interrupted',
  refused: 'Refused',
  done: '',
  closed: '',
};

/** `took` is absent where nothing was changed. */
function stoppedLine(t: Tally, ended: Ended, took: string | undefined, style: Style): string {
  if (ended.as === 'refused') return style.bold('Refused. Nothing was changed.');
  const reason = ended.reason === undefined ? '.' : `: ${printableLine(ended.reason)}.`;
  const sum = took === undefined ? 'Nothing was changed.' : `${changedText(countsOf(t))} in ${took}.`;
  const is = outcomeOf(ended);
  const how = `${STOPPED[is]}${is === 'partial' ? ` (${missed(t)})` : ''}`;
  return `${style.bold(how)}${reason} ${sum}`;
}

/** `failed: 1, unreachable: 2`, in hosts. */
function missed(t: Tally): string {
  const failed = new Set(linesOf(t).flatMap((l) => (l.is === 'failed' || l.is === 'blocked' ? [l.host] : []))).size;
  const counts = [
    ['failed', failed],
    ['unreachable', t.lost.size],
  ] as const;
  return counts.flatMap(([what, n]) => (n === 0 ? [] : [`${what}: ${n}`])).join(', ');
}

const FAILURES: readonly Line['is'][] = ['failed', 'blocked', 'unread', 'unreachable'];

/** What went wrong, once for all hosts on which the same went wrong in the same way. */
function failureViews(t: Tally, style: Style): readonly string[] {
  const groups = new Map<string, { readonly line: Line; readonly hosts: string[] }>();
  for (const line of linesOf(t)) {
    if (!FAILURES.includes(line.is)) continue;
    const key = JSON.stringify([line.name, line.is, line.because, line.hint]);
    const group = groups.get(key) ?? { line, hosts: [] };
    group.hosts.push(line.host);
    groups.set(key, group);
  }
  const named = new Set([...groups.values()].flatMap((g) => (g.line.is === 'unreachable' ? g.hosts : [])));
  const lost = lostIn(t.lost).filter(({ host }) => !named.has(host));
  return [
    ...[...groups.values()].flatMap(({ line, hosts }) => failureView(line, hosts, style)),
    ...lostTogether(lost).flatMap(({ hosts, text, hint, leftOut }) => [
      `${style.red('✗')} ${style.bold(nameHosts(hosts))}  unreachable${leftOut ? ', left out' : ''}`,
      ...reasonLines(text, hint, style),
    ]),
  ];
}

const failureView = (line: Line, hosts: readonly string[], style: Style): readonly string[] => [
  `${style.red('✗')} ${style.bold(nameHosts(hosts))}  ${printableLine(line.name)}   ${style.dim(section(line.spec))}`.trimEnd(),
  ...reasonLines(line.because, line.hint, style),
];

const reasonLines = (reason: string, hint: Hint | undefined, style: Style): readonly string[] => [
  `  ${printable(reason).replaceAll('\n', '\n  ')}`,
  ...(hint === undefined ? [] : [`  ${style.cyan(printable(hintText(hint)).replaceAll('\n', '\n  '))}`]),
];
