import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { idsOf } from '../../lab/base.js';
import { addBridge, plug } from '../../lab/network.js';
import { attempt, run } from '../../lab/shell.js';
import { bootSystemdHost, type SystemdHost } from '../systemd-host.js';
import { exampleLayers } from './example-packages.js';

const wants = 'etc/systemd/system/multi-user.target.wants';

export interface ExampleHost {
  readonly name: string;
  /** The last part of its address. */
  readonly number: number;
  /** Files of the host, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Units that start when it boots. */
  readonly units: readonly string[];
}

export interface ExampleHosts {
  /** A copy of the example's folder, with the files `key` and `known_hosts` for ssh. */
  readonly folder: string;
  /** Arguments of `ssh` for the user `ops` of a host. */
  sshTo(number: number): readonly string[];
  /** Runs a shell script as root on a host, and answers what it prints. */
  on(number: number, script: string): Promise<string>;
  stop(): Promise<void>;
}

export const addressOf = (number: number): string => `10.231.78.${number}`;

/** Boots hosts for an example of the documentation. */
export const bootExample = async (example: string, hosts: readonly ExampleHost[]): Promise<ExampleHosts> => {
  const source = join(import.meta.dirname, '../../../docs/examples', example);
  return bootHosts({ source, layers: await exampleLayers(), network: 'rbexample', addressOf }, hosts);
};

/** What hosts of a test have in common. */
export interface HostsGroup {
  /** The folder with the playbooks. */
  readonly source: string;
  /** Of each host's disk, the uppermost first. */
  readonly layers: readonly string[];
  /** Begins the names of the bridge, the interfaces and the namespaces; at most 11 characters. */
  readonly network: string;
  readonly addressOf: (number: number) => string;
}

/** Boots hosts: real systemd, sshd and apt, in a network of their own. Root only. */
export async function bootHosts(group: HostsGroup, hosts: readonly ExampleHost[]): Promise<ExampleHosts> {
  const { source, layers, network, addressOf } = group;
  const bridge = `${network}0`;
  const netnsOf = (name: string): string => `${network}-${name}`;
  const folder = mkdtempSync(join(tmpdir(), 'runbook-example-'));
  cpSync(source, folder, { recursive: true });
  await Promise.all(['key', ...hosts.map(({ name }) => name)].map((name) => makeKey(join(folder, name))));
  const known = hosts.map((h) => `${addressOf(h.number)} ${readFileSync(join(folder, `${h.name}.pub`), 'utf8')}`);
  writeFileSync(join(folder, 'known_hosts'), known.join(''));
  const booted: SystemdHost[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(booted.map((host) => host.stop()));
    for (const { name } of hosts) await attempt('ip', ['netns', 'delete', netnsOf(name)]);
    await attempt('ip', ['link', 'delete', bridge]);
    rmSync(folder, { recursive: true });
  };
  const { uid, gid } = await idsOf(layers.at(-1) ?? '', 'ops');
  const boot = async (host: ExampleHost): Promise<void> => {
    const netns = netnsOf(host.name);
    await plug(bridge, netns, `${network}-v${host.number}`, [addressOf(host.number)]);
    const prepare = (root: string): void => {
      writeDisk(root, host, folder);
      chownSync(join(root, 'home/ops/.ssh'), uid, gid);
    };
    booted.push(await bootSystemdHost({ name: host.name, layers, netns, prepare }));
  };
  try {
    await addBridge(bridge, addressOf(1));
    for (const each of await Promise.allSettled(hosts.map(boot))) if (each.status === 'rejected') throw each.reason;
  } catch (error) {
    await stop();
    throw error;
  }
  const at = (file: string): string => join(folder, file);
  const options = ['-i', at('key'), '-o', `UserKnownHostsFile=${at('known_hosts')}`, '-o', 'LogLevel=ERROR'];
  const sshTo = (number: number): readonly string[] => [...options, `ops@${addressOf(number)}`];
  return {
    folder,
    sshTo,
    on: (number, script) => run('ssh', [...sshTo(number), 'sudo bash -e -s'], { input: script }),
    stop,
  };
}

const makeKey = (file: string): Promise<string> => run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);

/** What makes a disk this host's: its name, its keys, its files, what it starts. */
function writeDisk(root: string, host: ExampleHost, folder: string): void {
  const place = (path: string, content: string | Buffer, mode = 0o644): void => {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), content, { mode });
  };
  place('etc/hostname', `${host.name}\n`);
  place('etc/hosts', `127.0.0.1 localhost ${host.name}\n`);
  place('etc/ssh/ssh_host_ed25519_key', readFileSync(join(folder, host.name)), 0o600);
  place('home/ops/.ssh/authorized_keys', readFileSync(join(folder, 'key.pub')));
  for (const [path, text] of Object.entries(host.files)) place(path, text);
  for (const unit of host.units)
    symlinkSync(`/lib/systemd/system/${unit}.service`, join(root, wants, `${unit}.service`));
}
