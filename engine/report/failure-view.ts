import type { Recorded } from '../terms/event.js';
import type { StateNow } from '../terms/state-now.js';
import { nowLines, rowOf, type Row } from './now-lines.js';
import { nameHosts, printableLine, section, type Terminal, type Style } from './style.js';
import { linesOf, type Line, type Tally } from './tally.js';

/** The last lines of a failure must fit a terminal: 15 with what to type next. */
const FIX_LINES = 2;

export interface FailureOptions extends Pick<Terminal, 'width'> {
  readonly now?: StateNow;
  /** What the diagnosis of the failed components found. */
  readonly causes?: readonly Recorded[];
  readonly style: Style;
}

/** What failed and why, what runs now and what does not, in a few lines: what a tired operator must see without scrolling. */
export function failureSummary(
  t: Tally,
  events: readonly Recorded[],
  { now, causes = [], width, style }: FailureOptions,
): readonly string[] {
  const row = rowOf(width);
  const failed = linesOf(t).filter((l) => l.is === 'failed' || l.is === 'blocked' || l.is === 'unreachable');
  const [first] = failed;
  const nowRows = now === undefined ? [] : nowLines(now, events, row);
  // What must hold before a host is begun did not.
  if (first === undefined) return [...stoppedRow(t, row).map(style.red), ...nowRows];
  const same = failed.filter((l) => l.name === first.name);
  const others = failed.length - same.length;
  const what = `${printableLine(first.name)} on ${nameHosts(same.map((l) => l.host))}`;
  return [
    ...row(
      'FAILED',
      [what, section(first.spec), ...(others === 0 ? [] : [`(and ${others} more, above)`])].join('  ').trimEnd(),
    ).map(style.red),
    ...causeRows(causesOf(first, causes), row),
    ...(first.hint === undefined ? [] : row('FIX', printableLine(first.hint), FIX_LINES)),
    ...nowRows,
  ];
}

const stoppedRow = ({ ended }: Tally, row: Row): readonly string[] =>
  ended?.as === 'failed' && ended.reason !== undefined ? row('FAILED', printableLine(ended.reason), 2) : [];

/** At most three lines: the first text may wrap where fewer than three are shown. */
const causeRows = (texts: readonly string[], row: Row): readonly string[] =>
  texts.flatMap((text, i) => row(i === 0 ? 'CAUSE' : '', text, i === 0 && texts.length < 3 ? 2 : 1));

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
