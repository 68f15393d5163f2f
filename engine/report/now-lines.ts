import { count } from '../lib/count.js';
import type { Recorded } from '../terms/event.js';
import type { ComponentNow, StateNow } from '../terms/state-now.js';
import { wrap } from './columns.js';
import { isDown, isInstalled, stops } from './stopped.js';
import { cut, nameHosts, printableLine } from './style.js';

export const LABEL = 10;
const MOST = { now: 2, down: 2, wait: 2 } as const;

/** A label, and text beside it in at most so many lines; the last one is cut. */
export type Row = (label: string, text: string, most?: number) => readonly string[];

export const rowOf =
  (width: number): Row =>
  (label, text, most = 1) => {
    const lines = wrap(text.split(' '), width, label.padEnd(LABEL));
    const [last = '', ...over] = lines.slice(most - 1);
    return lines.length <= most
      ? lines
      : [...lines.slice(0, most - 1), cut([last, ...over.map((line) => line.trim())].join(' '), width)];
  };

const release = ({ installed }: ComponentNow): string => installed?.replace(/-[^-]*$/, '') ?? '';

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
    return `${name} on ${nameHosts(on.map((c) => c.host))}${sinceText(events, on)}`;
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
export function sinceText(events: readonly Recorded[], down: readonly ComponentNow[]): string {
  const stopped = events.findLast(
    ({ event: e }) =>
      e.e === 'intent' &&
      down.some(({ host, unit }) => 'host' in e.task.on && e.task.on.host === host && stops(e.change.actions, unit)),
  );
  return stopped === undefined ? '' : ` since ${new Date(stopped.atMs).toISOString().slice(11, 16)} UTC`;
}
