import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSshd } from '../system/sshd.js';

/** Hosts for measuring: addresses of one real sshd. Each works in a folder of its own below `place`, for they share one disk. */
export interface BenchHosts {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly user: string;
  readonly keyFile: string;
  readonly knownHosts: string;
  /** Where the hosts' own folders are. */
  readonly place: string;
  /** A folder for files of the measurement, which goes with the hosts. */
  readonly folder: string;
  stop(): Promise<void>;
}

/** 127.1.0.1 and on: the whole of 127.0.0.0/8 is this machine, so each address is there without being set up. */
const addressesOf = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `127.1.0.${i + 1}`);

/** All addresses of the loopback device and no other device: sshd takes 16 addresses by name at most. */
const wholeLoopback = '0.0.0.0 rdomain lo';

/** Starts sshd on that many loopback addresses, at one port. MaxStartups is raised, for it stands for so many servers. Root only. */
export async function startHosts(count: number): Promise<BenchHosts> {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-bench-'));
  const [place, home] = [join(folder, 'place'), join(folder, 'home')];
  mkdirSync(place);
  // As Debian makes one: whatever root's rc files do on this machine, they would do at each command of each host.
  cpSync('/etc/skel', home, { recursive: true });
  const sshd = await startSshd([`MaxStartups ${10 * count}`, `SetEnv HOME=${home}`], '127.1.0.1', wholeLoopback);
  const addresses = addressesOf(count);
  const knownHosts = join(folder, 'known_hosts');
  writeFileSync(knownHosts, knownLines(addresses, sshd.port, readFileSync(sshd.knownHosts, 'utf8')));
  return {
    addresses,
    port: sshd.port,
    user: 'root',
    keyFile: sshd.keyFile,
    knownHosts,
    place,
    folder,
    async stop() {
      await sshd.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The same keys at other addresses or another port. */
export const knownLines = (addresses: readonly string[], port: number, lines: string): string =>
  [
    ...new Set(
      lines
        .trim()
        .split('\n')
        .map((line) => line.replace(/^\S+ /, '')),
    ),
  ]
    .flatMap((key) => addresses.map((address) => `[${address}]:${port} ${key}\n`))
    .join('');
