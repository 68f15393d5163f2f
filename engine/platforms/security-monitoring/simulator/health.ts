import { dataHosts, joinedHosts } from './cluster.js';
import { shardsOf } from './shards.js';
import type { PlatformState, ShardState } from './state.js';

export interface Health {
  readonly cluster_name: string;
  readonly status: 'green' | 'yellow' | 'red';
  readonly timed_out: boolean;
  readonly number_of_nodes: number;
  readonly number_of_data_nodes: number;
  readonly discovered_master: boolean;
  readonly discovered_cluster_manager: boolean;
  readonly active_primary_shards: number;
  readonly active_shards: number;
  readonly relocating_shards: number;
  readonly initializing_shards: number;
  readonly unassigned_shards: number;
  readonly delayed_unassigned_shards: number;
  readonly number_of_pending_tasks: number;
  readonly number_of_in_flight_fetch: number;
  readonly task_max_waiting_in_queue_millis: number;
  readonly active_shards_percent_as_number: number;
}

/** Cluster health as the shards have it, of some indices or of all (§2.4). */
export function healthOf(state: PlatformState, shards: readonly ShardState[] = shardsOf(state.cluster)): Health {
  const copies = shards.flatMap((s) => s.copies);
  const count = (wanted: string): number => copies.filter((c) => c.state === wanted).length;
  const activePrimaries = copies.filter((c) => c.primary && c.state === 'STARTED').length;
  const active = count('STARTED');
  const away = Object.values(state.cluster.nodes).some((n) => !n.joined);
  const delayed = away
    ? copies.filter((c) => !c.primary && c.state === 'UNASSIGNED' && state.nowMs - c.sinceMs < 60_000).length
    : 0;
  return {
    cluster_name: state.cluster.name,
    status: activePrimaries < shards.length ? 'red' : active < copies.length ? 'yellow' : 'green',
    timed_out: false,
    number_of_nodes: joinedHosts(state).length,
    number_of_data_nodes: dataHosts(state).length,
    discovered_master: true,
    discovered_cluster_manager: true,
    active_primary_shards: activePrimaries,
    active_shards: active,
    relocating_shards: 0,
    initializing_shards: count('INITIALIZING'),
    unassigned_shards: count('UNASSIGNED'),
    delayed_unassigned_shards: delayed,
    number_of_pending_tasks: 0,
    number_of_in_flight_fetch: 0,
    task_max_waiting_in_queue_millis: 0,
    active_shards_percent_as_number: copies.length === 0 ? 100 : (active / copies.length) * 100,
  };
}
