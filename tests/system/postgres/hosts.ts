import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificate } from '../support/example-certificate.js';
import { bootHosts, type ExampleHost, type ExampleHosts } from '../support/example-hosts.js';
import { addresses, addressOf, balancer, haproxy, names, nodes, settings } from './config.js';
import { network, postgresLayers } from './layer.js';

const unit = (program: string): string => `[Service]
Environment=NODE_EXTRA_CA_CERTS=/etc/api.pem
ExecStart=/usr/bin/node /usr/lib/runbook-lab/${program}.mjs
`;

/** A program of this folder as a service of a host. */
const service = (program: string, pem: string): Readonly<Record<string, string>> => ({
  'etc/api.pem': pem,
  [`usr/lib/runbook-lab/${program}.mjs`]: readFileSync(join(import.meta.dirname, `${program}.js`), 'utf8'),
  [`usr/lib/systemd/system/${program}.service`]: unit(program),
});

/** Three nodes, pg-1 the primary, and HAProxy before them, with the playbooks of the second platform. */
export async function bootPostgres(version: string): Promise<ExampleHosts> {
  const pem = certificate([...addresses, addressOf(balancer)]);
  const members = Object.fromEntries(names.map((name) => [name, addressOf(nodes[name])]));
  const machines: readonly ExampleHost[] = [
    ...names.map((name) => ({
      name,
      number: nodes[name],
      files: {
        ...service('cluster-api', pem),
        'etc/cluster-api.json': JSON.stringify({ name, members }),
        'etc/postgresql/15/main/conf.d/lab.conf': settings(name),
      },
      units: ['cluster-api'],
    })),
    {
      name: 'pg-balancer',
      number: balancer,
      files: { ...service('balancer-api', pem), 'etc/haproxy/haproxy.cfg': haproxy },
      units: ['balancer-api', 'haproxy'],
    },
  ];
  const source = join(import.meta.dirname, '../../platforms/postgres/playbooks');
  const hosts = await bootHosts({ source, layers: await postgresLayers(), network: 'rbpostgres', addressOf }, machines);
  writeFileSync(join(hosts.folder, 'ca.pem'), pem);
  writeFileSync(join(hosts.folder, 'inventory.yaml'), inventory(version));
  try {
    await Promise.all(names.map((name) => hosts.on(nodes[name], startNode(name !== 'pg-1'))));
    await hosts.on(balancer, untilBothFollow);
  } catch (error) {
    await hosts.stop();
    throw error;
  }
  return hosts;
}

/** Runs SQL on the primary, through the load balancer. */
export const sql = (hosts: ExampleHosts, text: string): Promise<string> =>
  hosts.on(balancer, `psql -qAtX -v ON_ERROR_STOP=1 '${through('writes')}' <<'SQL'\n${text}\nSQL\n`);

/** The load balancer as a client on its host has it. */
export const through = (backend: 'writes' | 'reads'): string =>
  `postgresql://postgres@127.0.0.1:${backend === 'writes' ? 5000 : 5001}/postgres?connect_timeout=5`;

/** How many standbys follow, asked of the primary. */
export const following = "select count(*) from pg_stat_replication where state = 'streaming'";
const untilBothFollow = `for tries in $(seq 300); do
  psql -qAtX '${through('writes')}' <<'SQL' | grep -qx 2 && exit
${following}
SQL
  sleep 0.2
done
exit 1
`;

const startNode = (standby: boolean): string => `
${standby ? 'install -m 600 -o postgres -g postgres /dev/null /var/lib/postgresql/15/main/standby.signal' : ''}
systemctl -q enable --now postgresql@15-main
`;

/** The exact version of the package is a variable. */
const inventory = (version: string): string => `platform: { target: "${version.replace(/-.*/, '')}" }
endpoints:
  cluster: { urls: [${addresses.map((each) => `"https://${each}:8008"`).join(', ')}], ca: ca.pem }
  balancer: { url: "https://${addressOf(balancer)}:8404", ca: ca.pem }
ssh: { user: ops, key: key, known_hosts: known_hosts, become: sudo }
vars: { version: ${version} }
hosts: { "pg-[1:3]": { address: "${network}.1{{n}}", roles: [database] } }
`;
