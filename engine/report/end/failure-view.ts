import type { Recorded } from '../../terms/event.js';
import type { Hint } from '../../terms/hint.js';
import type { StateNow } from '../../terms/state-now.js';
import { defined } from '../../lib/defined.js';
import { modelMark } from '../model-mark.js';
import { nowRows, timeOfDay } from './now-lines.js';
import { layOut, type ScreenRow } from './screen-rows.js';
import { inOrder, nameHosts } from '../../lib/name-hosts.js';
import { section, type Terminal, type Style } from '../style.js';
import { taskKey } from '../../terms/task.js';
import { linesOf, type Line, type Tally } from '../tally.js';

/** The last lines of a failure fit a terminal of 80 columns and 24 lines, with what to type next. */
const SCREEN_LINES = 15;

export interface FailureOptions extends Pick<Terminal, 'width'> {
  readonly now?: StateNow;
  /** What the diagnosis of the failed components found. */
  readonly causes?: readonly Recorded[];
  /** How many lines follow. */
  readonly below: number;
  readonly style: Style;
}

/** The step that stopped a run, with what is known of its cause. */
export interface FirstFailure {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly spec?: string;
  readonly atMs?: number;
  /** Other steps that failed, each on one host. */
  readonly others: number;
  readonly causes: readonly string[];
  readonly hint?: Hint;
}

/** Undefined where no step failed. */
export function firstFailure(
  t: Tally,
  events: readonly Recorded[],
  causes: readonly Recorded[],
): FirstFailure | undefined {
  const failed = linesOf(t).filter((l) => l.is === 'failed' || l.is === 'blocked' || l.is === 'unreachable');
  const [first] = failed;
  if (first === undefined) return undefined;
  const same = failed.filter((l) => l.name === first.name);
  const { name, spec, hint } = first;
  return defined({
    ...{ name, spec, hint },
    hosts: inOrder(same.map((l) => l.host)),
    atMs: events.findLast(({ event: e }) => e.e === 'settled' && taskKey(e.task) === first.key)?.atMs,
    others: failed.length - same.length,
    causes: causesOf(first, causes),
  });
}

/** What failed and why, what runs now and what does not, in a few lines: what a tired operator must see without scrolling. */
export function failureSummary(
  t: Tally,
  events: readonly Recorded[],
  { now, causes = [], width, below, style }: FailureOptions,
): readonly string[] {
  const first = firstFailure(t, events, causes);
  const end = [...(now === undefined ? [] : nowRows(now, events)), ...runRow(t)];
  const room = SCREEN_LINES - below;
  // What must hold before a host is begun did not.
  if (first === undefined) return [...layOut(stoppedRow(t), width).map(style.red), ...layOut(end, width, room - 2)];
  const hosts = nameHosts(first.hosts);
  const more = first.others === 0 ? [] : [`(and ${first.others} more, above)`];
  const at = first.atMs === undefined ? [] : [`at ${timeOfDay(first.atMs)}`];
  const where = section(first.spec);
  const headOf = (time: readonly string[]): readonly string[] => {
    const text = [`${first.name} on ${hosts}`, ...(where === '' ? [] : [where]), ...time, ...more].join('  ');
    return layOut([{ label: 'FAILED', text, most: 2 }], width);
  };
  // No line more for it.
  const head = headOf(at).length > headOf([]).length ? headOf([]) : headOf(at);
  const rest = [...causeRows(first.causes), ...hintRow(first.hint, hosts), ...end];
  return [...head.map(style.red), ...layOut(rest, width, room - head.length)];
}

/** What to do, or what to read, and where. */
function hintRow(hint: Hint | undefined, hosts: string): readonly ScreenRow[] {
  if (hint === undefined) return [];
  const [label, text] = typeof hint === 'string' ? ['FIX', hint] : ['LOOK', `on ${hosts}: ${hint.look}`];
  return [{ label, text, most: 3, rank: 7 }];
}

/** What was applied: for the ticket, and for `runbook show`. */
const runRow = ({ started }: Tally): readonly ScreenRow[] =>
  started === undefined
    ? []
    : [
        {
          label: 'RUN',
          text: [started.run, `plan ${started.hash.slice(0, 8)}`, ...modelMark(started)].join(' · '),
          most: 1,
        },
      ];

const stoppedRow = ({ ended }: Tally): readonly ScreenRow[] =>
  ended?.as === 'failed' && ended.reason !== undefined ? [{ label: 'FAILED', text: ended.reason, most: 2 }] : [];

/** The first is always there; of the others as many as there is room for. */
const causeRows = (texts: readonly string[]): readonly ScreenRow[] =>
  texts.map((text, i) => ({
    label: i === 0 ? 'CAUSE' : '',
    text,
    most: i === 0 ? 2 : 1,
    rank: [3, 2, 0][i] ?? 0,
    optional: i > 0,
  }));

/**
 * What the diagnosis of the component found and what the step itself reported: first the line that a service that does not run has
 * logged, one that tells of an error before others, for the step knows only that it does not run; last the first other finding.
 */
function causesOf(failed: Line, causes: readonly Recorded[]): readonly string[] {
  const [reported = ''] = failed.because.split('\n');
  const found = causes.flatMap(({ event }) => (event.e === 'found' ? [event] : []));
  const logged = found.flatMap(({ tags = [], evidence }) => (tags.includes('running') ? evidence : []));
  const lines = logged.flatMap((piece) => piece.split('\n')).filter((line) => !SYSTEMD.test(line));
  const seen = lines.find((line) => FAULT.test(line)) ?? lines[0] ?? '';
  const named = found.find(({ tags = [] }) => !tags.includes('running'));
  return [seen.replace(STAMP, '').replace(TIME, ''), reported, named?.text ?? '']
    .filter((text, i, all) => text !== '' && all.indexOf(text) === i)
    .map((text) => text.trim());
}

/** A journal's line begins with its time, host and process. */
const STAMP = /^\d{4}-\d\d-\d\dT\S+ \S+ [^:\s]+: /;
/** So does a line of another log, or with its time alone. */
const TIME = /^\[?\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]+Z?\]? /;
const FAULT = /\b(?:error|fatal|critical|exception|unrecognized|unknown|invalid|cannot|could not|denied|no such)\b/i;
const SYSTEMD = / systemd\[\d+\]: /;
