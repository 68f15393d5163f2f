import { count } from '../../lib/count.js';
import { groupBy } from '../../lib/group-by.js';
import type { Recorded } from '../../terms/event.js';
import type { ComponentNow, StateNow } from '../../terms/state-now.js';
import { latestStarts, latestStartsText } from '../plan/latest-starts.js';
import type { ScreenRow } from './screen-rows.js';
import { isDown, isInstalled, stops } from './stopped.js';
import { nameHosts } from '../../lib/name-hosts.js';

const MOST = 2;

const release = ({ installed }: ComponentNow): string => installed?.replace(/-[^-]*$/, '') ?? '';

/** Which versions are active and which are down, by host, and the platform's own words. */
export function nowRows(
  { components, away, status, wait, outlook }: StateNow,
  events: readonly Recorded[],
): readonly ScreenRow[] {
  const isActive = (c: ComponentNow): boolean => isInstalled(c) && !isDown(c);
  const activeText = byName(components.filter(isActive)).map((all) => {
    const installed = components.filter((c) => isInstalled(c) && c.component === all[0].component);
    const of = installed.length === all.length ? '' : `${all.length} of `;
    return `${all[0].component} ${versionsOf(all, `${of}${count(installed.length, 'host')}`)}`;
  });
  const down = [
    ...(away.length === 0 ? [] : [`no answer from ${nameHosts(away)}`]),
    ...downParts(components.filter(isDown), events),
  ];
  return [
    ...row('ACTIVE', activeText.join(' · '), 1),
    ...row('DOWN', down.join(' · '), 5, 3),
    ...row('STATUS', status, 6),
    ...row('WAIT', wait[0], 4),
    ...row('WINDOW', latestStartsText(latestStarts(outlook))),
  ];
}

const row = (label: string, text = '', rank?: number, most = MOST): readonly ScreenRow[] =>
  text === '' ? [] : [{ label, text, most, ...(rank === undefined ? {} : { rank }) }];

/** `since 22:01 UTC: database 4.14.7 on db-2 · proxy 4.12.0 on web-1`; what the run did not stop comes first. */
function downParts(down: readonly ComponentNow[], events: readonly Recorded[]): readonly string[] {
  const parts = byName(down).map((all) => ({
    text: `${all[0].component} ${versionsOf(all, hostsOf(all))}`,
    since: sinceText(events, all).trim(),
  }));
  return groupBy(
    parts.toSorted((a, b) => a.since.localeCompare(b.since)),
    ({ since }) => since,
  ).map((same) => `${same[0].since === '' ? '' : `${same[0].since}: `}${same.map(({ text }) => text).join(' · ')}`);
}

const byName = (all: readonly ComponentNow[]) => groupBy(all, ({ component }) => component);

const hostsOf = (all: readonly ComponentNow[]): string => nameHosts(all.map(({ host }) => host));

/** `4.12.0 on` these hosts, in words where all have one version, else each version by its hosts: `4.14.7 on db-2 and 4.12.0 on db-1`. */
function versionsOf(all: readonly ComponentNow[], hosts: string): string {
  const versions = groupBy(all, release);
  return versions
    .map((same) => `${release(same[0])} on ${versions.length === 1 ? hosts : hostsOf(same)}`)
    .join(' and ');
}

/** Since this run stopped it; a service that failed by itself has no such time. */
export function sinceText(events: readonly Recorded[], down: readonly ComponentNow[]): string {
  const atMs = stoppedMs(events, down);
  return atMs === undefined ? '' : ` since ${timeOfDay(atMs)}`;
}

/** `22:01 UTC` */
export const timeOfDay = (ms: number): string => `${new Date(ms).toISOString().slice(11, 16)} UTC`;

/** When the run stopped one of these services last. */
export const stoppedMs = (events: readonly Recorded[], down: readonly ComponentNow[]): number | undefined =>
  events.findLast(
    ({ event: e }) =>
      e.e === 'intent' &&
      down.some(({ host, unit }) => 'host' in e.task.on && e.task.on.host === host && stops(e.change.actions, unit)),
  )?.atMs;
