import { START_MS } from '../../../simulator/create.js';
import { dataHosts } from './cluster.js';
import { connectorStarts } from './connector.js';
import { createHost, releaseAt } from './create-host.js';
import { createIndex } from './documents.js';
import { downloadsOf, pipeline, template } from './downloads.js';
import { createManagement } from './management-state.js';
import { resolveNames } from './names.js';
import { engineOf, moduleOf } from './packages/release.js';
import { SECURITY_FILES, securityFile } from './packages/indexer.js';
import type { ModelInventory, ModelSeed } from './seed.js';
import type { ClusterState, PlatformState } from './state.js';

export type { ModelSeed };

const TARGET = '4.14.7';
const PACKAGE_URL = 'https://packages.example.com';

/** A platform that has run for a while at one release, healthy, its repositories disabled: what an upgrade finds. */
export function createPlatformState(seed: ModelSeed): PlatformState {
  const { inventory } = seed;
  const names = resolveNames({ ...inventory.names, ...seed.names });
  const nowMs = seed.startMs ?? START_MS;
  const target = textOf(inventory.platform['target']) ?? TARGET;
  const releases = [...new Set([target, seed.from, ...Object.values(seed.at ?? {}), ...(seed.offers ?? [])])];
  const versions = releases.map((v) => `${v}-1`);
  const shipper = [`${names.shipper.version}-2`, `${names.shipper.version}-1`];
  const { indexer, manager, dashboard, agent } = names;
  const state: PlatformState = {
    nowMs,
    names,
    packageUrl: (textOf(inventory.platform['package_url']) ?? PACKAGE_URL).replace(/\/+$/, ''),
    hosts: {},
    cluster: createCluster(seed),
    management: createManagement({
      version: releaseAt(seed, inventory.hosts.find((h) => h.roles.includes('master'))?.name ?? ''),
      user: userOf(inventory, 'api') ?? 'ops',
      password: seed.passwords?.api ?? null,
      managerName: inventory.hosts.find((h) => h.roles.includes('master'))?.name ?? 'manager',
      agents: [...agentsOf(seed), ...(seed.remoteAgents ?? [])],
      readyAtMs: 0,
    }),
    savedObjects: [
      { type: 'index-pattern', id: 'alerts', attributes: JSON.stringify({ title: `${names.shipper.index_prefix}*` }) },
      { type: 'dashboard', id: 'ours', attributes: JSON.stringify({ title: 'Night shift' }) },
    ],
    savedTypes: ['config', 'dashboard', 'index-pattern', 'map', 'query', 'search', 'url', 'visualization'],
    savedBefore: {},
    newFormFrom: seed.newFormFrom ?? null,
    repository: {
      ...Object.fromEntries([indexer, manager, dashboard, agent].map((n) => [n.package, versions])),
      [names.shipper.package]: shipper,
    },
    downloads: downloadsOf(names, target, releases),
    repositoryFile: names.repository,
    repositoryPath: '/4.x',
    asked: [],
    ports: {
      indexer: portOf(inventory, 9200, 'indexer'),
      management: portOf(inventory, 55_000, 'api'),
      dashboard: portOf(inventory, 443, 'dashboard'),
    },
    timers: [{ atMs: nowMs + 5_000, due: 'heartbeat' }],
    faults: [],
    effects: 0,
    serial: 0,
  };
  let agentNumber = 0;
  for (const host of inventory.hosts) {
    const agentId = host.roles.includes('agent') ? String((agentNumber += 1)).padStart(3, '0') : null;
    state.hosts[host.name] = createHost(state, seed, { ...host, agentId });
  }
  fillCluster(state, seed);
  for (const host of Object.values(state.hosts)) if (host.roles.includes('server')) connectorStarts(state, host);
  return state;
}

const ALL_ROLES = ['cluster_manager', 'data', 'ingest', 'remote_cluster_client'];

function createCluster({ inventory, passwords, nodeRoles }: ModelSeed): ClusterState {
  const rolesOf = (host: string): readonly string[] => nodeRoles?.[host] ?? ALL_ROLES;
  const nodes = inventory.hosts.filter((h) => h.roles.includes('indexer'));
  return {
    name: 'platform-cluster',
    uuid: Buffer.from('platform cluster').toString('base64url'),
    user: userOf(inventory, 'indexer') ?? 'admin',
    password: passwords?.indexer ?? null,
    nodes: Object.fromEntries(
      nodes.map((h) => [
        h.name,
        {
          name: textOf(h.vars?.['node_name']) ?? h.name,
          roles: rolesOf(h.name),
          joined: true,
          version: '',
          dataVersion: null,
        },
      ]),
    ),
    // The first of the inventory, so that "last" cannot be met by chance.
    elected: nodes.find((h) => rolesOf(h.name).includes('cluster_manager'))?.name ?? null,
    persistent: {},
    transient: {},
    indices: {},
    aliases: {},
    forms: {},
    templates: {},
    pipelines: {},
    securityInitialised: true,
    security: Object.fromEntries(SECURITY_FILES.map((f) => [f, `${securityFile(f)}# as it is in force\n`])),
    excludedVoters: [],
    repositories: {},
    tenants: ['global_tenant', 'admin_tenant'],
    roles: ['all_access', 'own_index'],
    policies: [],
    mlCommons: null,
  };
}

function fillCluster(state: PlatformState, seed: ModelSeed): void {
  const { cluster, names } = state;
  const count = dataHosts(state).length;
  if (count === 0) return;
  for (const [host, node] of Object.entries(cluster.nodes)) {
    const engine = engineOf(`${releaseAt(seed, host)}-1`);
    Object.assign(node, { version: engine, dataVersion: engine });
  }
  cluster.templates[names.shipper.template_name] = template(names, seed.from);
  cluster.pipelines[names.shipper.pipeline] = pipeline(moduleOf(seed.from));
  const replicas = seed.replicas ?? Math.min(1, count - 1);
  createIndex(state, '.opendistro_security', { shards: 1, replicas: count - 1 });
  createIndex(state, '.kibana_1', { shards: 1, replicas });
  cluster.aliases['.kibana'] = '.kibana_1';
  createIndex(state, 'platform-states-vulnerabilities', { shards: 1, replicas });
  for (const daysAgo of [1, 0]) {
    const day = new Date(state.nowMs - daysAgo * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '.');
    createIndex(state, `${names.shipper.index_prefix}${day}`, { shards: 3, replicas });
  }
}

const agentsOf = (seed: ModelSeed): { name: string; version: string; ip: string }[] =>
  seed.inventory.hosts
    .filter((h) => h.roles.includes('agent'))
    .map((h) => ({ name: h.name, version: releaseAt(seed, h.name), ip: h.address }));

const userOf = (inventory: ModelInventory, endpoint: string): string | undefined => inventory.endpoints[endpoint]?.user;

function portOf(inventory: ModelInventory, otherwise: number, endpoint: string): number {
  const url = inventory.endpoints[endpoint]?.urls[0]?.url;
  const port = url === undefined || !URL.canParse(url) ? '' : new URL(url).port;
  return port === '' ? otherwise : Number(port);
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
