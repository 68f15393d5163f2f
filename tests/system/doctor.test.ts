import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSshd, type Sshd } from './sshd.js';
import { withoutPlatform } from './support/without-platform.js';

const program = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd([], '127.0.0.1', '0.0.0.0');
});
afterAll(() => sshd.stop());

test('doctor on real hosts: each way in that is closed has its reason, and what was reached is read', async () => {
  // The keys of 127.0.0.3 are not known.
  const keys = readFileSync(sshd.knownHosts, 'utf8');
  const known = join(sshd.folder, 'known');
  writeFileSync(
    known,
    ['127.0.0.1', '127.0.0.2', '127.0.0.4'].map((one) => keys.replaceAll('127.0.0.1', one)).join(''),
  );
  const inventory = join(sshd.folder, 'inventory.yaml');
  const ssh = `user: root, port: ${sshd.port}, key: ${sshd.keyFile}, known_hosts: ${known}`;
  writeFileSync(
    inventory,
    `${withoutPlatform(ssh, 'PASSWORD_OF_ANY', ', disk_refuse_below: 900TB')}  indexer-1: { address: 127.0.0.1, roles: [indexer] }
  server-1: { address: 127.0.0.2, roles: [server, master], ssh: { port: 1 } }
  server-2: { address: 127.0.0.3, roles: [server, worker] }
  server-3: { address: 127.0.0.4, roles: [server, worker], ssh: { user: mail } }
`,
  );
  const ran = await execa(process.execPath, [program, 'doctor', 'upgrade-4.14.yaml', '-i', inventory], {
    reject: false,
    env: { PASSWORD_OF_ANY: 'never-printed' },
  });
  const text = `${ran.stdout}${ran.stderr}`;
  expect(ran.exitCode).toBe(1);
  expect(text).not.toContain('never-printed');
  expect(text).toMatch(/^ +\d {2}server-1 {2}127\.0\.0\.2:1 refuses connections/m);
  expect(text).toMatch(/^ +\d {2}server-2 {2}.*host key/im);
  expect(text).toMatch(/^ +\d {2}server-3 {2}/m);
  expect(text).toMatch(/indexer-1 {2}only .* are free where/);
  expect(text).toMatch(/indexer-1 {2}a package that the roles of this host need is not installed/);
  expect(text).toMatch(
    /^ +\d {2}api: 127\.0\.0\.1:1 refuses connections\n +Endpoint api: connection, certificate, credentials$/m,
  );
  expect(text).toContain('Access                     5 checks passed on 1 host');
});
