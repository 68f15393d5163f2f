import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { filebeatYml, managerConf } from './build/build-standins.js';
import { certsDir } from './certificates.js';
import { rootOf } from './disk.js';
import { hasConnector } from './packages/platform-manager/spec.js';
import { disableRepository, installPackages, placeCertificate, quoted } from './install.js';
import { onHost, secret } from './ssh.js';
import { firstOf, hostsOf, packageUrl, type LabHost } from './topology.js';

/** The module archive of a release before the target: 0.3 is inferred; the upgrade brings 0.5 (§9.5.5). */
const moduleArchive = (version: string): string =>
  `4.x/filebeat/platform-filebeat-${version.startsWith('4.7') ? '0.3' : '0.4'}.tar.gz`;
/** The shipper keeps its version over the upgrade (§9.1.2), so its package differs by the revision only. */
const shipperPackage = 'filebeat=7.10.2-1';

const indexerUrls = (): string[] => hostsOf(['indexer']).map((host) => `https://${host.address}:9200`);

/**
 * Makes a cluster of the server hosts, master and worker: manager and shipper installed from the repository and
 * configured as an operator does. The indexer has to be up: the shipper's index management goes there.
 */
export async function provisionServers(version: string): Promise<void> {
  const servers = hostsOf(['server']);
  await Promise.all(servers.map((host) => installPackages(host, [`platform-manager=${version}-1`, shipperPackage])));
  await Promise.all(servers.map((host) => configureManager(host, version)));
  await Promise.all(servers.map((host) => configureShipper(host, version)));
  // The master first: the worker joins it, and its agents enrol through it.
  for (const host of hostsOf(['master'])) await onHost(host, start);
  await Promise.all(hostsOf(['worker']).map((host) => onHost(host, start)));
  await Promise.all(servers.map(disableRepository));
}

const start = `systemctl daemon-reload
systemctl -q enable platform-manager filebeat
systemctl start platform-manager
cd /
filebeat setup --index-management </dev/null >/var/log/lab-shipper-setup.log 2>&1
filebeat setup --pipelines </dev/null >>/var/log/lab-shipper-setup.log 2>&1
systemctl start filebeat
`;

/** The manager's configuration, the API's certificate and user, and the credentials of the indexer in the keystore. */
async function configureManager(host: LabHost, version: string): Promise<void> {
  const conf = await managerConf({
    release: version,
    nodeName: host.name,
    nodeType: host.roles.includes('master') ? 'master' : 'worker',
    clusterKey: await secret('cluster-key'),
    master: firstOf('master').address,
    indexers: indexerUrls(),
    ca: '/etc/filebeat/certs/root-ca.pem',
    certificate: `/etc/filebeat/certs/${host.name}.pem`,
  });
  for (const suffix of ['.pem', '-key.pem']) {
    await copyFile(join(certsDir(), `${host.name}${suffix}`), join(rootOf(host), 'var/tmp', `api${suffix}`));
  }
  await onHost(
    host,
    `cd /var/platform
cat >etc/platform.conf <<'CONFIG'
${conf}CONFIG
install -m 0640 -o root -g platform /var/tmp/api.pem api/ssl/server.crt
install -m 0640 -o root -g platform /var/tmp/api-key.pem api/ssl/server.key
rm /var/tmp/api.pem /var/tmp/api-key.pem
printf 'ops:%s\\n' ${quoted(await secret('api'))} >api/configuration/credentials
${hasConnector(version) ? await credentials() : ''}`,
  );
}

/** The indexer's credentials into the keystore that the manager's connector reads. */
const credentials = async (): Promise<string> => `printf %s admin | bin/platform-keystore -f indexer -k username
printf %s ${quoted(await secret('indexer'))} | bin/platform-keystore -f indexer -k password
`;

/** The shipper's configuration, certificates, keystore, module and template, the last two downloaded as §9.5.5 has it. */
async function configureShipper(host: LabHost, version: string): Promise<void> {
  const config = await filebeatYml({
    hosts: hostsOf(['indexer']).map((each) => `${each.address}:9200`),
    ca: '/etc/filebeat/certs/root-ca.pem',
    certificate: `/etc/filebeat/certs/${host.name}.pem`,
  });
  await placeCertificate(host, { from: host.name, dir: '/etc/filebeat/certs', as: host.name, owner: 'root' });
  await onHost(
    host,
    `cd /
cat >/etc/filebeat/filebeat.yml <<'CONFIG'
${config}CONFIG
curl -fsS ${packageUrl}/${moduleArchive(version)} | tar -xz -C /usr/share/filebeat/module
curl -fsS ${packageUrl}/tags/v${version}/platform-template.json -o /etc/filebeat/platform-template.json
chmod go+r /etc/filebeat/platform-template.json
filebeat keystore create --force </dev/null >/dev/null
printf %s admin | filebeat keystore add username --stdin --force >/dev/null
printf %s ${quoted(await secret('indexer'))} | filebeat keystore add password --stdin --force >/dev/null
`,
  );
}
