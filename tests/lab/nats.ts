import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLink } from '../../engine/store/nats/link.js';
import { run, say, timed } from './shell.js';

const VERSION = '2.15.2';
const MODULE = `github.com/nats-io/nats-server/v2@v${VERSION}`;
const NODES = 3;
/** The largest message, bytes: smaller than the default, so that a test hits it soon. */
export const MAX_PAYLOAD = 256 * 1024;

/** A user of the cluster, with its files. */
interface User {
  readonly userFile: string;
  readonly passwordFile: string;
}

/** Three servers on this machine, with TLS and users of their own. Nodes are numbered from 0. */
export interface Cluster {
  readonly servers: readonly string[];
  readonly caFile: string;
  /** May do everything in its account. */
  readonly user: User;
  /** May read and write what is of the store `team`, and make nothing. */
  readonly member: User;
  /** May read what is of the store `team`, and write nothing. */
  readonly reader: User;
  /** Workers of two zones of that store: each may read what is sent to its zone, and answer it. */
  readonly berlin: User;
  readonly lisbon: User;
  /** Starts a node that is stopped. */
  start(node: number): void;
  /** Ends a node with SIGKILL, as a loss of power does. */
  kill(node: number): Promise<void>;
  /** Takes the member out of the servers' users, or back in, and has them read that. */
  permit(member: boolean): Promise<void>;
  /** The node that leads a stream now. */
  leaderOf(stream: string): Promise<number>;
  stop(): Promise<void>;
}

/** What the program takes from its environment to work with a store of the cluster. */
export const storeEnv = (cluster: Cluster, store: string, user: User = cluster.user) => ({
  RUNBOOK_STORE: `nats://${cluster.servers.join(',')}/${store}`,
  RUNBOOK_STORE_CA: cluster.caFile,
  RUNBOOK_STORE_USER: user.userFile,
  RUNBOOK_STORE_PASSWORD: user.passwordFile,
});

/** The server's program, built once from its Go module into the user's cache. */
async function program(): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'runbook-nats', VERSION);
  const file = join(cache, 'nats-server');
  if (existsSync(file)) return file;
  say(`building ${MODULE} into ${cache}`);
  await mkdir(cache, { recursive: true });
  // Beside it first: a build that was interrupted is not taken for a program.
  const building = await mkdtemp(join(cache, 'building-'));
  await timed('nats-server', () => run('go', ['install', MODULE], { env: { ...process.env, GOBIN: building } }));
  await rename(join(building, 'nats-server'), file);
  await rm(building, { recursive: true });
  return file;
}

/** Starts three servers in a folder of their own, which `stop` removes. They take time to elect their leaders. */
export async function startCluster(): Promise<Cluster> {
  const server = await program();
  const folder = await mkdtemp(join(tmpdir(), 'runbook-nats-'));
  await makeCertificates(folder);
  const ports = await freePorts(2 * NODES);
  const nodes = Array.from({ length: NODES }, (_, n) => ({ port: ports[n] ?? 0, route: ports[NODES + n] ?? 0 }));
  const users = { user: 'runbook', member: 'member', reader: 'reader', berlin: 'berlin', lisbon: 'lisbon' };
  for (const name of [...Object.values(users), 'password']) await writeFile(join(folder, name), `${name}\n`);
  const configFile = (node: number): string => join(folder, `node-${node}.conf`);
  const configure = async (member: boolean): Promise<void> => {
    for (const [n, { port, route }] of nodes.entries())
      await writeFile(
        configFile(n),
        configOf({ n, folder, port, route, routes: nodes.map((each) => each.route), member }),
      );
  };
  await configure(true);
  const running = new Map<number, ChildProcess>();
  const start = (node: number): void => {
    running.set(node, spawn(server, ['-c', configFile(node)], { stdio: 'ignore' }));
  };
  const kill = async (node: number): Promise<void> => {
    const process = running.get(node);
    running.delete(node);
    if (process === undefined || process.exitCode !== null || process.signalCode !== null) return;
    const ended = once(process, 'exit');
    process.kill('SIGKILL');
    await ended;
  };
  nodes.forEach((_, n) => start(n));
  const userOf = (name: string): User => ({ userFile: join(folder, name), passwordFile: join(folder, 'password') });
  const reached = {
    servers: nodes.map(({ port }) => `localhost:${port}`),
    caFile: join(folder, 'ca.pem'),
    user: userOf(users.user),
  };
  return {
    ...reached,
    member: userOf(users.member),
    reader: userOf(users.reader),
    berlin: userOf(users.berlin),
    lisbon: userOf(users.lisbon),
    start,
    kill,
    async permit(member) {
      await configure(member);
      for (const process of running.values()) process.kill('SIGHUP');
    },
    async leaderOf(stream) {
      const link = await openLink({ ...reached, login: reached.user, store: 'leader' });
      try {
        const { cluster } = await link.persist('ask for the leader', () => link.manager.streams.info(stream));
        return Number(cluster?.leader?.replace('node-', ''));
      } finally {
        await link.close();
      }
    },
    async stop() {
      await Promise.all([...running.keys()].map(kill));
      await rm(folder, { recursive: true });
    },
  };
}

interface Node {
  readonly n: number;
  readonly folder: string;
  readonly port: number;
  readonly route: number;
  readonly routes: readonly number[];
  readonly member: boolean;
}

const configOf = ({ n, folder, port, route, routes, member }: Node): string => `
server_name: node-${n}
listen: "127.0.0.1:${port}"
max_payload: ${MAX_PAYLOAD}
tls { cert_file: "${folder}/server.pem", key_file: "${folder}/server-key.pem" }
jetstream { store_dir: "${folder}/node-${n}", sync_interval: always, max_file_store: 1G }
cluster {
  name: runbook
  listen: "127.0.0.1:${route}"
  routes: [${routes.map((each) => `"nats://127.0.0.1:${each}"`).join(', ')}]
}
accounts {
  runs {
    jetstream: enabled
    users: [
      { user: runbook, password: password }
${member ? userOfStore('member', 'team', true) : ''}${userOfStore('reader', 'team', false)}${['berlin', 'lisbon'].map((zone) => workerOf('team', zone)).join('')}    ]
  }
}
`;

/** What a member of a team needs, and no more; without the right to write what one needs who reads. */
const userOfStore = (name: string, store: string, mayWrite: boolean): string => `      {
        user: ${name}, password: password
        permissions {
          publish: [
            ${mayWrite ? `"${store}.>"` : ''}
            "$JS.API.STREAM.INFO.${store}-runs", "$JS.API.STREAM.MSG.GET.${store}-runs"
            "$JS.API.STREAM.INFO.${store}-files", "$JS.API.STREAM.MSG.GET.${store}-files"
            "$JS.API.CONSUMER.CREATE.${store}-runs.>", "$JS.API.CONSUMER.DELETE.${store}-runs.>"
            "$JS.API.CONSUMER.INFO.${store}-runs.>", "$JS.API.CONSUMER.MSG.NEXT.${store}-runs.>"
          ]
          subscribe: ["_INBOX.>", "${store}.zone.*.reply.>"]
        }
      }
`;

/** What the workers of a zone need, and no more. */
const workerOf = (store: string, zone: string): string => `      {
        user: ${zone}, password: password
        permissions {
          subscribe: ["${store}.zone.${zone}.>"]
          publish: ["${store}.zone.${zone}.reply.>"]
        }
      }
`;

async function makeCertificates(folder: string): Promise<void> {
  const at = (name: string): string => join(folder, name);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const authority = ['-subj', '/CN=runbook tests', '-addext', 'keyUsage=critical,keyCertSign'];
  await run('openssl', ['req', '-x509', ...key, ...authority, '-keyout', at('ca-key.pem'), '-out', at('ca.pem')]);
  await run('openssl', [
    ...['req', '-x509', ...key, '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
    ...['-CA', at('ca.pem'), '-CAkey', at('ca-key.pem'), '-addext', 'basicConstraints=critical,CA:FALSE'],
    ...['-keyout', at('server-key.pem'), '-out', at('server.pem')],
  ]);
}

/** Ports that nothing listens on now. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
