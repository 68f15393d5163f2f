import type { HostState, PlatformState } from './state.js';

/** Does the unit run, with its daemons? */
export function isUp(host: HostState, unit: string): boolean {
  const entry = host.services[unit];
  return entry?.active === 'active' && entry.processes > 0;
}

/** The name of a unit without `.service`. */
export const unitName = (unit: string): string => unit.replace(/\.service$/, '');

/** The package that brings a unit of the platform; empty for another. */
export function unitPackage(state: PlatformState, unit: string): string {
  const { indexer, manager, shipper, dashboard, agent } = state.names;
  return [indexer, manager, shipper, dashboard, agent].find((n) => n.service === unit)?.package ?? '';
}
