import { promote, recover, shardsOf } from './shards.js';
import { schedule } from '../../../simulator/timers.js';
import { engineOf, versionNumber } from './packages/release.js';
import type { HostState, PlatformState } from './state.js';
import { isUp } from '../../../simulator/units.js';
import { newerThan } from '../../../simulator/versions.js';

/** A node that was started is in the list now, unless it was stopped meanwhile. */
export function nodeJoins(state: PlatformState, hostName: string, starts: number): void {
  const host = state.hosts[hostName];
  const node = state.cluster.nodes[hostName];
  const service = host?.services[state.names.indexer.service];
  if (
    host === undefined ||
    node === undefined ||
    service?.starts !== starts ||
    !isUp(host, state.names.indexer.service)
  )
    return;
  const engine = engineOf(service.runs);
  if (keptOut(state, engine)) {
    schedule(state, { atMs: state.nowMs + REJOIN_MS, due: 'node', host: hostName, starts });
    return;
  }
  node.joined = true;
  node.version = engine;
  if (node.dataVersion === null || newerThan(node.version, node.dataVersion)) node.dataVersion = node.version;
  elect(state);
  // Its shards start a moment after it is listed.
  schedule(state, { atMs: state.nowMs + 1_500, due: 'allocate' });
}

/** An index that a cluster all newer made cannot be read by an older node: it is not let in, and tries again. */
const keptOut = (state: PlatformState, engine: string): boolean =>
  joinedHosts(state).length > 0 &&
  Object.values(state.cluster.indices).some((i) => Number(i.createdVersion) > Number(versionNumber(engine)));

const REJOIN_MS = 5_000;

/** A node is gone: its shards with it, and the election when it was the one. */
export function nodeLeaves(state: PlatformState, hostName: string): void {
  const node = state.cluster.nodes[hostName];
  if (node?.joined !== true) return;
  node.joined = false;
  for (const shard of shardsOf(state.cluster)) {
    for (const copy of shard.copies) {
      if (copy.host === hostName) Object.assign(copy, { host: null, state: 'UNASSIGNED', sinceMs: state.nowMs });
    }
    promote(shard);
  }
  elect(state);
  allocate(state);
}

/** Starts what can be started by now, and comes back while something is under way. */
export function allocate(state: PlatformState): void {
  const again = recover(state);
  if (again !== undefined && !state.timers.some((t) => t.due === 'allocate' && t.atMs <= again)) {
    schedule(state, { atMs: again, due: 'allocate' });
  }
}

/** Keeps the elected node while it is there; otherwise the first that may vote, if a majority is there at all. */
export function elect(state: PlatformState): void {
  const { cluster } = state;
  const isEligible = (host: string): boolean => cluster.nodes[host]?.roles.includes('cluster_manager') === true;
  const joined = joinedHosts(state).filter(isEligible);
  const total = Object.keys(cluster.nodes).filter(isEligible).length;
  const majority = total <= 2 ? 1 : Math.floor(total / 2) + 1;
  if (joined.length < majority) {
    cluster.elected = null;
    return;
  }
  const stays =
    cluster.elected !== null && joined.includes(cluster.elected) && !cluster.excludedVoters.includes(cluster.elected);
  if (!stays) cluster.elected = joined.find((h) => !cluster.excludedVoters.includes(h)) ?? joined[0] ?? null;
}

/** Nodes in the list, in the order of the inventory. */
export const joinedHosts = (state: PlatformState): string[] =>
  Object.entries(state.cluster.nodes)
    .filter(([, node]) => node.joined)
    .map(([host]) => host);

/** Those that hold shards. */
export const dataHosts = (state: PlatformState): string[] =>
  joinedHosts(state).filter((h) => state.cluster.nodes[h]?.roles.includes('data') === true);

/** The oldest engine among the nodes that are there: what a new index is made for. */
export function oldestEngine(state: PlatformState): string {
  const versions = joinedHosts(state).map((h) => state.cluster.nodes[h]?.version ?? '');
  return versions.reduce((a, b) => (newerThan(a, b) ? b : a), versions[0] ?? '');
}

/** A setting as it counts: a transient value overrides a persistent one. */
export const setting = (state: PlatformState, key: string): string | undefined =>
  state.cluster.transient[key] ?? state.cluster.persistent[key];

/** Does this host's node answer with data, not with 503? */
export const serves = (state: PlatformState, host: HostState): boolean =>
  state.cluster.securityInitialised &&
  state.cluster.nodes[host.name]?.joined === true &&
  state.cluster.elected !== null;
