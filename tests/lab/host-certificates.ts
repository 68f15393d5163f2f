import { issue } from './certificates.js';
import { transportAddress } from './indexer-config.js';
import { hostsOf, type LabHost } from './topology.js';

/** Issues each central host's certificate, which all that it serves shares, and the one of the indexers' administrator. */
export async function issueHostCertificates(): Promise<void> {
  const hosts = hostsOf(['indexer', 'server', 'dashboard']);
  await Promise.all([
    ...hosts.map((host) => issue({ file: host.name, commonName: host.name, altNames: namesOf(host) })),
    issue({ file: 'admin', commonName: 'admin' }),
  ]);
}

const namesOf = (host: LabHost): string[] => [
  `IP:${host.address}`,
  `DNS:${host.name}`,
  ...(host.roles.includes('indexer') ? [`IP:${transportAddress(host)}`, 'DNS:localhost'] : []),
];
