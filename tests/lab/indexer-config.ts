import { hostsOf, type LabHost } from './topology.js';

/** Heap and an operator's own line: what an upgrade has to keep upon the new defaults of jvm.options. */
export const operatorHeap = '400m';
export const operatorJvmLine = '-Dplatform.site=lab-rack-7';

/** Three engines start again and again on two cores: what the second compiler would gain they do not live long enough to get back. */
export const labJvmLine = '-XX:TieredStopAtLevel=1';

/** A line of his in the service's environment: a file that a DEB keeps and an RPM puts aside as `.rpmsave`. */
export const operatorRemark = '# rack 7, third from above';

/**
 * Transport on the loopback: the open-files limit of a container can be below what the engine asks for as soon as its
 * transport is bound to a routable address. The indexers share a network namespace, so they reach each other there.
 */
export const transportAddress = (host: LabHost): string => `127.2.0.${host.address.split('.').at(-1) ?? ''}`;

/** The node's opensearch.yml: as the guide has it for a cluster of three, with the lab's addresses. */
export function indexerConfig(host: LabHost): string {
  const nodes = hostsOf(['indexer']);
  const list = (values: readonly string[]): string => values.map((value) => `  - "${value}"\n`).join('');
  return `# Cluster of the lab; edited by hand on ${host.name}.
http.host: "${host.address}"
transport.host: "${transportAddress(host)}"
node.name: "${host.name}"
cluster.name: "platform-indexer"
discovery.seed_hosts:
${list(nodes.map(transportAddress))}cluster.initial_cluster_manager_nodes:
${list(nodes.map((node) => node.name))}node.processors: 2
path.data: /var/lib/platform-indexer
path.logs: /var/log/platform-indexer
path.repo: ["/mnt/snapshots"]

plugins.security.ssl.http.pemcert_filepath: certs/indexer.pem
plugins.security.ssl.http.pemkey_filepath: certs/indexer-key.pem
plugins.security.ssl.http.pemtrustedcas_filepath: certs/root-ca.pem
plugins.security.ssl.transport.pemcert_filepath: certs/indexer.pem
plugins.security.ssl.transport.pemkey_filepath: certs/indexer-key.pem
plugins.security.ssl.transport.pemtrustedcas_filepath: certs/root-ca.pem
plugins.security.ssl.http.enabled: true
plugins.security.ssl.transport.enforce_hostname_verification: false
plugins.security.authcz.admin_dn:
  - "CN=admin,OU=Lab,O=Platform,C=US"
plugins.security.nodes_dn:
${list(nodes.map((node) => `CN=${node.name},OU=Lab,O=Platform,C=US`))}plugins.security.restapi.roles_enabled:
  - "all_access"
  - "security_rest_api_access"
plugins.security.allow_default_init_securityindex: false
plugins.security.enable_snapshot_restore_privilege: true
plugins.security.check_snapshot_restore_write_privileges: true

compatibility.override_main_response_version: true
`;
}
