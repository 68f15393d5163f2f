import type { HostState, PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import type { Change } from '../../engine/terms/change.js';
import { hintText } from '../../engine/terms/hint.js';
import type { Ran } from '../run/bench-hosts.js';

interface Acted {
  readonly name: string;
  readonly host: string;
  readonly change: Change;
}

/** What a run did on hosts and endpoints, in order. */
export const actsOf = ({ events }: Ran): readonly Acted[] =>
  events.flatMap((e) =>
    e.e === 'intent' ? [{ name: e.name, change: e.change, host: 'host' in e.task.on ? e.task.on.host : '' }] : [],
  );

/** The hosts that a step acted on, in order. */
export const actedOn = (ran: Ran, step: string): readonly string[] =>
  actsOf(ran).flatMap(({ name, host }) => (name === step ? [host] : []));

/** The names of all that it did. */
export const actedAtAll = (ran: Ran): readonly string[] => actsOf(ran).map(({ name }) => name);

/** How a run ended, with every step that did not go well: step, reason and hint. */
export const endOf = (ran: Ran): readonly string[] => [
  ran.end,
  ...ran.events.flatMap((e) =>
    e.e === 'settled' && e.as !== 'ok' && e.as !== 'done'
      ? [`${e.name}: ${e.reason ?? ''} | ${hintText(e.hint ?? '')}`]
      : [],
  ),
];

/** What it warned of, once each. */
export const warningsOf = ({ events }: Ran): readonly string[] => [
  ...new Set(events.flatMap((e) => (e.e === 'warned' ? [e.text] : []))),
];

export function hostOf(state: PlatformState, name: string): HostState {
  const host = state.hosts[name];
  if (host === undefined) throw new Error(`the model has no host ${name}`);
  return host;
}

/** Each package with the versions that it has anywhere. */
export function versionsOf(state: PlatformState): Readonly<Record<string, readonly string[]>> {
  const versions: Record<string, string[]> = {};
  for (const host of Object.values(state.hosts))
    for (const [name, { version }] of Object.entries(host.packages))
      versions[name] = [...new Set([...(versions[name] ?? []), version])].sort();
  return versions;
}

/** The alteration of one file on some hosts, as it was made before. */
export function edit(state: PlatformState, hosts: readonly string[], path: string, by: (text: string) => string): void {
  for (const name of hosts) {
    const file = hostOf(state, name).files[path];
    if (file === undefined) throw new Error(`${name} has no ${path}`);
    file.text = by(file.text);
  }
}
