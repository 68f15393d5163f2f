import { joinedHosts, setting } from './cluster.js';
import { aliasRoutes } from './indexer-aliases.js';
import { catRoutes } from './indexer-cat.js';
import { filterPath } from './filter-path.js';
import { error, noHandler, ok, serving, type IndexerAsk, type IndexerRoute } from './indexer-answer.js';
import { basicOf, textAnswer, type HttpAsk, type HttpResponse } from './management-answer.js';
import { mlRoutes } from './indexer-ml.js';
import { searchRoutes } from './indexer-search.js';
import { settingsRoutes } from './indexer-settings.js';
import { snapshotRoutes } from './indexer-snapshots.js';
import { storedRoutes } from './indexer-stored.js';
import { healthOf } from './health.js';
import { matchesPattern } from '../../../simulator/pattern.js';
import { position, strike } from '../../../simulator/faults.js';
import { shardsOf } from './shards.js';
import { allocate, elect } from './cluster.js';
import type { HostState, PlatformState } from './state.js';

/**
 * One request to the indexer on a host (§4.2, §5.3); effects are in the state. 503 as text until the security plugin is initialised
 * and the node has joined, 401 as text for wrong credentials, 400 `illegal_argument_exception` for a wrong value.
 */
export function handleIndexerRequest(state: PlatformState, host: HostState, request: HttpAsk): HttpResponse {
  const { cluster } = state;
  if (!cluster.securityInitialised || cluster.nodes[host.name]?.joined !== true)
    return textAnswer(503, 'OpenSearch Security not initialized.');
  const given = basicOf(request.headers);
  if (given?.user !== cluster.user || (cluster.password !== null && given.password !== cluster.password))
    return textAnswer(401, 'Unauthorized');
  const ask: IndexerAsk = { ...request, state, host, nodes: nodesSeen(state, host), params: [] };
  for (const route of ROUTES) {
    if (!route.methods.includes(request.method)) continue;
    const match = route.path.exec(request.path);
    if (match === null) continue;
    if (cluster.elected === null && route.needsElected !== false) {
      return error(503, 'cluster_manager_not_discovered_exception', 'null');
    }
    const answer = route.handle({
      ...ask,
      params: [...match].slice(1).map((p: string | undefined) => (p === undefined ? undefined : decodeURIComponent(p))),
    });
    const paths = ask.query['filter_path'];
    return paths === undefined ? answer : ok(filterPath(JSON.parse(answer.body), paths), answer.status);
  }
  if (request.path.startsWith('/_plugins/')) return noHandler(request);
  return error(
    405,
    'method_not_allowed',
    `Incorrect HTTP method for uri [${request.path}] and method [${request.method}]`,
  );
}

/** The nodes as this one sees them: one that formed a cluster of its own sees itself. */
const nodesSeen = (state: PlatformState, host: HostState): readonly string[] =>
  position(state, 'own-cluster', (f) => f.host === host.name) === undefined
    ? joinedHosts(state).filter((h) => position(state, 'own-cluster', (f) => f.host === h) === undefined)
    : [host.name];

const ROUTES: readonly IndexerRoute[] = [
  { methods: ['GET', 'HEAD'], path: /^\/$/, needsElected: false, handle: greeting },
  {
    methods: ['GET'],
    path: /^\/_cluster\/health(?:\/([^/]+))?$/,
    handle: ({ state, params: [pattern], nodes }) => {
      const chosen = Object.entries(state.cluster.indices).filter(
        ([name]) => pattern === undefined || matchesPattern(name, pattern),
      );
      const health = healthOf(
        state,
        pattern === undefined ? shardsOf(state.cluster) : chosen.flatMap(([, i]) => i.shards),
      );
      return ok({
        ...health,
        number_of_nodes: nodes.length,
        number_of_data_nodes: nodes.filter((h) => state.cluster.nodes[h]?.roles.includes('data')).length,
      });
    },
  },
  { methods: ['POST'], path: /^(?:\/([^/_][^/]*))?\/_flush$/, handle: flush },
  {
    methods: ['GET'],
    path: /^\/_cluster\/state(?:\/[^/]+)?$/,
    handle: ({ state, host, nodes }) => {
      const elected = nodes.length === 1 ? host.name : (state.cluster.elected ?? '');
      return ok({
        ...copiesOf(state, nodes),
        cluster_name: state.cluster.name,
        cluster_uuid: uuidSeen(state, host),
        master_node: idOf(elected),
        cluster_manager_node: idOf(elected),
      });
    },
  },
  {
    methods: ['POST', 'DELETE'],
    path: /^\/_cluster\/voting_config_exclusions$/,
    handle: ({ state, method, query }) => {
      state.cluster.excludedVoters = method === 'DELETE' ? [] : (query['node_names'] ?? '').split(',');
      elect(state);
      return textAnswer(200, '');
    },
  },
  { methods: ['GET'], path: /^\/_cluster\/allocation\/explain$/, handle: explain },
  { methods: ['GET'], path: /^(?:\/([^/_][^/]*))?\/_shard_stores$/, handle: shardStores },
  ...settingsRoutes,
  ...aliasRoutes,
  ...catRoutes,
  ...snapshotRoutes,
  ...storedRoutes,
  ...mlRoutes,
  ...searchRoutes,
];

/** Says 7.10.2, for the shipper's sake: never take the indexer's version from there. */
function greeting({ state, host }: IndexerAsk): HttpResponse {
  return ok({
    name: serving(state, host),
    cluster_name: state.cluster.name,
    cluster_uuid: uuidSeen(state, host),
    version: {
      number: '7.10.2',
      build_type: 'deb',
      minimum_wire_compatibility_version: '7.10.0',
      minimum_index_compatibility_version: '7.0.0',
    },
    tagline: 'The OpenSearch Project: https://opensearch.org/',
  });
}

/** Where the copies of each shard stand, and which of them miss no write. A copy is called by its host. */
function copiesOf(state: PlatformState, nodes: readonly string[]): Readonly<Record<string, unknown>> {
  const indices = Object.entries(state.cluster.indices);
  const byShard = <T>(shards: readonly T[], one: (shard: T) => unknown): unknown =>
    Object.fromEntries(shards.map((shard, number) => [String(number), one(shard)]));
  return {
    nodes: Object.fromEntries(nodes.map((host) => [idOf(host), { name: state.cluster.nodes[host]?.name ?? host }])),
    metadata: {
      indices: Object.fromEntries(
        indices.map(([name, { shards }]) => [name, { in_sync_allocations: byShard(shards, (s) => s.inSync) }]),
      ),
    },
    routing_table: {
      indices: Object.fromEntries(
        indices.map(([name, { shards }]) => [
          name,
          {
            shards: byShard(shards, ({ copies }) =>
              copies.map((c) => ({
                state: c.state,
                primary: c.primary,
                node: c.host === null ? null : idOf(c.host),
                ...(c.host === null ? {} : { allocation_id: { id: c.host } }),
              })),
            ),
          },
        ]),
      ),
    },
  };
}

function flush({ state, params: [pattern] }: IndexerAsk): HttpResponse {
  const chosen = Object.entries(state.cluster.indices).filter(
    ([name]) => pattern === undefined || matchesPattern(name, pattern),
  );
  const copies = chosen.flatMap(([, i]) => i.shards.flatMap((s) => s.copies));
  const failed = strike(state, 'flush-fails') === undefined ? 0 : 1;
  const successful = copies.filter((c) => c.state === 'STARTED').length - failed;
  return ok({ _shards: { total: copies.length, successful, failed } });
}

function explain({ state }: IndexerAsk): HttpResponse {
  allocate(state);
  const found = Object.entries(state.cluster.indices).flatMap(([index, i]) =>
    i.shards.flatMap((s, shard) =>
      s.copies.filter((c) => c.state === 'UNASSIGNED').map((c) => ({ index, shard, primary: c.primary })),
    ),
  )[0];
  if (found === undefined)
    return error(400, 'illegal_argument_exception', 'unable to find any unassigned shards to explain');
  const enable = setting(state, 'cluster.routing.allocation.enable') ?? 'all';
  return ok({
    ...found,
    current_state: 'unassigned',
    can_allocate: 'no',
    allocate_explanation: `cannot allocate because allocation is not permitted to any of the nodes (cluster.routing.allocation.enable=${enable})`,
  });
}

/** Copies on disk that miss no write, on nodes that are there: by default only of shards that are not whole, `status=all` of all. */
function shardStores({ state, params: [pattern], query }: IndexerAsk): HttpResponse {
  const all = query['status'] === 'all';
  const indices = Object.entries(state.cluster.indices).flatMap(([name, { shards }]) => {
    if (pattern !== undefined && !matchesPattern(name, pattern)) return [];
    const shown = shards.flatMap(({ copies, inSync }, number) => {
      if (!all && copies.every((c) => c.state === 'STARTED')) return [];
      const stores = inSync
        .filter((h) => state.cluster.nodes[h]?.joined === true)
        .map((h) => {
          const copy = copies.find((c) => c.host === h);
          return {
            [idOf(h)]: { name: state.cluster.nodes[h]?.name },
            allocation: copy === undefined ? 'unused' : copy.primary ? 'primary' : 'replica',
          };
        });
      return [[String(number), { stores }] as const];
    });
    return shown.length === 0 ? [] : [[name, { shards: Object.fromEntries(shown) }] as const];
  });
  return ok({ indices: Object.fromEntries(indices) });
}

const uuidSeen = (state: PlatformState, host: HostState): string =>
  position(state, 'own-cluster', (f) => f.host === host.name) === undefined ? state.cluster.uuid : `own-${host.name}`;

const idOf = (host: string): string => Buffer.from(`node ${host}`).toString('base64url');
