import type { Recorded } from '../../terms/event.js';
import type { Hint } from '../../terms/hint.js';
import type { StateNow } from '../../terms/state-now.js';
import { modelMark } from '../model-mark.js';
import { FULL_WIDTH, nowLines, rowOf, type Row } from './now-lines.js';
import { nameHosts } from '../../lib/name-hosts.js';
import { printableLine, section, type Terminal, type Style } from '../style.js';
import { linesOf, type Line, type Tally } from '../tally.js';

/** The last lines of a failure must fit a terminal, with what to type next; where they would not, there are fewer causes. */
const SCREEN_LINES = 15;
const HINT_LINES = 2;
const CAUSE_LINES = 3;

export interface FailureOptions extends Pick<Terminal, 'width'> {
  readonly now?: StateNow;
  /** What the diagnosis of the failed components found. */
  readonly causes?: readonly Recorded[];
  /** How many lines follow. */
  readonly below: number;
  readonly style: Style;
}

/** What failed and why, what runs now and what does not, in a few lines: what a tired operator must see without scrolling. */
export function failureSummary(
  t: Tally,
  events: readonly Recorded[],
  { now, causes = [], width, below, style }: FailureOptions,
): readonly string[] {
  const row = rowOf(width);
  const failed = linesOf(t).filter((l) => l.is === 'failed' || l.is === 'blocked' || l.is === 'unreachable');
  const [first] = failed;
  const end = [...(now === undefined ? [] : nowLines(now, events, row)), ...runRow(t, row)];
  // What must hold before a host is begun did not.
  if (first === undefined) return [...stoppedRow(t, row).map(style.red), ...end];
  const same = failed.filter((l) => l.name === first.name);
  const others = failed.length - same.length;
  const hosts = nameHosts(same.map((l) => l.host));
  const what = `${printableLine(first.name)} on ${hosts}`;
  const head = row(
    'FAILED',
    [what, section(first.spec), ...(others === 0 ? [] : [`(and ${others} more, above)`])].join('  ').trimEnd(),
  );
  const rest = [...hintRow(first.hint, hosts, row), ...end];
  const left = width < FULL_WIDTH ? CAUSE_LINES : SCREEN_LINES - head.length - rest.length - below;
  return [...head.map(style.red), ...causeRows(causesOf(first, causes), row, left), ...rest];
}

/** What to do, or what to read, and where. */
function hintRow(hint: Hint | undefined, hosts: string, row: Row): readonly string[] {
  if (hint === undefined) return [];
  return typeof hint === 'string'
    ? row('FIX', printableLine(hint), HINT_LINES)
    : row('LOOK', `on ${hosts}: ${printableLine(hint.look)}`, HINT_LINES);
}

/** What was applied: for the ticket, and for `runbook show`. */
const runRow = ({ started }: Tally, row: Row): readonly string[] =>
  started === undefined
    ? []
    : row('RUN', [started.run, `plan ${started.hash.slice(0, 8)}`, ...modelMark(started)].join(' · '));

const stoppedRow = ({ ended }: Tally, row: Row): readonly string[] =>
  ended?.as === 'failed' && ended.reason !== undefined ? row('FAILED', printableLine(ended.reason), 2) : [];

/** One to three lines: the first text may wrap where fewer are shown. */
function causeRows(texts: readonly string[], row: Row, left: number): readonly string[] {
  const most = Math.max(1, Math.min(CAUSE_LINES, left));
  const shown = texts.slice(0, most);
  return shown.flatMap((text, i) => row(i === 0 ? 'CAUSE' : '', text, i === 0 && shown.length < most ? 2 : 1));
}

/**
 * What the step itself reported, then what the diagnosis of its component found: the first line that a service that does not run has
 * logged, and the first other finding.
 */
function causesOf(failed: Line, causes: readonly Recorded[]): readonly string[] {
  const [reported = ''] = failed.because.split('\n');
  const found = causes.flatMap(({ event }) => (event.e === 'found' ? [event] : []));
  const logged = found.flatMap(({ tags = [], evidence }) => (tags.includes('running') ? evidence : []));
  const [seen = ''] = logged.flatMap((piece) => piece.split('\n')).filter((line) => !SYSTEMD.test(line));
  const named = found.find(({ tags = [] }) => !tags.includes('running'));
  return [reported, seen.replace(STAMP, ''), named?.text ?? '']
    .filter((text, i, all) => text !== '' && all.indexOf(text) === i)
    .map((text) => printableLine(text.trim()));
}

/** A journal's line begins with its time, host and process. */
const STAMP = /^\d{4}-\d\d-\d\dT\S+ \S+ [^:\s]+: /;
const SYSTEMD = / systemd\[\d+\]: /;
