import { position, strike } from '../../../simulator/faults.js';
import { bodyOf, error, isRecord, ok, type IndexerAsk, type IndexerRoute } from './indexer-answer.js';
import type { HttpResponse } from './management-answer.js';
import type { PlatformState, RepositoryState, SnapshotState } from './state.js';

/** Snapshots (§9.3.1): repositories registered and verified, snapshots made, asked for and told while they run. */
export const snapshotRoutes: readonly IndexerRoute[] = [
  { methods: ['GET'], path: /^\/_snapshot\/_status$/, handle: running },
  { methods: ['GET'], path: /^\/_snapshot(?:\/([^/]+))?$/, handle: repositories },
  { methods: ['PUT', 'POST'], path: /^\/_snapshot\/([^/]+)$/, handle: register },
  { methods: ['DELETE'], path: /^\/_snapshot\/([^/]+)$/, handle: unregister },
  { methods: ['GET'], path: /^\/_snapshot\/([^/]+)\/([^/]+)$/, handle: snapshots },
  { methods: ['PUT', 'POST'], path: /^\/_snapshot\/([^/]+)\/([^/]+)$/, handle: create },
  {
    methods: ['GET'],
    path: /^\/_plugins\/_ism\/policies$/,
    handle: ({ state }) =>
      ok({
        policies: state.cluster.policies.map((id) => ({ _id: id })),
        total_policies: state.cluster.policies.length,
      }),
  },
];

const missing = (name: string): HttpResponse => error(404, 'repository_missing_exception', `[${name}] missing`);

function repositories({ state, params: [name] }: IndexerAsk): HttpResponse {
  const all = Object.entries(state.cluster.repositories).filter(
    ([n]) => name === undefined || name === '_all' || n === name,
  );
  if (all.length === 0 && name !== undefined && name !== '_all') return missing(name);
  return ok(Object.fromEntries(all.map(([n, { type, location }]) => [n, { type, settings: { location } }])));
}

/** Registering verifies: every node writes a file to the place. */
function register(ask: IndexerAsk): HttpResponse {
  const { state, params } = ask;
  const name = params[0] ?? '';
  const body = bodyOf(ask);
  const settings = isRecord(body) && isRecord(body['settings']) ? body['settings'] : {};
  const location = typeof settings['location'] === 'string' ? settings['location'] : '';
  if (!isRecord(body) || body['type'] !== 'fs' || location === '')
    return error(500, 'repository_exception', `[${name}] missing location`);
  if (position(state, 'repository-denied') !== undefined)
    return error(
      500,
      'repository_verification_exception',
      `[${name}] path is not accessible on cluster-manager node: java.nio.file.AccessDeniedException: ${location}/tests-x`,
    );
  state.cluster.repositories[name] = {
    type: 'fs',
    location,
    snapshots: state.cluster.repositories[name]?.snapshots ?? [],
  };
  return ok({ acknowledged: true });
}

function unregister({ state, params: [name = ''] }: IndexerAsk): HttpResponse {
  if (state.cluster.repositories[name] === undefined) return missing(name);
  Reflect.deleteProperty(state.cluster.repositories, name);
  return ok({ acknowledged: true });
}

function snapshots({ state, params: [name = '', which = ''] }: IndexerAsk): HttpResponse {
  const repository = state.cluster.repositories[name];
  if (repository === undefined) return missing(name);
  const found = repository.snapshots.filter((s) => which === '_all' || s.name === which);
  if (found.length === 0 && which !== '_all')
    return error(404, 'snapshot_missing_exception', `[${name}:${which}] is missing`);
  return ok({ snapshots: found.map((s) => snapshotAnswer(state, s)) });
}

const isRunning = (state: PlatformState, { endMs }: SnapshotState): boolean => endMs > state.nowMs;

function snapshotAnswer(state: PlatformState, s: SnapshotState): unknown {
  const runs = isRunning(state, s);
  return {
    snapshot: s.name,
    state: runs ? 'IN_PROGRESS' : s.failedShards > 0 ? 'PARTIAL' : 'SUCCESS',
    include_global_state: true,
    indices: s.indices,
    start_time_in_millis: s.startMs,
    end_time_in_millis: runs ? 0 : s.endMs,
    failures:
      runs || s.failedShards === 0
        ? []
        : [{ index: s.indices[0], shard_id: 0, reason: 'IOException[No space left on device]' }],
    shards: { total: s.shards, failed: runs ? 0 : s.failedShards, successful: runs ? 0 : s.shards - s.failedShards },
  };
}

const SNAPSHOT_MS = 20_000;

function create({ state, params: [name = '', snapshot = ''] }: IndexerAsk): HttpResponse {
  const repository: RepositoryState | undefined = state.cluster.repositories[name];
  if (repository === undefined) return missing(name);
  if (repository.snapshots.some((s) => s.name === snapshot))
    return error(
      400,
      'invalid_snapshot_name_exception',
      `[${name}:${snapshot}] Invalid snapshot name [${snapshot}], snapshot with the same name already exists`,
    );
  if (position(state, 'repository-denied') !== undefined)
    return error(
      500,
      'repository_exception',
      `[${name}] cannot create blob store: java.nio.file.AccessDeniedException: ${repository.location}`,
    );
  const indices = Object.keys(state.cluster.indices);
  const shards = Object.values(state.cluster.indices).reduce((sum, i) => sum + i.shards.length, 0);
  const failedShards = strike(state, 'snapshot-partial') === undefined ? 0 : 1;
  repository.snapshots.push({
    name: snapshot,
    indices,
    shards,
    failedShards,
    startMs: state.nowMs,
    endMs: state.nowMs + SNAPSHOT_MS,
  });
  return ok({ accepted: true });
}

function running({ state }: IndexerAsk): HttpResponse {
  const all = Object.entries(state.cluster.repositories).flatMap(([repository, r]) =>
    r.snapshots.filter((s) => isRunning(state, s)).map((s) => ({ snapshot: s.name, repository, state: 'STARTED' })),
  );
  return ok({ snapshots: all });
}
