import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { appendFile } from 'node:fs/promises';
import { rootOf } from '../../lab/disk.js';
import type { Cluster } from '../../lab/nats.js';
import { plugWithRoutes } from '../../lab/network.js';
import { attempt, run } from '../../lab/shell.js';
import { knownHostsFile } from '../../lab/ssh.js';
import { gateway, netnsPrefix, type LabHost } from '../../lab/topology.js';
import type { RunbookOptions } from './runbook.js';

/** Someone who runs the program: a user of this machine in a network namespace, with a project, keys and a login at the store of their own. */
export interface Workplace {
  readonly user: string;
  readonly project: string;
  /** Becomes a command of that user, in that namespace. */
  readonly as: (argv: readonly string[]) => readonly string[];
  readonly options: RunbookOptions;
}

export interface WorkplaceRequest {
  /** A user that there is, whose home is `FOLDER/USER`. */
  readonly user: string;
  readonly folder: string;
  readonly address: string;
  /** The hosts that there is a route to, and that take the user's key. */
  readonly hosts: readonly LabHost[];
  readonly inventory: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly cluster: Cluster;
  readonly login: Cluster['user'];
  /** The program, where this user can read it. */
  readonly program: string;
}

const namespaceOf = (user: string): string => `${netnsPrefix}${user}`;
const hostsFileOf = (user: string): string => `/etc/netns/${namespaceOf(user)}/hosts`;

export async function openWorkplace(request: WorkplaceRequest): Promise<Workplace> {
  const { user, folder, address, hosts, program } = request;
  const home = join(folder, user);
  const netns = namespaceOf(user);
  // Its own side first: names as the servers' certificates have them. The servers are behind relays at the bridge.
  mkdirSync(dirname(hostsFileOf(user)), { recursive: true });
  writeFileSync(hostsFileOf(user), `${gateway} localhost\n`);
  await plugWithRoutes(netns, address, [gateway, ...hosts.map((host) => host.address)]);
  const project = join(home, 'upgrade');
  writeProject(project, home, request);
  for (const host of hosts) await admit(host, join(project, 'ssh', 'key.pub'));
  await run('chown', ['-R', `${user}:`, home]);
  chmodSync(home, 0o700);
  const as: Workplace['as'] = (argv) => [
    ...['ip', 'netns', 'exec', netns, 'setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'],
    ...[
      'env',
      '-i',
      `HOME=${home}`,
      `TMPDIR=${home}`,
      `USER=${user}`,
      `PATH=${process.env['PATH'] ?? ''}`,
      'NO_COLOR=1',
      ...argv,
    ],
  ];
  return { user, project, as, options: { cwd: project, through: as([program]) } };
}

export async function closeWorkplace(user: string): Promise<void> {
  await attempt('ip', ['netns', 'delete', namespaceOf(user)]);
  rmSync(dirname(hostsFileOf(user)), { recursive: true, force: true });
}

/** The layout is the same in each project; keys, known hosts and secrets are the user's own. */
function writeProject(project: string, home: string, request: WorkplaceRequest): void {
  const { user, hosts, inventory, secrets, cluster, login } = request;
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
  };
  write(join(project, 'inventory.yaml'), inventory);
  write(
    join(project, 'runbook.config.yaml'),
    `store: nats://${cluster.servers.join(',')}/team\nstore_ca: nats-ca.pem\n`,
  );
  copyFileSync(cluster.caFile, join(project, 'nats-ca.pem'));
  const addresses = new Set(hosts.map((host) => host.address));
  const known = readFileSync(knownHostsFile(), 'utf8').split('\n');
  write(
    join(project, 'ssh', 'known_hosts'),
    known.map((line) => (addresses.has(/,(\S+)/.exec(line)?.[1] ?? '') ? `${line}\n` : '')).join(''),
  );
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', user, '-f', join(project, 'ssh', 'key')]);
  for (const [name, value] of Object.entries(secrets)) write(join(project, 'secrets', name), `${value}\n`);
  const settings = join(home, '.config', 'runbook');
  write(join(settings, 'config.yaml'), 'store_user: store-user\nstore_password: store-password\n');
  copyFileSync(login.userFile, join(settings, 'store-user'));
  copyFileSync(login.passwordFile, join(settings, 'store-password'));
}

/** Beside the lab's own key, with which the test reads what is on the hosts. */
async function admit(host: LabHost, publicKey: string): Promise<void> {
  for (const user of ['ops', 'opspw'])
    await appendFile(join(rootOf(host), 'home', user, '.ssh', 'authorized_keys'), readFileSync(publicKey));
}
