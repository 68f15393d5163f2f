import { bodyOf, error, ok, serving, type IndexerAsk, type IndexerRoute } from './indexer-answer.js';
import { jsonAnswer, type HttpResponse } from './management-answer.js';
import type { IndexState } from './state.js';
import { matchesPattern } from '../../../simulator/pattern.js';

/** What the shipper's `setup` leaves behind: legacy templates and ingest pipelines, to be found and not believed. */
export const storedRoutes: readonly IndexerRoute[] = [
  { methods: ['GET'], path: /^\/_template(?:\/([^/]+))?$/, handle: (ask) => get(ask, ask.state.cluster.templates) },
  { methods: ['PUT', 'POST'], path: /^\/_template\/([^/]+)$/, handle: (ask) => put(ask, ask.state.cluster.templates) },
  { methods: ['DELETE'], path: /^\/_template\/([^/]+)$/, handle: (ask) => remove(ask, ask.state.cluster.templates) },
  {
    methods: ['GET'],
    path: /^\/_ingest\/pipeline(?:\/([^/]+))?$/,
    handle: (ask) => get(ask, ask.state.cluster.pipelines),
  },
  { methods: ['PUT'], path: /^\/_ingest\/pipeline\/([^/]+)$/, handle: (ask) => put(ask, ask.state.cluster.pipelines) },
  {
    methods: ['DELETE'],
    path: /^\/_ingest\/pipeline\/([^/]+)$/,
    handle: (ask) => remove(ask, ask.state.cluster.pipelines),
  },
  { methods: ['GET'], path: /^\/_plugins\/_security\/api\/tenants$/, handle: tenants },
  { methods: ['GET'], path: /^\/_plugins\/_security\/authinfo$/, handle: authInfo },
  { methods: ['GET'], path: /^\/_nodes(?:\/([^/]+))?$/, handle: nodes },
  { methods: ['GET'], path: /^(?:\/([^/_][^/]*))?\/_settings$/, handle: indexSettings },
  { methods: ['GET'], path: /^\/_stats\/docs$/, handle: shardStats },
];

/** Who asks, and the roles of that user. */
function authInfo({ state: { cluster } }: IndexerAsk): HttpResponse {
  return ok({ user_name: cluster.user, backend_roles: [], roles: cluster.roles });
}

/** What the security plug-in lists (§9.3.5), to those who may administer it. */
function tenants({ state }: IndexerAsk): HttpResponse {
  const names = state.cluster.tenants;
  if (names === null)
    return jsonAnswer(403, {
      status: 'FORBIDDEN',
      message: 'No permission to access REST API: no role is enabled for it',
    });
  const entry = (name: string): unknown => ({
    reserved: name === 'global_tenant',
    hidden: false,
    description: name === 'global_tenant' ? 'Global tenant' : '',
    static: name === 'global_tenant',
  });
  return ok(Object.fromEntries(names.map((name) => [name, entry(name)])));
}

function get(ask: IndexerAsk, from: Readonly<Record<string, string>>): HttpResponse {
  const found = Object.entries(from).filter(
    ([name]) => ask.params[0] === undefined || matchesPattern(name, ask.params[0]),
  );
  if (found.length === 0 && ask.params[0]?.includes('*') === false) return jsonAnswer(404, {});
  return ok(Object.fromEntries(found.map(([name, text]) => [name, JSON.parse(text) as unknown])));
}

function put(ask: IndexerAsk, into: Record<string, string>): HttpResponse {
  const body = bodyOf(ask);
  if (body === undefined) return error(400, 'parse_exception', 'Failed to parse content to map');
  into[ask.params[0] ?? ''] = JSON.stringify(body);
  return ok({ acknowledged: true });
}

function remove(ask: IndexerAsk, from: Record<string, string>): HttpResponse {
  const name = ask.params[0] ?? '';
  if (!(name in from)) return error(404, 'resource_not_found_exception', `[${name}] missing`);
  Reflect.deleteProperty(from, name);
  return ok({ acknowledged: true });
}

function nodes({ state, nodes: seen, params: [only] }: IndexerAsk): HttpResponse {
  const chosen = seen.filter(
    (h) =>
      (only === 'cluster_manager:true' && state.cluster.nodes[h]?.roles.includes('cluster_manager') === true) ||
      only === undefined ||
      only === '_all' ||
      only === 'settings' ||
      only === state.cluster.nodes[h]?.name,
  );
  const shown = chosen.map((h) => {
    const host = state.hosts[h];
    const node = state.cluster.nodes[h];
    return [
      Buffer.from(`node ${h}`).toString('base64url'),
      {
        name: host === undefined ? h : serving(state, host),
        ip: host?.address,
        host: host?.address,
        version: node?.version,
        roles: node?.roles,
      },
    ] as const;
  });
  return ok({
    _nodes: { total: shown.length, successful: shown.length, failed: 0 },
    cluster_name: state.cluster.name,
    nodes: Object.fromEntries(shown),
  });
}

function indexSettings({ state, params: [pattern] }: IndexerAsk): HttpResponse {
  const chosen = Object.entries(state.cluster.indices).filter(
    ([name]) => pattern === undefined || matchesPattern(name, pattern),
  );
  if (chosen.length === 0 && pattern?.includes('*') === false)
    return error(404, 'index_not_found_exception', `no such index [${pattern}]`);
  return ok(
    Object.fromEntries(
      chosen.map(([name, i]) => [
        name,
        {
          settings: {
            index: {
              number_of_shards: String(i.shards.length),
              number_of_replicas: String(i.replicas),
              uuid: i.uuid,
              version: { created: i.createdVersion },
            },
          },
        },
      ]),
    ),
  );
}

/** By index and shard, what each started copy counts: -1 where nothing was ever written. The model counts by index, not by shard. */
function shardStats({ state }: IndexerAsk): HttpResponse {
  const statsOf = ({ shards, documents }: IndexState): unknown => ({
    shards: Object.fromEntries(
      shards.map(({ copies }, number) => [
        number,
        copies
          .filter((copy) => copy.state === 'STARTED')
          .map(() => ({ seq_no: { max_seq_no: Object.keys(documents).length - 1 } })),
      ]),
    ),
  });
  return ok({
    indices: Object.fromEntries(Object.entries(state.cluster.indices).map(([name, i]) => [name, statsOf(i)])),
  });
}
