import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Sshd {
  readonly port: number;
  readonly folder: string;
  /** A private key that every user of `authorize` takes. */
  readonly keyFile: string;
  readonly knownHosts: string;
  /** What sshd has said. */
  log(): string;
  hostKey(type: 'ed25519' | 'rsa' | 'ecdsa'): string;
  stop(): Promise<void>;
}

/**
 * A real sshd on a loopback address, with keys and configuration of its own in a folder that goes with it. Root only.
 * `listen` is what its ListenAddress says, where that is more than the one address; `inside` is a command that runs it in namespaces of its own.
 */
export async function startSshd(
  more: readonly string[] = [],
  address = '127.0.0.1',
  listen = address,
  inside: readonly string[] = [],
): Promise<Sshd> {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-sshd-'));
  chmodSync(folder, 0o755);
  const at = (name: string): string => join(folder, name);
  const keygen = (file: string, type: string, passphrase = ''): void =>
    void execFileSync('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-C', 'test', '-f', at(file)]);
  for (const type of ['ed25519', 'rsa', 'ecdsa']) keygen(`host_${type}`, type);
  keygen('user', 'ed25519');
  writeFileSync(at('authorized'), readFileSync(at('user.pub')));
  const port = await freePort(inside.length === 0 ? address : undefined);
  writeFileSync(
    at('sshd_config'),
    [
      `Port ${port}`,
      `ListenAddress ${listen}`,
      ...['ed25519', 'rsa', 'ecdsa'].map((t) => `HostKey ${at(`host_${t}`)}`),
      `AuthorizedKeysFile ${at('authorized')}`,
      'PermitRootLogin yes',
      'StrictModes no',
      `PidFile ${at('pid')}`,
      ...(more.some((line) => line.startsWith('Subsystem')) ? [] : ['Subsystem sftp internal-sftp']),
      ...more,
    ].join('\n'),
  );
  const known = ['ed25519', 'rsa', 'ecdsa'].map(
    (t) => `[${address}]:${port} ${readFileSync(at(`host_${t}.pub`), 'utf8')}`,
  );
  writeFileSync(at('known_hosts'), known.join(''));
  // Privilege separation wants it; systemd would make it.
  mkdirSync('/run/sshd', { recursive: true });
  const [program, ...args] = [...inside, '/usr/sbin/sshd', '-D', '-e', '-f', at('sshd_config')];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await listening(child, () => said);
  return {
    port,
    folder,
    keyFile: at('user'),
    knownHosts: at('known_hosts'),
    log: () => said,
    hostKey: (type) => readFileSync(at(`host_${type}.pub`), 'utf8').trim(),
    async stop() {
      // Ctrl-C at a terminal has ended it already.
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill();
        await ended;
      }
      rmSync(folder, { recursive: true });
    },
  };
}

export async function freePort(address = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function listening(child: ChildProcess, said: () => string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (child.exitCode !== null) throw new Error(`sshd ended with status ${child.exitCode}`);
    if (said().includes('Server listening on')) return;
    await sleep(50);
  }
  throw new Error('sshd does not listen');
}
