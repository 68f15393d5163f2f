import { posix } from 'node:path';
import { textAt } from '../../../simulator/files.js';
import { writeLog } from '../../../simulator/logs.js';
import { isUp } from '../../../simulator/units.js';
import { addDocument } from './documents.js';
import { connectorConfig } from './manager-check.js';
import type { PlatformNames } from './names.js';
import { isAtLeast } from './packages/release.js';
import type { HostState, PlatformState } from './state.js';

const INDEX = 'platform-states-vulnerabilities';

/** Where the manager's keystore has the name and the password of the connector's user. */
export const keystorePath = ({ manager }: PlatformNames, key: string): string =>
  `${manager.install_dir}/queue/keystore/indexer/${key}`;

/** A manager that starts connects to the indexer, or says in its log that it could not: nothing else tells. */
export function connectorStarts(state: PlatformState, host: HostState): void {
  const can = canConnect(state, host);
  host.connected = can === true;
  if (can === undefined) return;
  const line = can
    ? `INFO: IndexerConnector initialized successfully for index: ${INDEX}.`
    : `WARNING: IndexerConnector initialization failed for index '${INDEX}', retrying until the connection is successful.`;
  writeLog(state, host, state.names.manager.log, `indexer-connector: ${line}`);
}

/** It writes states to the indexer by itself: stopping the shipper does not stop every writer. One that failed is tried again. */
export function connectorWrites(state: PlatformState, host: HostState): void {
  if (host.connected !== true && canConnect(state, host) === true) connectorStarts(state, host);
  if (host.connected === true) addDocument(state, INDEX, { host: host.name, '@timestamp': iso(state.nowMs) });
}

/** Undefined: there is no connector, or it is switched off. Each file must be there (relative to where the manager is), a host an indexer, and the user one of the cluster's. */
function canConnect(state: PlatformState, host: HostState): boolean | undefined {
  const { manager, indexer } = state.names;
  if (!isAtLeast(host.packages[manager.package]?.version ?? '0', '4.8')) return undefined;
  const config = connectorConfig(textAt(host, manager.config) ?? '');
  if (config?.enabled !== true) return undefined;
  const [user, password] = ['username', 'password'].map((key) => textAt(host, keystorePath(state.names, key)));
  const { cluster } = state;
  return (
    cluster.elected !== null &&
    config.files.every((path) => textAt(host, posix.resolve(manager.install_dir, path)) !== undefined) &&
    config.hosts.some((url) =>
      Object.values(state.hosts).some((h) => h.address === hostIn(url) && isUp(h, indexer.service)),
    ) &&
    user === cluster.user &&
    password !== undefined &&
    (cluster.password === null || password === cluster.password)
  );
}

const hostIn = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '');
const iso = (ms: number): string => new Date(ms).toISOString();
