import { count } from '../lib/count.js';
import type { Recorded } from '../terms/event.js';
import type { ComponentNow, StateNow } from '../terms/state-now.js';
import { wrap } from './columns.js';
import { isDown, isInstalled, stops } from './stopped.js';
import { cut, nameHosts, printableLine, section, type Paper, type Style } from './style.js';
import { linesOf, type Line, type Tally } from './tally.js';

/** The last lines of a failure must fit a terminal: 15 with what to type next. */
const MOST = { fix: 2, now: 2, down: 2, wait: 2 } as const;
export const LABEL = 10;

const release = ({ installed }: ComponentNow): string => installed?.replace(/-[^-]*$/, '') ?? '';

/** A label, and text beside it in at most so many lines; the last one is cut. */
type Row = (label: string, text: string, most?: number) => readonly string[];

export interface FailureOptions extends Pick<Paper, 'width'> {
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
    ...(first.hint === undefined ? [] : row('FIX', printableLine(first.hint), MOST.fix)),
    ...nowRows,
  ];
}

const stoppedRow = ({ ended }: Tally, row: Row): readonly string[] =>
  ended?.as === 'failed' && ended.reason !== undefined ? row('FAILED', printableLine(ended.reason), 2) : [];

export const rowOf =
  (width: number): Row =>
  (label, text, most = 1) => {
    const lines = wrap(text.split(' '), width, label.padEnd(LABEL));
    const [last = '', ...over] = lines.slice(most - 1);
    return lines.length <= most
      ? lines
      : [...lines.slice(0, most - 1), cut([last, ...over.map((line) => line.trim())].join(' '), width)];
  };

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

/** Versions by host, what is down, and the platform's own words. */
export function nowLines(
  { components, status, wait }: StateNow,
  events: readonly Recorded[],
  row: Row,
): readonly string[] {
  const installed = components.filter(isInstalled);
  const names = [...new Set(installed.map((c) => c.component))];
  const versions = names.map((name) =>
    versionsOf(
      name,
      installed.filter((c) => c.component === name),
    ),
  );
  const down = components.filter(isDown);
  const downNames = [...new Set(down.map((c) => c.component))];
  const downText = downNames.map((name) => {
    const on = down.filter((c) => c.component === name);
    return `${name} on ${nameHosts(on.map((c) => c.host))}${sinceOf(events, on)}`;
  });
  return [
    ...(versions.length === 0 ? [] : row('NOW', versions.join(' · '), MOST.now)),
    ...(downText.length === 0 ? [] : row('DOWN', downText.join(' · '), MOST.down)),
    ...(status === undefined ? [] : row('STATUS', printableLine(status))),
    ...wait.slice(0, 1).flatMap((text) => row('WAIT', printableLine(text), MOST.wait)),
  ];
}

/** `manager 4.12.0 on 2 hosts`, or where they differ: `indexer 4.14.7 on indexer-2 and 4.12.0 on indexer-1, indexer-3`. */
function versionsOf(name: string, components: readonly ComponentNow[]): string {
  const versions = [...new Set(components.map((c) => release(c)))];
  if (versions.length === 1) return `${name} ${versions[0] ?? ''} on ${count(components.length, 'host')}`;
  const each = versions.map(
    (version) => `${version} on ${nameHosts(components.filter((c) => release(c) === version).map((c) => c.host))}`,
  );
  return `${name} ${each.join(' and ')}`;
}

/** Since this run stopped it; a service that failed by itself has no such time. */
function sinceOf(events: readonly Recorded[], down: readonly ComponentNow[]): string {
  const stopped = events.findLast(
    ({ event: e }) =>
      e.e === 'intent' &&
      down.some(({ host, unit }) => 'host' in e.task.on && e.task.on.host === host && stops(e.change.actions, unit)),
  );
  return stopped === undefined ? '' : ` since ${new Date(stopped.atMs).toISOString().slice(11, 16)} UTC`;
}
