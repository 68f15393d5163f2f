import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withoutPlatform } from '../system/support/without-platform.js';
import type { BenchHosts } from './hosts.js';
import { hostName } from './inventory.js';
import { cost } from './measure.js';
import type { Bounds } from './show.js';
import { runbook } from './work.js';

const ROLES = ['server, master', 'server, worker', 'dashboard'];

/** `runbook doctor` on real hosts, which lack the platform: each is connected to once, and every check reads what it can. */
export async function measureDoctor(hosts: BenchHosts, bounds: Bounds): Promise<void> {
  const { addresses, port, user, keyFile, knownHosts, folder } = hosts;
  const file = join(folder, 'doctor.yaml');
  const ssh = `user: ${user}, port: ${port}, key: ${keyFile}, known_hosts: ${knownHosts}`;
  const lines = addresses.map(
    (address, i) => `  ${hostName(address)}: { address: ${address}, roles: [${ROLES[i] ?? 'indexer'}] }\n`,
  );
  writeFileSync(file, withoutPlatform(ssh, 'RUNBOOK_BENCH_PASSWORD') + lines.join(''));
  // It finds that the packages are not there: 1 is the expected exit code.
  const argv = ['/bin/sh', '-c', '"$@"; [ $? -eq 1 ]', 'sh', ...runbook('doctor', '-i', file)] as const;
  const { wallMs, stdout } = await cost({ argv: [...argv], env: { RUNBOOK_BENCH_PASSWORD: 'not used by any host' } });
  if (!stdout.includes(`Access                     5 checks passed on ${addresses.length} hosts`))
    throw new Error(`doctor did not reach every host:\n${stdout.slice(0, 2000)}`);
  bounds.check('goal', `doctor of ${addresses.length} hosts`, wallMs / 1000, 5, ' s');
}
