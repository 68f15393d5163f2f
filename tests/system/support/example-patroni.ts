import { addressOf } from './example-hosts.js';

/** The members `db-1` to `db-3`, by the last part of the address. */
export const members = [21, 22, 23];
/** Of the REST API and of the database. */
export const password = 'Patroni.7a.of.the.lab';
const addresses = members.map(addressOf);

/** `/etc/default/etcd` of a member. */
export const etcd = (name: string, address: string): string => `ETCD_NAME=${name}
ETCD_INITIAL_CLUSTER=${members.map((number) => `db-${number - 20}=http://${addressOf(number)}:2380`).join(',')}
ETCD_LISTEN_PEER_URLS=http://${address}:2380
ETCD_INITIAL_ADVERTISE_PEER_URLS=http://${address}:2380
ETCD_LISTEN_CLIENT_URLS=http://${address}:2379
ETCD_ADVERTISE_CLIENT_URLS=http://${address}:2379
`;

/** `/etc/patroni/config.yml` of a member. Decisions are made each second instead of each ten, to save time. */
export const patroni = (name: string, address: string): string => `scope: main
name: ${name}
etcd3: { hosts: [${addresses.map((each) => `"${each}:2379"`).join(', ')}] }
restapi:
  listen: ${address}:8008
  connect_address: ${address}:8008
  certfile: /etc/patroni/api.pem
  cafile: /etc/patroni/api.pem
  authentication: { username: patroni, password: ${password} }
bootstrap:
  dcs: { ttl: 20, loop_wait: 1, retry_timeout: 5, postgresql: { use_pg_rewind: true, use_slots: true } }
  initdb: [{ encoding: UTF8 }, data-checksums]
  pg_hba: [local all all peer, host all all 10.231.78.0/24 scram-sha-256, host replication all 10.231.78.0/24 scram-sha-256]
postgresql:
  listen: ${address}:5432
  connect_address: ${address}:5432
  data_dir: /var/lib/postgresql/15/main
  bin_dir: /usr/lib/postgresql/15/bin
  parameters: { unix_socket_directories: /var/run/postgresql }
  authentication:
    superuser: { username: postgres, password: ${password} }
    replication: { username: replicator, password: ${password} }
    rewind: { username: rewinder, password: ${password} }
`;
