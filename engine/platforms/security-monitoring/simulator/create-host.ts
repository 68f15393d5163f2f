import { install as installOn, newHost, sinceMs as since } from '../../../simulator/create.js';
import { putFile } from '../../../simulator/files.js';
import { moduleFiles, template } from './downloads.js';
import { keystorePath } from './connector.js';
import { newAlertFile } from './events.js';
import { agentConfig } from './packages/agent.js';
import { apiConfigOf, dashboardConfig } from './packages/dashboard.js';
import { modelCertificate, modelKey } from './certificate-pair.js';
import { packageOf } from './packages/definition.js';
import { installedAgent, isForeign, MACOS_AGENT, WINDOWS_AGENT } from './programs/installers.js';
import { environment, environmentFile, jvmOptions, withAnalyzer } from './packages/indexer.js';
import { managerConfig } from './packages/manager-config.js';
import { isAtLeast, moduleOf } from './packages/release.js';
import { shipperConfig } from './packages/shipper.js';
import type { ModelSeed } from './seed.js';
import type { HostState, PlatformState } from './state.js';

interface NewHost {
  readonly name: string;
  readonly address: string;
  readonly roles: readonly string[];
  readonly agentId: string | null;
}

/** A host as an operator left it: packages by its roles, his own configuration, services running since long. */
export function createHost(state: PlatformState, given: ModelSeed, wanted: NewHost): HostState {
  const seed = { ...given, from: releaseAt(given, wanted.name) };
  const family = seed.rpmHosts?.includes(wanted.name) === true ? 'rpm' : 'deb';
  const host: HostState = {
    ...newHost(state, wanted, { family, enabled: false }),
    agentId: wanted.agentId,
    ...(isForeign(wanted) ? { bare: true } : {}),
  };
  const sinceMs = since(state);
  const n = state.names;
  if (host.roles.includes('indexer')) indexer(state, seed, host, sinceMs);
  if (host.roles.includes('server')) server(state, seed, host, sinceMs);
  if (host.roles.includes('dashboard')) dashboard(state, seed, host, sinceMs);
  if (host.roles.includes('agent') && !host.roles.includes('server')) {
    putFile(host, n.agent.config, { text: agentConfig(n, masterOf(seed)), mode: '0660' }, sinceMs);
    const text = keys(state, (agent) => agent.id === host.agentId);
    putFile(host, n.agent.client_keys, { text, group: n.agent.user, mode: '0640' }, sinceMs);
    install(state, host, n.agent.package, `${seed.from}-1`);
  }
  if (host.roles.includes('windows_agent')) {
    putFile(host, '/C:/Windows/Temp', { type: 'directory' }, sinceMs);
    installedAgent(host, WINDOWS_AGENT, seed.from, sinceMs);
  }
  if (host.roles.includes('macos_agent')) installedAgent(host, MACOS_AGENT, seed.from, sinceMs);
  return host;
}

/** The release that a host is at. */
export const releaseAt = ({ from, at }: ModelSeed, host: string): string => at?.[host] ?? from;

function indexer(state: PlatformState, seed: ModelSeed, host: HostState, atMs: number): void {
  const n = state.names.indexer;
  const version = `${seed.from}-1`;
  install(state, host, n.package, version);
  const own = { owner: n.user, group: n.user, mode: '0660' };
  const options = withAnalyzer(jvmOptions(version)).replace('\n-Xms1g\n-Xmx1g\n', '\n-Xms8g\n-Xmx8g\n');
  putFile(host, n.jvm_options, { text: `${options}\n# ours\n-Dours.region=eu\n`, ...own }, atMs);
  putFile(host, environmentFile(state.names), { text: `${environment(version)}# ours\n` }, atMs);
  putFile(
    host,
    n.config,
    {
      text: `network.host: "${host.address}"\nnode.name: "${state.cluster.nodes[host.name]?.name ?? host.name}"\ncluster.name: "${state.cluster.name}"\npath.data: ${n.data_dir}\n${securityKeys}`,
      ...own,
    },
    atMs,
  );
  const files = ['root-ca.pem', 'indexer.pem', 'indexer-key.pem', 'admin.pem', 'admin-key.pem'];
  certificates(host, { dir: `${n.config_dir}/certs`, files, owner: n.user }, atMs);
}

const securityKeys = ['http', 'transport']
  .flatMap((layer) => [
    `plugins.security.ssl.${layer}.pemcert_filepath: certs/indexer.pem\n`,
    `plugins.security.ssl.${layer}.pemkey_filepath: certs/indexer-key.pem\n`,
    `plugins.security.ssl.${layer}.pemtrustedcas_filepath: certs/root-ca.pem\n`,
  ])
  .join('');

function server(state: PlatformState, seed: ModelSeed, host: HostState, atMs: number): void {
  const { manager, shipper } = state.names;
  const version = `${seed.from}-1`;
  const indexers = seed.inventory.hosts.filter((h) => h.roles.includes('indexer')).map((h) => h.address);
  install(state, host, manager.package, version);
  const node = {
    node: host.name,
    type: host.roles.includes('worker') ? ('worker' as const) : ('master' as const),
    masterAddress: masterOf(seed),
    indexerUrls: indexers.map((a) => `https://${a}:${state.ports.indexer}`),
    certificate: host.name,
  };
  putFile(
    host,
    manager.config,
    { text: managerConfig(state.names, version, node), owner: 'root', group: manager.user, mode: '0660' },
    atMs,
  );
  newAlertFile(state, host, atMs);
  for (const path of [
    'queue/rids/001',
    'queue/fts/fts-queue',
    'queue/db/001.db',
    'stats/totals/2026/Nov/totals-20.log',
  ])
    putFile(
      host,
      `${manager.install_dir}/${path}`,
      { text: `${path}\n`, owner: manager.user, group: manager.user, mode: '0640' },
      atMs,
    );
  putFile(host, manager.log, { text: '', owner: manager.user, group: manager.user, mode: '0640' }, atMs);
  putFile(
    host,
    manager.client_keys,
    { text: keys(state, ({ id }) => id !== '000'), owner: 'root', group: manager.user, mode: '0640' },
    atMs,
  );
  putFile(
    host,
    shipper.config,
    {
      text: shipperConfig(
        state.names,
        indexers.map((a) => `${a}:${state.ports.indexer}`),
        {
          user: state.cluster.user,
          password: state.cluster.password ?? 'changeme-by-operator',
          certificate: host.name,
        },
      ),
      mode: '0600',
    },
    atMs,
  );
  putFile(host, shipper.template, { text: template(state.names, seed.from) }, atMs);
  for (const [path, text] of Object.entries(moduleFiles(state.names, moduleOf(seed.from))))
    putFile(host, `${shipper.module_dir}/${path}`, { text }, atMs);
  install(state, host, shipper.package, `${shipper.version}-1`);
  const files = ['root-ca.pem', `${host.name}.pem`, `${host.name}-key.pem`];
  certificates(host, { dir: '/etc/filebeat/certs', files, owner: 'root' }, atMs);
  if (isAtLeast(version, '4.8')) {
    const { user, password } = state.cluster;
    for (const [key, text] of Object.entries({ username: user, password: password ?? 'changeme-by-operator' }))
      putFile(host, keystorePath(state.names, key), { text, mode: '0600' }, atMs);
  }
}

function dashboard(state: PlatformState, seed: ModelSeed, host: HostState, atMs: number): void {
  const n = state.names.dashboard;
  const version = `${seed.from}-1`;
  install(state, host, n.package, version);
  const hosts = seed.inventory.hosts
    .filter((h) => h.roles.includes('indexer'))
    .map((h) => `https://${h.address}:${state.ports.indexer}`);
  putFile(
    host,
    n.config,
    { text: dashboardConfig(state.names, version, hosts), owner: n.user, group: n.user, mode: '0640' },
    atMs,
  );
  const dir = n.config.slice(0, n.config.lastIndexOf('/'));
  const { user, password } = state.management;
  const api = { url: `https://${masterOf(seed)}`, port: state.ports.management, username: user, run_as: false };
  putFile(
    host,
    apiConfigOf(state.names),
    {
      text: `hosts:\n  - default: ${JSON.stringify({ ...api, password: password ?? 'changeme-by-operator' })}\n`,
      owner: n.user,
      group: n.user,
      mode: '0600',
    },
    atMs,
  );
  const files = ['root-ca.pem', 'dashboard.pem', 'dashboard-key.pem'];
  certificates(host, { dir: `${dir}/certs`, files, owner: n.user }, atMs);
}

/** Installed, enabled and running since then. */
const install = (state: PlatformState, host: HostState, name: string, version: string): void =>
  installOn({ state, rules: { packageOf } }, host, name, version);

interface Certificates {
  readonly dir: string;
  readonly files: readonly string[];
  /** The user that its service runs as. */
  readonly owner: string;
}

function certificates(host: HostState, { dir, files, owner }: Certificates, atMs: number): void {
  for (const file of files) {
    const text = file.endsWith('-key.pem') ? modelKey : modelCertificate;
    putFile(host, `${dir}/${file}`, { text, owner, group: owner, mode: '0400' }, atMs);
  }
}

type Agent = PlatformState['management']['agents'][number];
const keys = (state: PlatformState, isWanted: (agent: Agent) => boolean): string =>
  state.management.agents
    .filter(isWanted)
    .map((a) => `${a.id} ${a.name} any ${Buffer.from(`key of ${a.name}`).toString('hex')}\n`)
    .join('');

const masterOf = ({ inventory }: ModelSeed): string =>
  inventory.hosts.find((h) => h.roles.includes('master'))?.address ?? '127.0.0.1';
