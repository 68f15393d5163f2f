import { defaultShipperConfig } from './packages/filebeat/spec.js';
import { defaultDashboardConfig } from './packages/platform-dashboard/spec.js';
import { defaultConf, hasConnector } from './packages/platform-manager/spec.js';
import { template } from './build/templates.js';

/**
 * The shipper's configuration for a cluster: the first package's default with `hosts` (`ADDRESS:9200`) and the CA's file in
 * it. User and password stay references to the shipper's own keystore (`filebeat keystore add username --stdin --force`).
 */
export async function filebeatYml({
  hosts,
  ca,
  certificate,
}: {
  hosts: readonly string[];
  ca: string;
  certificate: string;
}): Promise<string> {
  const text = await defaultShipperConfig(1);
  const commented = '  - 127.0.0.1:9200\n#  - <INDEXER_2>:9200\n#  - <INDEXER_3>:9200\n';
  return edited(text, [
    [commented, hosts.map((host) => `  - ${host}\n`).join('')],
    ['/etc/filebeat/certs/root-ca.pem', ca],
    ...certificateOf(certificate),
  ]);
}

const certificateOf = (certificate: string): readonly (readonly [string, string])[] => [
  ['/etc/filebeat/certs/filebeat.pem', certificate],
  ['/etc/filebeat/certs/filebeat-key.pem', certificate.replace(/\.pem$/, '-key.pem')],
];

/** What a manager's configuration needs to know of its place. `indexers` are URLs; `masters` addresses. */
export interface ManagerPlace {
  release: string;
  nodeName: string;
  nodeType: 'master' | 'worker';
  clusterKey: string;
  master: string;
  indexers: readonly string[];
  ca: string;
  /** The connector's certificate, and beside it its key: the platform's installer calls them after the node. */
  certificate: string;
}

/** The default configuration of a release with a host's place in the cluster, as an operator would have edited it. */
export async function managerConf(place: ManagerPlace): Promise<string> {
  const hosts = [1, 2, 3].map((n) => `      <host>https://indexer-${n}:9200</host>\n`).join('');
  const connector = [
    [hosts, place.indexers.map((url) => `      <host>${url}</host>\n`).join('')],
    ['<ca>/etc/filebeat/certs/root-ca.pem</ca>', `<ca>${place.ca}</ca>`],
    ...certificateOf(place.certificate),
  ] as readonly (readonly [string, string])[];
  return edited(await defaultConf(place.release), [
    ...(hasConnector(place.release) ? connector : []),
    ['<node_name>node01</node_name>', `<node_name>${place.nodeName}</node_name>`],
    ['<node_type>master</node_type>', `<node_type>${place.nodeType}</node_type>`],
    ['<key></key>', `<key>${place.clusterKey}</key>`],
    ['<node>NODE_IP</node>', `<node>${place.master}</node>`],
    ['<hidden>no</hidden>\n    <disabled>yes</disabled>', '<hidden>no</hidden>\n    <disabled>no</disabled>'],
  ]);
}

/** The agent's configuration with its manager's address. It enrols there by its host name when it first starts. */
export async function agentConf({ manager }: { manager: string }): Promise<string> {
  return edited(await template('platform-agent/platform.conf'), [['MANAGER_IP', manager]]);
}

/** What an operator set of the dashboard's sessions, in quotes: a later package's script appends the key again. */
export const operatorSessions = '"opensearch_security.cookie.ttl": 900000';

/** The dashboard's configuration as a release ships it, with the indexers' URLs and the operator's sessions. */
export async function dashboardYml(release: string, indexers: readonly string[]): Promise<string> {
  return edited(await defaultDashboardConfig(release), [
    ['["https://localhost:9200"]', `[${indexers.map((url) => JSON.stringify(url)).join(', ')}]`],
    ['#opensearch.username:\n', `${operatorSessions}\n#opensearch.username:\n`],
  ]);
}

/** Each pair's first text replaced by its second, once; throws when it is not there, for then the template has changed. */
function edited(text: string, pairs: readonly (readonly [from: string, to: string])[]): string {
  return pairs.reduce((now, [from, to]) => {
    if (!now.includes(from)) throw new Error(`the template has no ${JSON.stringify(from)}`);
    return now.replace(from, () => to);
  }, text);
}
