import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { inRun } from './state.js';
import { attempt, run, type Finished } from './shell.js';
import { hostsOf, type LabHost } from './topology.js';

export const keyFile = (): string => inRun('ssh', 'id_ed25519');
export const knownHostsFile = (): string => inRun('ssh', 'known_hosts');
export const configFile = (): string => inRun('ssh', 'config');

/** Makes the lab's user key, a host key for each host, known_hosts and an ssh configuration naming them all. */
export async function makeKeys(): Promise<void> {
  await mkdir(inRun('ssh'), { recursive: true, mode: 0o700 });
  await makeKey(keyFile(), 'lab');
  await Promise.all(hostsOf().map((host) => makeKey(hostKeyFile(host), host.name)));
  const known = await Promise.all(
    hostsOf().map(async (host) => {
      const [type, key] = (await readFile(`${hostKeyFile(host)}.pub`, 'utf8')).split(' ');
      return `${host.name},${host.address} ${type ?? ''} ${key?.trim() ?? ''}\n`;
    }),
  );
  await writeFile(knownHostsFile(), known.join(''), { mode: 0o600 });
  await writeFile(configFile(), sshConfig(), { mode: 0o600 });
}

/** The private host key that a host is given. */
export const hostKeyFile = (host: LabHost): string => inRun('ssh', `host-${host.name}`);

/**
 * Runs a shell script as root on a host over ssh, given on standard input so that nothing of it stands in a process
 * list; throws with its output when its status is not 0.
 */
export async function onHost(host: LabHost, script: string, timeoutMs = 600_000): Promise<string> {
  return run('ssh', ['-F', configFile(), host.name, 'sudo bash -e -s'], { input: script, timeoutMs });
}

/** The same, answering whatever came of it. */
export async function tryOnHost(host: LabHost, script: string, timeoutMs = 600_000): Promise<Finished> {
  return attempt('ssh', ['-F', configFile(), host.name, 'sudo bash -s'], { input: script, timeoutMs });
}

/** The secret of that name, made at random on first use and kept in a file of its own with mode 0600. */
export async function secret(name: string, make: () => string = randomPassword): Promise<string> {
  const file = secretFile(name);
  if (!existsSync(file)) {
    await mkdir(inRun('secrets'), { recursive: true, mode: 0o700 });
    await writeFile(file, `${make()}\n`, { mode: 0o600 });
  }
  return (await readFile(file, 'utf8')).trimEnd();
}

export const secretFile = (name: string): string => inRun('secrets', name);

/** Long, and with characters of each class that the platform's password rules ask for. */
function randomPassword(): string {
  return `Lab.${randomBytes(15).toString('base64url')}.7a`;
}

async function makeKey(file: string, comment: string): Promise<void> {
  if (existsSync(file)) return;
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', comment, '-f', file]);
}

function sshConfig(): string {
  const blocks = hostsOf().map(
    (host) => `Host ${host.name}\n  HostName ${host.address}\n  HostKeyAlias ${host.name}\n`,
  );
  return `${blocks.join('\n')}
Host *
  User ops
  IdentityFile ${keyFile()}
  IdentitiesOnly yes
  UserKnownHostsFile ${knownHostsFile()}
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
  ConnectTimeout 10
  ServerAliveInterval 10
  LogLevel ERROR
`;
}
