import { equal, match, ok } from 'node:assert/strict';
import { textIn } from '../../engine/facts/pending-task.js';
import { contentOf } from '../../engine/modules/shared/text-file.js';
import { textAt } from '../../engine/simulator/files.js';
import type {
  HostState,
  PlatformState,
  ServiceEntry,
} from '../../engine/platforms/security-monitoring/simulator/state.js';
import type { Told } from './stage.js';

export { doesNotMatch, equal, match, ok } from 'node:assert/strict';

/** Of data alone: where a value was made, here or in a clone, is no difference. */
export function deepEqual(actual: unknown, expected: unknown): void {
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, each: unknown) => (each === undefined ? 'undefined' : each), 1);
  equal(text(actual), text(expected));
}

export function hostOf(state: PlatformState, name: string): HostState {
  const host = state.hosts[name];
  if (host === undefined) throw new Error(`the model has no host ${name}`);
  return host;
}

/** The text of a file; of a pending task what was recorded. */
export function textOf(state: PlatformState, host: string, path: string): string | undefined {
  const text = textAt(hostOf(state, host), path);
  const found = text === undefined ? undefined : textIn(path, contentOf(Buffer.from(text)));
  return found?.is === 'damaged' ? found.reason : found?.text;
}

export function unitOf(state: PlatformState, host: string, name: string): ServiceEntry {
  const unit = hostOf(state, host).services[name];
  if (unit === undefined) throw new Error(`${host} has no ${name}`);
  return unit;
}

export const modeOf = (state: PlatformState, host: string, path: string): string | undefined =>
  hostOf(state, host).files[path]?.mode;

export const hostsOf = (state: PlatformState, role: string): readonly HostState[] =>
  Object.values(state.hosts).filter((host) => host.roles.includes(role));

/** `platform-indexer on indexer-1`, of all hosts. */
export const unitsOf = (state: PlatformState): readonly (readonly [name: string, unit: ServiceEntry])[] =>
  Object.values(state.hosts).flatMap((host) =>
    Object.entries(host.services).map(([unit, entry]) => [`${unit} on ${host.name}`, entry] as const),
  );

/** Units that do not run. */
export const down = (state: PlatformState): readonly string[] =>
  unitsOf(state).flatMap(([name, { active }]) => (active === 'active' ? [] : [name]));

export const allocation = ({ cluster }: PlatformState): string | undefined =>
  cluster.persistent['cluster.routing.allocation.enable'];

/** The run came to its end, and took back all that was temporary. */
export function done(ran: Told): void {
  equal(ran.why, '');
  equal(ran.end, 'done');
  deepEqual(notRestored(ran), []);
  deepEqual(givenUp(ran), []);
}

/** Steps whose command was still at work at its time limit. */
const givenUp = ({ events }: Told): readonly string[] =>
  events.flatMap((e) =>
    e.e === 'effect' && e.outcome.is === 'unknown' && e.outcome.why === 'timeout' ? [e.task.step] : [],
  );

/** Steps whose temporary changes are not restored yet. */
export function notRestored({ events }: Told): readonly string[] {
  const end = events.at(-1);
  return end?.e === 'run-ended' ? [...new Set(end.notRestored.map(({ name }) => name))].sort() : [];
}

/** The plays that were announced as ones that cannot be taken back. */
export const pointsOfNoReturn = ({ events }: Told): readonly string[] =>
  events.flatMap((e) => (e.e === 'play-started' && e.pointOfNoReturn !== undefined ? [e.name] : []));

/** It refused, or failed, for this reason. */
export function stopped(ran: Told, why: RegExp): void {
  match(ran.end, /^(refused|failed)$/);
  match(ran.why, why);
}

/** It refused for this reason, and did nothing before. */
export function refused(ran: Told, why: RegExp): void {
  match(ran.why, why);
  equal(ran.end, 'refused');
  deepEqual(
    ran.acts.filter((act) => !/^\S*: ask /.test(act)),
    [],
  );
}

/** Acts that fit, in their order. */
export const actsLike = ({ acts }: Told, like: RegExp): readonly string[] => acts.filter((act) => like.test(act));

/** There is an act like each of these, and the first of each is after the last of the one before. */
export function inOrder({ acts }: Told, ...likes: readonly RegExp[]): void {
  let after = -1;
  for (const like of likes) {
    const first = acts.findIndex((act) => like.test(act));
    ok(first >= 0, `nothing was done like ${String(like)}`);
    ok(first > after, `${acts[first] ?? ''} was done before ${acts[after] ?? ''}`);
    after = acts.findLastIndex((act) => like.test(act));
  }
}
