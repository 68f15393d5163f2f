import { writeFile } from 'node:fs/promises';
import { caFile } from './certificates.js';
import { keyFile, knownHostsFile, secretFile } from './ssh.js';
import { inRun } from './state.js';
import { hostsOf, packageUrl, type LabHost, type Role } from './topology.js';

export const inventoryFile = (): string => inRun('inventory.yaml');

/** The version that the lab's repository offers to upgrade to. */
export const target = '4.14.7';

/**
 * Writes the inventory with which `runbook` works on the lab by hand: of the hosts that are up, secrets by file, the
 * elected manager's name not in it.
 */
export async function writeInventory(hosts: readonly LabHost[]): Promise<void> {
  const urls = hostsOf(['indexer']).map((host) => `https://${host.address}:9200`);
  const of = (role: Role): string => hosts.find((host) => host.roles.includes(role))?.address ?? 'unknown';
  const endpoints = [
    ...(hosts.some((host) => host.roles.includes('server'))
      ? [
          `  api: { url: https://${of('master')}:55000, user: ops, password: "{{secret.api}}", auth: token, ca: ${caFile()} }`,
        ]
      : []),
    `  indexer: { urls: [${urls.join(', ')}], user: admin, password: "{{secret.indexer}}", ca: ${caFile()} }`,
    ...(hosts.some((host) => host.roles.includes('dashboard'))
      ? [
          `  dashboard: { url: https://${of('dashboard')}, user: admin, password: "{{secret.indexer}}", ca: ${caFile()} }`,
        ]
      : []),
  ];
  const lines = hosts.map((host) => `  ${host.name}: { address: ${host.address}, roles: [${host.roles.join(', ')}] }`);
  const text = `# Written by \`lab up\`; gone with \`lab down\`.
platform:
  target: ${target}
  package_url: ${packageUrl}
  names:
    manager: { make_event: [tee, -a, /var/platform/queue/test-events], daemons: [analysisd, remoted, modulesd] } # the stand-in reads no journal, and has fewer daemons
vars:
  package_ca: ${caFile()}
  snapshot_repository: before-upgrades
  snapshot_location: /mnt/snapshots
endpoints:
${endpoints.join('\n')}
secrets:
  api: { file: ${secretFile('api')} }
  indexer: { file: ${secretFile('indexer')} }
ssh: { user: ops, key: ${keyFile()}, known_hosts: ${knownHostsFile()}, become: sudo }
hosts:
${lines.join('\n')}
`;
  await writeFile(inventoryFile(), text, { mode: 0o600 });
}
