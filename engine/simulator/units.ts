import type { HostState } from './state.js';

/** Does the unit run, with its daemons? */
export function isUp(host: HostState, unit: string): boolean {
  const entry = host.services[unit];
  return entry?.active === 'active' && entry.processes > 0;
}

/** The name of a unit without `.service`. */
export const unitName = (unit: string): string => unit.replace(/\.service$/, '');
