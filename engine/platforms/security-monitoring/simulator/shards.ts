import type { ClusterState, CopyState, PlatformState, ShardState } from './state.js';
import { newerThan } from '../../../simulator/versions.js';

const PRIMARY_RECOVERY_MS = 5_000;
const REPLICA_RECOVERY_MS = 3_000;
/** A replica whose node left is not built anew elsewhere before that. */
const DELAYED_MS = 60_000;

export const shardsOf = (cluster: ClusterState): ShardState[] =>
  Object.values(cluster.indices).flatMap((i) => i.shards);

/** A started replica takes the place of a primary that is gone. */
export function promote(shard: ShardState): void {
  const primary = shard.copies.find((c) => c.primary);
  if (primary === undefined || primary.state === 'STARTED' || primary.host !== null) return;
  const replica = shard.copies.find((c) => c.state === 'STARTED');
  if (replica === undefined) return;
  primary.primary = false;
  replica.primary = true;
}

/** Moves all shards on by what may be allocated now. Gives the time at which to look again, or undefined. */
export function recover(state: PlatformState): number | undefined {
  const enable = state.cluster.transient[ENABLE] ?? state.cluster.persistent[ENABLE] ?? 'all';
  let again: number | undefined;
  const later = (atMs: number): void => {
    again = again === undefined ? atMs : Math.min(again, atMs);
  };
  if (state.cluster.elected === null) return undefined;
  for (const shard of shardsOf(state.cluster)) {
    for (const copy of shard.copies) finish(state, shard, copy, later);
    promote(shard);
    if (enable !== 'none' && enable !== 'new_primaries') givePrimary(state, shard, later);
    if (enable === 'all') for (const copy of shard.copies) giveReplica(state, shard, copy, later);
  }
  return again;
}

const ENABLE = 'cluster.routing.allocation.enable';
type Later = (atMs: number) => void;

function finish(state: PlatformState, shard: ShardState, copy: CopyState, later: Later): void {
  if (copy.state !== 'INITIALIZING' || copy.host === null) return;
  const doneMs = copy.sinceMs + (copy.primary ? PRIMARY_RECOVERY_MS : REPLICA_RECOVERY_MS);
  if (doneMs > state.nowMs) {
    later(doneMs);
    return;
  }
  copy.state = 'STARTED';
  if (!shard.inSync.includes(copy.host)) shard.inSync.push(copy.host);
}

/** A primary comes back only on a node whose copy misses no write: else the index stays red until such a node returns. */
function givePrimary(state: PlatformState, shard: ShardState, later: Later): void {
  const primary = shard.copies.find((c) => c.primary);
  if (primary?.state !== 'UNASSIGNED') return;
  const host = shard.inSync.find((h) => state.cluster.nodes[h]?.joined === true);
  if (host === undefined) return;
  Object.assign(primary, { host, state: 'INITIALIZING', sinceMs: state.nowMs });
  later(state.nowMs + PRIMARY_RECOVERY_MS);
}

function giveReplica(state: PlatformState, shard: ShardState, copy: CopyState, later: Later): void {
  const primary = shard.copies.find((c) => c.primary);
  if (copy.primary || copy.state !== 'UNASSIGNED' || primary?.state !== 'STARTED' || primary.host === null) return;
  const nodes = state.cluster.nodes;
  const taken = new Set(shard.copies.map((c) => c.host));
  // No replica goes to a node older than its primary's: it could not read what that writes.
  const engine = nodes[primary.host]?.version ?? '';
  const free = Object.keys(nodes).filter(
    (h) =>
      nodes[h]?.joined === true &&
      nodes[h].roles.includes('data') &&
      !taken.has(h) &&
      !newerThan(engine, nodes[h].version),
  );
  const returned = free.find((h) => shard.inSync.includes(h));
  const delayed = Object.values(nodes).some((n) => !n.joined) && state.nowMs - copy.sinceMs < DELAYED_MS;
  if (returned === undefined && delayed) {
    later(copy.sinceMs + DELAYED_MS);
    return;
  }
  const host = returned ?? free[0];
  if (host === undefined) return;
  Object.assign(copy, { host, state: 'INITIALIZING', sinceMs: state.nowMs });
  later(state.nowMs + REPLICA_RECOVERY_MS);
}
