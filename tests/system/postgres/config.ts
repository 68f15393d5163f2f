import { network } from './layer.js';

/** The nodes and the load balancer, by the last part of their addresses. */
export const nodes = { 'pg-1': 11, 'pg-2': 12, 'pg-3': 13 } as const;
export type Node = keyof typeof nodes;
export const names = Object.keys(nodes) as readonly Node[];
export const balancer = 10;

export const addressOf = (number: number): string => `${network}.${number}`;
export const addresses = names.map((name) => addressOf(nodes[name]));

/** Of each node: whoever is the primary is found by asking all. A commit is acknowledged once a standby has it, too. */
export const settings = (name: string): string => `listen_addresses = '*'
cluster_name = '${name}'
primary_conninfo = 'host=${addresses.join(',')} user=postgres target_session_attrs=read-write connect_timeout=2'
synchronous_standby_names = 'ANY 1 (${names.map((each) => `"${each}"`).join(', ')})'
wal_keep_size = 256MB
wal_retrieve_retry_interval = 500ms
`;

const servers = (options: string): string =>
  `  default-server check port 8008 check-ssl verify none inter 500ms fall 2 rise 1 ${options}
${names.map((name) => `  server ${name} ${addressOf(nodes[name])}:5432`).join('\n')}`;

/** Writes go to the primary, reads to the replicas. */
export const haproxy = `global
  user haproxy
  group haproxy
  stats socket /run/haproxy/admin.sock mode 600 level admin

defaults
  mode tcp
  option redispatch
  timeout check 5s
  timeout connect 2s
  timeout client 1h
  timeout server 1h

listen writes
  bind *:5000
  option httpchk GET /primary
${servers('on-marked-down shutdown-sessions')}

listen reads
  bind *:5001
  option httpchk GET /replica
${servers('')}
`;
