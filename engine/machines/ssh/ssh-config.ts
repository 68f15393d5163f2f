import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { getOrCreate } from '../../lib/get-or-create.js';
import type { SshSettings } from '../../terms/inventory.js';
import { failed, reached, type Reached } from '../machine.js';

/** One server to log in to, everything settled: the inventory's words first, then OpenSSH's configuration, then its defaults. */
export interface SshTarget {
  readonly address: string;
  readonly port: number;
  readonly user: string;
  /** Private keys, in the order to try. */
  readonly keyFiles: readonly string[];
  /** The socket of an agent. */
  readonly agent?: string;
  readonly knownHostsFiles: readonly string[];
  readonly hostKeyAlias?: string;
  readonly connectTimeoutMs: number;
  /** Hops in order, each `user@host:port`. */
  readonly jump: readonly string[];
}

/** OpenSSH's effective configuration of a host: each key in lower case with all its values. */
export type SshConfig = ReadonlyMap<string, readonly string[]>;

export interface ConfigReader {
  /** Empty when there is no configuration to read, or nothing to read it with. */
  read(address: string, file: string | undefined): Promise<Reached<SshConfig>>;
}

/** Asks `ssh -G`, once for each address, and only where there is a configuration: a process each is dear. */
export function createConfigReader(): ConfigReader {
  const limit = pLimit(4);
  const read = new Map<string, Promise<Reached<SshConfig>>>();
  return {
    read(address, file) {
      if (file === undefined && !existsSync(join(homedir(), '.ssh/config'))) return Promise.resolve(reached(new Map()));
      const key = JSON.stringify([address, file]);
      return getOrCreate(read, key, () => limit(() => askSsh(address, file)));
    },
  };
}

async function askSsh(address: string, file: string | undefined): Promise<Reached<SshConfig>> {
  const { execa } = await import('execa');
  const args = ['-G', ...(file === undefined ? [] : ['-F', file]), '--', address];
  const run = await execa('ssh', args, { reject: false, stdin: 'ignore', timeout: 20_000 });
  if (run.exitCode === undefined && file === undefined) return reached(new Map());
  if (run.failed) {
    const said = run.stderr.trim().split('\n')[0] ?? '';
    return failed(
      'unreachable',
      `ssh -G cannot read the configuration for ${address}: ${said === '' ? run.shortMessage : said}`,
      'correct ~/.ssh/config or ssh.config',
    );
  }
  return reached(parseSshConfig(run.stdout));
}

export function parseSshConfig(text: string): SshConfig {
  const found = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [, key = '', value = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (key !== '') found.set(key.toLowerCase(), [...(found.get(key.toLowerCase()) ?? []), value.trim()]);
  }
  return found;
}

const defaultKeys = ['id_ed25519', 'id_ecdsa', 'id_rsa'].map((n) => `~/.ssh/${n}`);
const defaultKnownHosts = ['~/.ssh/known_hosts', '/etc/ssh/ssh_known_hosts'];
const defaultConnectTimeoutMs = 15_000;

/** Settles where and as whom to log in. `env` gives the agent's socket. */
export function settle(
  address: string,
  ssh: SshSettings,
  config: SshConfig,
  env: Readonly<Record<string, string | undefined>>,
): Reached<SshTarget> {
  const one = (key: string): string | undefined => {
    const value = config.get(key)?.[0];
    return value === undefined || value === 'none' ? undefined : value;
  };
  const jump = ssh.jump ?? one('proxyjump')?.split(',') ?? [];
  const proxy = one('proxycommand');
  if (proxy !== undefined && jump.length === 0)
    return failed(
      'unreachable',
      `the ssh configuration of ${address} has a ProxyCommand`,
      'use ProxyJump, or ssh.jump in the inventory',
    );
  const agent = agentOf(config.get('identityagent')?.[0], env);
  const isGiven = ssh.keyFile !== undefined || one('identitiesonly') === 'yes';
  const keyFiles = (ssh.keyFile === undefined ? (config.get('identityfile') ?? defaultKeys) : [ssh.keyFile]).map(
    atHome,
  );
  const timeoutS = Number(one('connecttimeout') ?? NaN);
  const alias = one('hostkeyalias');
  return reached({
    address: one('hostname') ?? address,
    port: ssh.port ?? Number(one('port') ?? 22),
    user: ssh.user ?? one('user') ?? userInfo().username,
    keyFiles: ssh.keyFile === undefined ? keyFiles.filter((f) => existsSync(f)) : keyFiles,
    // A key that was named is the one to use; an agent full of others would use up the server's patience.
    ...(agent === undefined || isGiven ? {} : { agent }),
    knownHostsFiles: knownHostsFiles(ssh, config).map(atHome),
    ...(alias === undefined ? {} : { hostKeyAlias: alias }),
    connectTimeoutMs: ssh.connectTimeoutMs ?? (Number.isFinite(timeoutS) ? timeoutS * 1000 : defaultConnectTimeoutMs),
    jump,
  });
}

function knownHostsFiles(ssh: SshSettings, config: SshConfig): readonly string[] {
  if (ssh.knownHosts !== undefined) return [ssh.knownHosts];
  const files = ['userknownhostsfile', 'globalknownhostsfile'].flatMap((k) => config.get(k)?.[0]?.split(/\s+/) ?? []);
  return files.length > 0 ? files : defaultKnownHosts;
}

function agentOf(
  configured: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (configured === 'none') return undefined;
  if (configured === undefined || configured === 'SSH_AUTH_SOCK') return env['SSH_AUTH_SOCK'];
  return atHome(configured.startsWith('$') ? (env[configured.slice(1)] ?? '') : configured);
}

const atHome = (path: string): string => (path.startsWith('~/') ? join(homedir(), path.slice(2)) : path);

/** `user@host:port`, of which only the host must be there; an IPv6 address stands in brackets. */
export function parseHop(
  hop: string,
): { readonly user?: string; readonly address: string; readonly port?: number } | undefined {
  const found = /^(?:ssh:\/\/)?(?:([^@]+)@)?(?:\[([^\]]+)\]|([^:@[\]]+))(?::(\d+))?$/.exec(hop.trim());
  const address = found?.[2] ?? found?.[3];
  if (found === null || address === undefined) return undefined;
  return {
    address,
    ...(found[1] === undefined ? {} : { user: found[1] }),
    ...(found[4] === undefined ? {} : { port: Number(found[4]) }),
  };
}
