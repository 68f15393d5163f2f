import { count } from '../lib/count.js';
import type { Recorded } from '../terms/event.js';
import type { ComponentNow, Outlook, StateNow } from '../terms/state-now.js';
import { wrap } from './columns.js';
import { isRollback } from './next-commands.js';
import { isDown, isInstalled, stops } from './stopped.js';
import { cut, nameHosts, printableLine } from './style.js';
import { clockText } from './window-lines.js';

export const LABEL = 10;
const FULL_WIDTH = 100;
const MOST = { now: 2, down: 2, wait: 2 } as const;

/** A label, and text beside it in at most so many lines; the last one is cut. */
export type Row = (label: string, text: string, most?: number) => readonly string[];

/** On a narrow terminal a text may have more lines: what is cut off cannot be read anywhere else. */
export const rowOf =
  (width: number): Row =>
  (label, text, lines = 1) => {
    const most = width < FULL_WIDTH ? lines + 2 : lines;
    const all = wrap(text.split(' '), width, label.padEnd(LABEL));
    const [last = '', ...over] = all.slice(most - 1);
    return all.length <= most
      ? all
      : [...all.slice(0, most - 1), cut([last, ...over.map((line) => line.trim())].join(' '), width)];
  };

const release = ({ installed }: ComponentNow): string => installed?.replace(/-[^-]*$/, '') ?? '';

/** Versions by host, what is down, and the platform's own words. */
export function nowLines(
  { components, status, wait, outlook }: StateNow,
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
    return `${name} on ${nameHosts(on.map((c) => c.host))}${sinceText(events, on)}`;
  });
  return [
    ...(versions.length === 0 ? [] : row('NOW', versions.join(' · '), MOST.now)),
    ...(downText.length === 0 ? [] : row('DOWN', downText.join(' · '), MOST.down)),
    ...(status === undefined ? [] : row('STATUS', printableLine(status))),
    ...waitRow([...wait.slice(0, 1), ...windowText(outlook)], row),
  ];
}

const waitRow = (texts: readonly string[], row: Row): readonly string[] =>
  texts.length === 0 ? [] : row('WAIT', printableLine(texts.join('; ')), MOST.wait);

/** Until when a rollback still ends inside the maintenance window. */
function windowText({ window, backOut }: Outlook = {}): readonly string[] {
  if (window === undefined || backOut === undefined || !isRollback(backOut)) return [];
  const latestMs = window.closesMs - backOut.takesMs;
  const at = clockText(latestMs, window.zone);
  return latestMs >= window.nowMs
    ? [`start a rollback by ${at} to end in the window`]
    : [`too late for a rollback in the window (latest start ${at})`];
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
export function sinceText(events: readonly Recorded[], down: readonly ComponentNow[]): string {
  const stopped = events.findLast(
    ({ event: e }) =>
      e.e === 'intent' &&
      down.some(({ host, unit }) => 'host' in e.task.on && e.task.on.host === host && stops(e.change.actions, unit)),
  );
  return stopped === undefined ? '' : ` since ${new Date(stopped.atMs).toISOString().slice(11, 16)} UTC`;
}
