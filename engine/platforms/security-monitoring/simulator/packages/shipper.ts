import type { PlatformNames } from '../names.js';
import type { PackageDefinition } from '../../../../simulator/packages/definition.js';
import { unitFile } from './release.js';

/** The log shipper: the package keeps its version and changes its revision. */
export function shipperPackage(names: PlatformNames): PackageDefinition {
  const n = names.shipper;
  return {
    service: n.service,
    sizeBytes: 22_000_000,
    files: {
      [`/usr/lib/systemd/system/${n.service}.service`]: { text: unitFile('Log shipper', 'simple', `${n.binary} run`) },
      [n.binary]: { text: '#!/bin/sh\n', mode: '0755' },
      [`${n.module_dir}/system/module.yml`]: { text: 'dashboards: []\n' },
    },
    conffiles: { [n.config]: { text: shipperConfig(names, ['127.0.0.1:9200']), mode: '0600' } },
  };
}

interface ShipperSignIn {
  readonly user?: string;
  readonly password?: string;
  readonly certificate?: string;
}

/** The shipper's configuration; with a password and a certificate's name as an operator's has it. */
export const shipperConfig = (
  names: PlatformNames,
  hosts: readonly string[],
  { user = '${username}', password = '${password}', certificate = 'filebeat' }: ShipperSignIn = {},
): string => `# Ships the manager's alerts to the indexer.
output.elasticsearch.hosts:
${hosts.map((h) => `  - ${h}`).join('\n')}

output.elasticsearch:
  protocol: https
  username: ${user}
  password: ${password}
  ssl.verification_mode: certificate
  ssl.certificate_authorities:
    - /etc/filebeat/certs/root-ca.pem
  ssl.certificate: /etc/filebeat/certs/${certificate}.pem
  ssl.key: /etc/filebeat/certs/${certificate}-key.pem

setup.template.json.enabled: true
setup.template.json.path: ${names.shipper.template}
setup.template.json.name: ${names.shipper.template_name}
setup.ilm.enabled: false

filebeat.modules:
  - module: ${names.shipper.module}
    alerts:
      enabled: true
`;
