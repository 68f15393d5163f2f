import type { PlatformNames } from '../names.js';
import type { PackageDefinition } from '../../../../simulator/packages/definition.js';
import { mergeNewKeys, mergeScript, mergesNewKeys } from './merge-new-keys.js';
import { engineOf, isAtLeast, unitFile } from './release.js';

/** What a plug-in of the dashboard says of itself. */
export const DESCRIPTOR = 'opensearch_dashboards.json';
/** The plug-in that the package brings. */
export const OWN_PLUGIN = 'securityDashboards';
/** Where the dashboard has the addresses, users and passwords of its management APIs; no package brings it. */
export const apiConfigOf = (names: PlatformNames): string =>
  `/usr/share/${names.dashboard.package}/data/platform/config/platform.yml`;

/** The web interface. */
export function dashboardPackage(names: PlatformNames, version: string): PackageDefinition {
  const n = names.dashboard;
  return {
    service: n.service,
    sizeBytes: 190_000_000,
    files: {
      [`/usr/lib/systemd/system/${n.service}.service`]: {
        text: unitFile('Dashboard', 'simple', `/usr/share/${n.package}/bin/opensearch-dashboards`),
      },
      [n.plugin_tool]: { text: '#!/bin/sh\n', mode: '0755' },
      [`/usr/share/${n.package}/package.json`]: { text: `{"version":"${engineOf(version)}"}\n` },
      [`${n.plugin_dir}/${OWN_PLUGIN}/${DESCRIPTOR}`]: {
        text: `{"id":"${OWN_PLUGIN}","opensearchDashboardsVersion":"${engineOf(version)}"}\n`,
      },
    },
    conffiles: { [n.config]: { text: dashboardConfig(names, version), owner: n.user, group: n.user, mode: '0640' } },
    scripts: `if [ -z "$2" ]; then
  chown ${n.user}:${n.user} ${n.config}
  chmod 0640 ${n.config}
fi
${mergesNewKeys(version) ? mergeScript(`/usr/share/${n.package}`) : ''}`,
    configure(host, atMs) {
      if (mergesNewKeys(version)) mergeNewKeys(host, n.config, atMs);
    },
  };
}

/** The default configuration of a release; with `hosts`, as an operator set it up, comments and order his own. */
export function dashboardConfig(names: PlatformNames, version: string, hosts?: readonly string[]): string {
  const dir = n(names);
  return `# Where the dashboard listens.
server.host: 0.0.0.0
server.port: 443
opensearch.hosts: ${JSON.stringify(hosts ?? ['https://localhost:9200'])}
opensearch.ssl.verificationMode: certificate
#opensearch.username:
#opensearch.password:
opensearch.requestHeadersAllowlist: ["securitytenant","Authorization"]
opensearch_security.multitenancy.enabled: false
opensearch_security.readonly_mode.roles: ["kibana_read_only"]
${isAtLeast(version, '4.14') ? 'opensearch_security.cookie.secure: true\n' : ''}server.ssl.enabled: true
server.ssl.key: "${dir}/certs/dashboard-key.pem"
server.ssl.certificate: "${dir}/certs/dashboard.pem"
opensearch.ssl.certificateAuthorities: ["${dir}/certs/root-ca.pem"]
${hosts === undefined ? '' : '\n# ours: behind the proxy\nserver.basePath: ""\n'}
# The page that opens first.
uiSettings.overrides.defaultRoute: ${isAtLeast(version, '4.8') ? '/app/platform-home' : '/app/platform'}
#logging.verbose: false
`;
}

const n = (names: PlatformNames): string => names.dashboard.config.slice(0, names.dashboard.config.lastIndexOf('/'));
