import { elect, ask, green } from './indexer-client.js';
import { indexerConfig, labJvmLine, operatorHeap, operatorJvmLine, operatorRemark } from './indexer-config.js';
import { disableRepository, installPackages, placeCertificate, quoted } from './install.js';
import { onHost, secret } from './ssh.js';
import { timed } from './shell.js';
import { firstOf, hostsOf, type LabHost } from './topology.js';

const tools = '/usr/share/platform-indexer/plugins/opensearch-security/tools';

/**
 * Makes a cluster of the indexer hosts: installed from the repository, configured by hand as an operator does, security
 * initialised by the platform's own tool, green, indices with replicas in it, indexer-1 elected, repository turned off.
 */
export async function provisionIndexers(version: string): Promise<void> {
  const nodes = hostsOf(['indexer']);
  const [first] = nodes;
  if (first === undefined) throw new Error('no indexer hosts');
  await timed('indexers: installed', () => Promise.all(nodes.map((host) => install(host, version))));
  const hash = await passwordHash(first);
  await Promise.all(nodes.map((host) => configure(host, hash)));
  await timed('indexers: started', () => Promise.all(nodes.map((host) => onHost(host, start))));
  await timed('indexers: security initialised, green', async () => {
    await onHost(
      first,
      '/usr/share/platform-indexer/bin/indexer-security-init.sh >/var/log/lab-security-init.log 2>&1',
    );
    await green();
  });
  await fill();
  await settle();
}

/** Makes the first indexer the elected one, as the tests expect it at their start, and waits for green. */
export async function settle(): Promise<void> {
  await elect(firstOf('indexer').name);
  await green();
}

const start = 'systemctl daemon-reload\nsystemctl -q enable platform-indexer\nsystemctl start platform-indexer\n';

async function install(host: LabHost, version: string): Promise<void> {
  await installPackages(host, [`platform-indexer=${version}-1`]);
  const certs = { dir: '/etc/platform-indexer/certs', owner: 'platform-indexer' };
  await placeCertificate(host, { ...certs, from: host.name, as: 'indexer' });
  await placeCertificate(host, { ...certs, from: 'admin', as: 'admin' });
  await disableRepository(host);
}

/** What the operator of this cluster changed: addresses, heap and an option in jvm.options, the administrator's password, a remark. */
async function configure(host: LabHost, hash: string): Promise<void> {
  await onHost(
    host,
    `cd /etc/platform-indexer
cat >opensearch.yml <<'CONFIG'
${indexerConfig(host)}CONFIG
sed -i 's/^-Xm\\([sx]\\)1g$/-Xm\\1${operatorHeap}/' jvm.options
printf '\\n## Added by the operator\\n%s\\n' ${quoted(operatorJvmLine)} >>jvm.options
echo ${quoted(labJvmLine)} >jvm.options.d/lab.options
sed -i '/^admin:/,/^ *hash:/ s|^\\( *hash: \\).*|\\1"${hash}"|' security/internal_users.yml
echo ${quoted(operatorRemark)} >>/etc/default/platform-indexer
chmod 1777 /mnt/snapshots
`,
  );
}

/** The hash that internal_users.yml holds, by the plugin's own tool; the password goes there in the environment. */
async function passwordHash(host: LabHost): Promise<string> {
  const password = await secret('indexer');
  const output = await onHost(
    host,
    `export OPENSEARCH_JAVA_HOME=/usr/lib/jvm/java-17-openjdk-amd64 LAB_PASSWORD=${quoted(password)}
bash ${tools}/hash.sh -env LAB_PASSWORD </dev/null
`,
  );
  const hash = output.split('\n').find((line) => line.startsWith('$2'));
  if (hash === undefined) throw new Error(`hash.sh gave no hash: ${output}`);
  return hash.trim();
}

/**
 * A few indices with replicas, as a platform that has run for some days has them. Tomorrow's is there too: on a lab that
 * lives past midnight UTC the shippers would else make it with whatever engine runs then, and no rollback passes that.
 */
async function fill(): Promise<void> {
  const settings = { settings: { number_of_shards: 3, number_of_replicas: 1 } };
  for (const ago of [3, 2, 1, -1]) {
    const day = new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '.');
    const index = `platform-alerts-4.x-${day}`;
    await ask('PUT', `/${index}`, settings);
    const lines = Array.from(
      { length: 50 },
      (_, n) => `{"index":{"_id":"${n}"}}\n{"rule":{"level":${n % 12}},"day":"${day}"}\n`,
    );
    await ask('POST', `/${index}/_bulk?refresh=true`, lines.join(''));
  }
  await ask('PUT', '/platform-states-inventory', { settings: { number_of_shards: 1, number_of_replicas: 2 } });
  await ask('PUT', '/platform-states-inventory/_doc/1?refresh=true', { agent: 'linux-1', packages: 311 });
}
