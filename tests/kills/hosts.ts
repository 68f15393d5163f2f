import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSshd } from '../system/sshd.js';

/** Hosts of one round at a time: each is a real sshd that sees a disk of its own at the same path. */
export interface KillHosts {
  /** Where each host sees its disk. */
  readonly disk: string;
  readonly inventory: string;
  /** Sets all disks back to what they are before a run. */
  reset(): void;
  /** Keeps all disks as they are now, for `restore`. */
  keep(): void;
  restore(): void;
  /** The lines of a file of a host; none where it is missing. */
  lines(host: string, name: string): readonly string[];
  /** Every file and directory of every disk, by its path, with its mode. */
  state(): Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export const HOSTS = ['node-1', 'node-2'] as const;

const BEFORE = { health: 'ok\n', 'app.conf': 'listen = 80\nowner = ops\n', 'app.yml': 'workers:\n  count: 1\n' };

/** Starts an sshd for each host, in a mount namespace of its own. Root only. */
export async function startKillHosts(): Promise<KillHosts> {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-kills-'));
  const [disk, home] = [join(folder, 'disk'), join(folder, 'home')];
  const diskOf = (host: string): string => join(folder, host);
  for (const made of [disk, home, ...HOSTS.map(diskOf)]) mkdirSync(made);
  const keptOf = (host: string): string => join(folder, 'kept', host);
  const empty = (host: string): void => {
    for (const name of readdirSync(diskOf(host))) rmSync(join(diskOf(host), name), { recursive: true });
  };
  const sshds = await Promise.all(
    HOSTS.map((host) => {
      const inside = ['unshare', '--mount', 'sh', '-c', `mount --bind ${diskOf(host)} ${disk} && exec "$@"`, 'sh'];
      return startSshd([`SetEnv HOME=${home}`], '127.0.0.1', '127.0.0.1', inside);
    }),
  );
  const hosts = sshds.map(
    ({ port, keyFile, knownHosts }, n) =>
      `  ${HOSTS[n] ?? ''}: { address: 127.0.0.1, roles: [node], ssh: { user: root, port: ${port}, key: ${keyFile}, known_hosts: ${knownHosts} } }`,
  );
  return {
    disk,
    inventory: ['platform: {}', 'endpoints: {}', 'secrets: {}', 'hosts:', ...hosts, ''].join('\n'),
    reset() {
      for (const host of HOSTS) {
        empty(host);
        for (const [name, text] of Object.entries(BEFORE)) writeFileSync(join(diskOf(host), name), text);
      }
    },
    keep() {
      for (const host of HOSTS) {
        rmSync(keptOf(host), { recursive: true, force: true });
        cpSync(diskOf(host), keptOf(host), { recursive: true });
      }
    },
    restore() {
      for (const host of HOSTS) {
        // The directory itself is mounted where the host has it.
        empty(host);
        cpSync(keptOf(host), diskOf(host), { recursive: true });
      }
    },
    lines: (host, name) =>
      readdirSync(diskOf(host)).includes(name)
        ? readFileSync(join(diskOf(host), name), 'utf8')
            .trimEnd()
            .split('\n')
        : [],
    state: () => Object.fromEntries(HOSTS.flatMap((host) => entriesOf(folder, host))),
    async stop() {
      await Promise.all(sshds.map((sshd) => sshd.stop()));
      rmSync(folder, { recursive: true });
    },
  };
}

function entriesOf(folder: string, host: string): readonly (readonly [string, string])[] {
  return readdirSync(join(folder, host), { recursive: true, encoding: 'utf8' }).map((name) => {
    const path = join(folder, host, name);
    const stat = statSync(path);
    const mode = (stat.mode & 0o7777).toString(8);
    return [`${host}/${name}`, `${mode} ${stat.isDirectory() ? 'directory' : readFileSync(path, 'utf8')}`];
  });
}
