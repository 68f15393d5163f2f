import type { RunState } from '../../journal/state.js';
import type { Change, Touch } from '../../terms/change.js';
import { isObject } from '../../terms/json.js';
import type { ComponentNow, StateNow } from '../../terms/state-now.js';
import { predictedOn } from '../plan/predicted.js';
import { isDown, isInstalled } from './stopped.js';
import { nameHosts } from '../../lib/name-hosts.js';

/** Services that are down after the release, each with its hosts and how it is started. */
export function stoppedLines(state: RunState, now: StateNow, leavesOpen?: string): readonly string[] {
  const maybe = notCertain(state, now);
  return [
    ...stillStopped(state, now, leavesOpen),
    ...(maybe.length === 0 ? [] : [`MAY STAY STOPPED (its step did not finish): ${byComponent(maybe)}`]),
  ];
}

/** Those that are certain, also once the run is closed. While another run is open, nothing is started by hand. */
export function stillStopped(state: RunState, now: StateNow, leavesOpen?: string): readonly string[] {
  const stopped = staysStopped(state, now);
  if (stopped.length === 0) return [];
  const units = [...new Set(stopped.map(({ unit }) => unit))];
  const advice = `  A new apply or rollback finishes what was interrupted and starts it. By hand: ${units.map((unit) => `systemctl start ${unit}`).join(' · ')}`;
  return [`STAYS STOPPED: ${byComponent(stopped)}`, ...(leavesOpen === undefined ? [advice] : [])];
}

/** Of a rollback that is closed before its end: the run beneath it may keep services stopped. */
export const staysOpen = (run: string): string =>
  `The run ${run} stays open, with its own temporary changes. Next: runbook rollback or runbook close; start nothing by hand.`;

/** `database on db-2 · proxy on web-1, web-2`. */
const byComponent = (all: readonly ComponentNow[]): string =>
  [...new Set(all.map((c) => c.component))]
    .map((name) => `${name} on ${nameHosts(all.flatMap((c) => (c.component === name ? [c.host] : [])))}`)
    .join(' · ');

/** What a release does not start: services that are down and that no temporary change of the run starts again. */
export function staysStopped(state: RunState, { components }: StateNow): readonly ComponentNow[] {
  return components.filter((now) => isDown(now) && now.active !== 'activating' && !isRestored(state, now));
}

/** Services that may stop, or not come up: a step that concerns them was begun, and its end is not known. */
function notCertain(state: RunState, { components }: StateNow): readonly ComponentNow[] {
  return components.filter(
    (now) => isInstalled(now) && (now.active === 'activating' || (!isDown(now) && isUnderWay(state, now))),
  );
}

const isRestored = (state: RunState, { host, unit }: ComponentNow): boolean =>
  [...state.temporaryChanges.values()].some(
    ({ restoredBy: { args, on } }) =>
      'host' in on && on.host === host && isObject(args) && args['unit'] === unit && args['state'] === 'started',
  );

const isUnderWay = (state: RunState, now: ComponentNow): boolean =>
  [...state.tasks.values()].some(
    ({ open }) =>
      open?.failed === false &&
      (open.change.touches.some((touch) => isOfService(touch, now)) || installsAnother(open.change, now)),
  );

const isOfService = (touch: Touch, { host, unit }: ComponentNow): boolean =>
  'host' in touch.of &&
  touch.of.host === host &&
  ('everything' in touch || (touch.fact === 'service' && touch.key === unit));

/** The scripts of a package stop and start its service. */
const installsAnother = (change: Change, { host, name, installed }: ComponentNow): boolean =>
  predictedOn(change, 'package').some((p) => p.host === host && p.name === name && p.value['installed'] !== installed);
