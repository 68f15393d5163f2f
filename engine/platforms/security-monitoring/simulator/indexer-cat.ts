import { tableText } from './indexer-table.js';
import { ok, type IndexerAsk, type IndexerRoute } from './indexer-answer.js';
import { headerOf, textAnswer, type HttpResponse } from './management-answer.js';
import { healthOf } from './health.js';

type Row = Readonly<Record<string, string>>;

/** The `_cat` pages (§4.2): a table as text, with heads for `v`; rows as JSON for `format=json` or by the Accept header. */
export const catRoutes: readonly IndexerRoute[] = [
  { methods: ['GET'], path: /^\/_cat\/nodes$/, handle: (ask) => page(ask, nodeRows(ask), DEFAULT_NODES) },
  {
    methods: ['GET'],
    path: /^\/_cat\/shards(?:\/[^/]+)?$/,
    handle: (ask) => page(ask, shardRows(ask), ['index', 'shard', 'prirep', 'state', 'docs', 'store', 'ip', 'node']),
  },
  {
    methods: ['GET'],
    path: /^\/_cat\/(?:cluster_manager|master)$/,
    handle: (ask) => page(ask, [electedRow(ask)], ['id', 'host', 'ip', 'node']),
  },
  {
    methods: ['GET'],
    path: /^\/_cat\/indices(?:\/[^/]+)?$/,
    handle: (ask) => page(ask, indexRows(ask), ['health', 'status', 'index', 'uuid', 'pri', 'rep', 'docs.count']),
  },
  {
    methods: ['GET'],
    path: /^\/_cat\/allocation$/,
    handle: (ask) => page(ask, allocationRows(ask), ['shards', 'disk.used', 'disk.avail', 'disk.total', 'node']),
  },
  {
    methods: ['GET'],
    path: /^\/_cat\/health$/,
    handle: (ask) => page(ask, [healthRow(ask)], ['cluster', 'status', 'node.total']),
  },
];

const ROLE_LETTERS: Readonly<Record<string, string>> = {
  cluster_manager: 'm',
  data: 'd',
  ingest: 'i',
  remote_cluster_client: 'r',
};
const DEFAULT_NODES = [
  'ip',
  'heap.percent',
  'ram.percent',
  'cpu',
  'load_1m',
  'load_5m',
  'load_15m',
  'node.role',
  'node.roles',
  'cluster_manager',
  'name',
];
/** Short names of columns. */
const ALIASES: Readonly<Record<string, string>> = {
  n: 'name',
  v: 'version',
  m: 'cluster_manager',
  master: 'cluster_manager',
  i: 'ip',
  r: 'node.role',
};

function page(ask: IndexerAsk, rows: readonly Row[], columns: readonly string[]): HttpResponse {
  const wanted =
    ask.query['h']?.split(',').map((c) => ({ title: c, key: c in (rows[0] ?? {}) ? c : (ALIASES[c] ?? c) })) ??
    columns.map((c) => ({ title: c, key: c }));
  const cut = rows.map((row) =>
    Object.fromEntries(wanted.filter(({ key }) => key in row).map(({ title, key }) => [title, row[key] ?? ''])),
  );
  const asJson = ask.query['format'] === 'json' || (headerOf(ask.headers, 'accept') ?? '').includes('application/json');
  if (asJson) return ok(cut);
  const heads = ask.query['v'] === '' || ask.query['v'] === 'true';
  return textAnswer(
    200,
    tableText(
      cut,
      wanted.map((w) => w.title),
      heads,
    ),
  );
}

function nodeRows({ state, nodes }: IndexerAsk): Row[] {
  return nodes.flatMap((host) => {
    const node = state.cluster.nodes[host];
    const machine = state.hosts[host];
    if (node === undefined || machine === undefined) return [];
    return {
      ip: machine.address,
      'heap.percent': '42',
      'ram.percent': '71',
      cpu: '3',
      load_1m: '0.31',
      load_5m: '0.28',
      load_15m: '0.25',
      'node.role': node.roles
        .map((role) => ROLE_LETTERS[role] ?? '')
        .sort()
        .join(''),
      'node.roles': node.roles.join(','),
      cluster_manager: nodes.length === 1 || host === state.cluster.elected ? '*' : '-',
      name: node.name,
      version: node.version,
      id: host.slice(0, 4),
    };
  });
}

function electedRow({ state, host, nodes }: IndexerAsk): Row {
  const elected = nodes.length === 1 ? host.name : (state.cluster.elected ?? '');
  const address = state.hosts[elected]?.address ?? '-';
  return {
    id: Buffer.from(elected).toString('base64url'),
    host: address,
    ip: address,
    node: state.cluster.nodes[elected]?.name ?? '-',
  };
}

function shardRows({ state, path }: IndexerAsk): Row[] {
  const only = path.split('/')[3];
  return Object.entries(state.cluster.indices).flatMap(([index, { shards }]) =>
    only !== undefined && only !== index
      ? []
      : shards.flatMap(({ copies }, number) =>
          copies.map((c): Row => {
            const node = c.host === null ? undefined : state.cluster.nodes[c.host];
            return {
              index,
              shard: String(number),
              prirep: c.primary ? 'p' : 'r',
              state: c.state,
              ...(node === undefined || c.host === null
                ? {}
                : { ip: state.hosts[c.host]?.address ?? '', node: node.name }),
              ...(c.state === 'UNASSIGNED' ? { 'unassigned.reason': c.reason ?? 'NODE_LEFT' } : {}),
            };
          }),
        ),
  );
}

function indexRows({ state }: IndexerAsk): Row[] {
  return Object.entries(state.cluster.indices).map(([index, i]) => ({
    health: healthOf(state, i.shards).status,
    status: 'open',
    index,
    uuid: i.uuid,
    pri: String(i.shards.length),
    rep: String(i.replicas),
    'docs.count': String(Object.keys(i.documents).length),
  }));
}

function allocationRows({ state, nodes }: IndexerAsk): Row[] {
  const copies = Object.values(state.cluster.indices).flatMap((i) => i.shards.flatMap((s) => s.copies));
  return nodes.flatMap((name) => {
    const host = state.hosts[name];
    if (host === undefined) return [];
    const { totalBytes, usedBytes } = host.disk;
    return {
      shards: String(copies.filter((c) => c.host === name).length),
      'disk.used': String(usedBytes),
      'disk.avail': String(totalBytes - usedBytes),
      'disk.total': String(totalBytes),
      'disk.percent': String(Math.round((100 * usedBytes) / totalBytes)),
      node: state.cluster.nodes[name]?.name ?? name,
    };
  });
}

const healthRow = ({ state, nodes }: IndexerAsk): Row => ({
  cluster: state.cluster.name,
  status: healthOf(state).status,
  'node.total': String(nodes.length),
});
