import { install, newHost, newState } from '../../../../engine/simulator/create.js';
import type { Fault, SimulatedState } from '../../../../engine/simulator/state.js';
import type { Inventory } from '../../../../engine/terms/inventory.js';
import { packageOf } from './rules.js';

/** Three nodes that replicate, and the balancer before them. */
export interface PostgresState extends SimulatedState {
  primary: string;
  readonly balancer: Record<string, { mode: 'ready' | 'drain'; sessions: number }>;
  /** What went wrong for clients: sessions that were cut, and a primary that was lost instead of moved. */
  readonly harm: string[];
}

export const PACKAGE = 'postgresql-15';
export const UNIT = 'postgresql@15-main';

/** All at one version, the first of the inventory the primary, so that "last" cannot be met by chance. */
export function createPostgres(
  { hosts, platform }: Inventory,
  from: string,
  faults: readonly Fault[] = [],
): PostgresState {
  const all: PostgresState = {
    ...newState(),
    faults,
    repository: { [PACKAGE]: [`${platform['target'] as string}-1`, `${from}-1`] },
    primary: hosts[0]?.name ?? '',
    balancer: Object.fromEntries(hosts.map(({ name }) => [name, { mode: 'ready' as const, sessions: 12 }])),
    harm: [],
  };
  const state = { ...all, hosts: Object.fromEntries(hosts.map((host) => [host.name, newHost(all, host)])) };
  for (const host of Object.values(state.hosts)) install({ state, rules: { packageOf } }, host, PACKAGE, `${from}-1`);
  return state;
}
