import type { Recorded } from '../terms/event.js';
import type { ComponentNow, StateNow } from '../terms/state-now.js';
import { isDown, isInstalled, stops } from './stopped.js';
import { cut, nameHosts, printableLine, section, type Paper, type Style } from './style.js';
import { linesOf, type Line, type Tally } from './tally.js';

/** The last lines of a failure must fit a terminal: 15 with what to type next. */
const MOST_COMPONENTS = 4;
const MOST_WAIT = 2;
const LABEL = 9;

const release = ({ installed }: ComponentNow): string => installed?.replace(/-[^-]*$/, '') ?? '';

/** What failed and why, what runs now and what does not, in a few lines: what a tired operator must see without scrolling. */
export function failureSummary(
  t: Tally,
  events: readonly Recorded[],
  {
    now,
    causes = [],
    width,
    style,
  }: { now?: StateNow; causes?: readonly Recorded[]; style: Style } & Pick<Paper, 'width'>,
): readonly string[] {
  const line = lineOf(width);
  const failed = linesOf(t).filter((l) => l.is === 'failed' || l.is === 'blocked' || l.is === 'unreachable');
  const [first] = failed;
  if (first === undefined) return [];
  const same = failed.filter((l) => l.name === first.name);
  const others = failed.length - same.length;
  const what = `${printableLine(first.name)} on ${nameHosts(same.map((l) => l.host))}`;
  return [
    style.red(line('FAILED', `${what}  ${section(first.spec)}${others === 0 ? '' : `  (and ${others} more, above)`}`)),
    line('CAUSE', causeOf(first, causes, now?.components ?? [])),
    ...(now === undefined ? [] : nowLines(now, events, line)),
  ];
}

/** `STATUS    green`, cut at the width. */
export const lineOf =
  (width: number) =>
  (label: string, text: string): string =>
    `${label.padEnd(LABEL)} ${cut(text, width - LABEL - 1)}`.trimEnd();

/** A known failure (§7) where the diagnosis found one that concerns this step; a service that the run itself stopped is none. */
function causeOf(failed: Line, causes: readonly Recorded[], components: readonly ComponentNow[]): string {
  const down = components.filter((c) => isDown(c) && !failed.because.includes(c.unit));
  const found = causes.flatMap(({ event }) => (event.e === 'found' ? [event.text] : []));
  const concerning = found.find((text) => !down.some((c) => text.includes(c.unit)));
  const [said = ''] = failed.because.split('\n');
  return printableLine(concerning === undefined ? said : `${concerning} (${said})`);
}

/** Versions by host, what is down, and the platform's own words. */
export function nowLines(
  { components, status, wait }: StateNow,
  events: readonly Recorded[],
  line: (label: string, text: string) => string,
): readonly string[] {
  const names = [...new Set(components.filter(isInstalled).map((c) => c.component))];
  const versions = names.map(
    (name) => `${name} ${versionsOf(components.filter((c) => isInstalled(c) && c.component === name))}`,
  );
  const down = components.filter(isDown);
  const downNames = [...new Set(down.map((c) => c.component))];
  return [
    ...versions
      .slice(0, MOST_COMPONENTS)
      .map((text, i) =>
        line(
          i === 0 ? 'NOW' : '',
          i === MOST_COMPONENTS - 1 && versions.length > MOST_COMPONENTS ? `${text} · …` : text,
        ),
      ),
    ...(downNames.length === 0
      ? []
      : [
          line(
            'DOWN',
            downNames
              .map((name) => {
                const on = down.filter((c) => c.component === name);
                return `${name} on ${nameHosts(on.map((c) => c.host))}${sinceOf(events, on)}`;
              })
              .join(' · '),
          ),
        ]),
    ...(status === undefined ? [] : [line('STATUS', printableLine(status))]),
    ...wait.slice(0, MOST_WAIT).map((text, i) => line(i === 0 ? 'WAIT' : '', printableLine(text))),
  ];
}

/** `4.14.7: indexer-2 · 4.12.0: indexer-1, indexer-3`. */
function versionsOf(components: readonly ComponentNow[]): string {
  const versions = [...new Set(components.map((c) => release(c)))];
  return versions
    .map((version) => `${version}: ${nameHosts(components.filter((c) => release(c) === version).map((c) => c.host))}`)
    .join(' · ');
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
