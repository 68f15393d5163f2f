import { dirname } from 'node:path/posix';
import { checkManagerConfig } from './manager-check.js';
import { entryAt, freeBytes, textAt } from '../../../simulator/files.js';
import { position } from '../../../simulator/faults.js';
import { installedPlugins } from './programs/plugin-tools.js';
import { engineOf } from './packages/release.js';
import { repeatedKey, repeatedSetting } from './repeated-setting.js';
import { savedObjectsRefuse } from './saved-indices.js';
import type { HostState, PlatformState } from './state.js';
import { newerThan } from '../../../simulator/versions.js';

/** Why a unit of the platform would not start on this host as it stands (§7); undefined when it would. */
export function refusesToStart(state: PlatformState, host: HostState, unit: string): string | undefined {
  const n = state.names;
  if (position(state, 'disk-full', (f) => f.host === host.name) !== undefined) return 'No space left on device';
  if (unit === n.indexer.service) return indexerRefuses(state, host);
  if (unit === n.manager.service) return checkManagerConfig(host, n)[0];
  if (unit === n.shipper.service) return shipperRefuses(state, host);
  if (unit === n.dashboard.service) return dashboardRefuses(state, host);
  return undefined;
}

function indexerRefuses(state: PlatformState, host: HostState): string | undefined {
  const n = state.names.indexer;
  const options = liveLines(textAt(host, n.jvm_options) ?? '');
  if (options.some((line) => line === '-XX:+UseConcMarkSweepGC')) return "Unrecognized VM option 'UseConcMarkSweepGC'";
  const sizes = ['-Xms', '-Xmx'].map((o) =>
    options
      .filter((line) => line.startsWith(o))
      .at(-1)
      ?.slice(4),
  );
  if (sizes[0] !== sizes[1])
    return `initial heap size [${sizes[0] ?? ''}] not equal to maximum heap size [${sizes[1] ?? ''}]`;
  const repeated = repeatedSetting(textAt(host, n.config) ?? '');
  if (repeated !== undefined) return `duplicate settings key [${repeated}] found`;
  const data = entryAt(host, n.data_dir);
  if (data !== undefined && data.owner !== n.user) return `AccessDeniedException: ${n.data_dir}`;
  if (freeBytes(host) < 500_000_000) return 'No space left on device';
  const engine = engineOf(host.packages[n.package]?.version ?? '');
  const plugin = pluginsRefuse('indexer', state, host, engine);
  if (plugin !== undefined) return plugin;
  const dataVersion = state.cluster.nodes[host.name]?.dataVersion ?? null;
  if (dataVersion !== null && newerThan(dataVersion, engine))
    return `cannot downgrade a node from version [${dataVersion}] to version [${engine}]`;
  return undefined;
}

const liveLines = (text: string): string[] =>
  text
    .split('\n')
    .map((l) => l.trim())
    .filter((l) => l.startsWith('-'));

function shipperRefuses(state: PlatformState, host: HostState): string | undefined {
  const entry = entryAt(host, state.names.shipper.config);
  if (entry === undefined) return 'error loading config file: no such file or directory';
  const mode = Number.parseInt(entry.mode, 8);
  if ((mode & 0o022) !== 0)
    return `config file ("${state.names.shipper.config}") can only be writable by the owner but the permissions are "${entry.mode}"`;
  return undefined;
}

/** Names of certificates changed between releases: what the configuration names must be there. */
function dashboardRefuses(state: PlatformState, host: HostState): string | undefined {
  const text = textAt(host, state.names.dashboard.config) ?? '';
  const repeated = repeatedKey(text);
  if (repeated !== undefined) return `YAMLException: duplicated mapping key at ${repeated}`;
  const keys = /^server\.ssl\.enabled: *true/m.test(text) ? ['server.ssl.key', 'server.ssl.certificate'] : [];
  const set = (t: string): string =>
    t.replaceAll('${HOSTNAME}', host.name).replaceAll('${OPENSEARCH_PATH_CONF}', dirname(state.names.dashboard.config));
  for (const key of keys) {
    const path = new RegExp(`^${key.replaceAll('.', '\\.')}:\\s*"?([^"\\n]+)"?`, 'm').exec(text)?.[1]?.trim();
    if (path !== undefined && textAt(host, set(path)) === undefined)
      return `ENOENT: no such file or directory, open '${path}'`;
  }
  const version = host.packages[state.names.dashboard.package]?.version ?? '';
  return pluginsRefuse('dashboard', state, host, engineOf(version)) ?? savedObjectsRefuse(state, version);
}

/** Neither service starts with a plug-in that was built for another engine, the indexer with none that is there in part. */
function pluginsRefuse(of: 'indexer' | 'dashboard', state: PlatformState, host: HostState, engine: string) {
  for (const { name, descriptor, built } of installedPlugins(of, state, host)) {
    if (of === 'indexer' && descriptor === undefined)
      return `Could not load plugin descriptor for plugin directory [${name}]`;
    if (built === engine || descriptor === undefined) continue;
    return of === 'indexer'
      ? `Plugin [${name}] was built for OpenSearch version ${built ?? ''} but version ${engine} is running`
      : `Plugin "${name}" is only compatible with OpenSearch Dashboards version "${built ?? ''}", but used OpenSearch Dashboards version is "${engine}".`;
  }
  return undefined;
}
