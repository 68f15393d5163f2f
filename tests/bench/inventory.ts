import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchHosts } from './hosts.js';

/** Writes an inventory of these hosts and returns its path. Its runs are kept beside it. */
export function writeInventory(
  { addresses, port, user, keyFile, knownHosts, place, folder }: Omit<BenchHosts, 'stop'>,
  name: string,
): string {
  const file = join(folder, `${name}.yaml`);
  const hosts = addresses.map((address) => `  ${hostName(address)}: { address: ${address} }`);
  const ssh = `ssh: { user: ${user}, port: ${port}, key: ${keyFile}, known_hosts: ${knownHosts} }`;
  writeFileSync(
    file,
    ['platform: {}', 'endpoints: {}', 'secrets: {}', `vars: { place: ${place} }`, ssh, 'hosts:', ...hosts, ''].join(
      '\n',
    ),
  );
  return file;
}

/** `host-7` for 127.1.0.7. */
export const hostName = (address: string): string => `host-${address.split('.').at(-1) ?? ''}`;

/** A platform of that many hosts of the embedded model, which lives in the planning process: a cluster, and agents for the rest. */
export function writeModelInventory(folder: string, count: number): string {
  const file = join(folder, `model-${count}.yaml`);
  const roles = [...Array<string>(3).fill('indexer'), 'server, master', 'server, worker', 'dashboard'];
  const host = (n: number): string =>
    `  model-${n + 1}: { address: ${modelAddress(n)}, roles: [${roles[n] ?? 'agent'}], machine: model }`;
  const lines = [
    'platform: { target: 4.14.7, package_url: "https://packages.example.com" }',
    'model: { from: 4.12.0 }',
    'endpoints:',
    `  api: { url: "https://${modelAddress(3)}:55000", user: ops, password: "{{secret.any}}", auth: token }`,
    `  indexer: { urls: ["https://${modelAddress(0)}:9200"], user: admin, password: "{{secret.any}}" }`,
    `  dashboard: { url: "https://${modelAddress(5)}", user: admin, password: "{{secret.any}}" }`,
    'secrets: { any: { env: RUNBOOK_BENCH_PASSWORD } }',
    'vars: { place: /var/lib, snapshot: none }',
    'hosts:',
    ...Array.from({ length: count }, (_, n) => host(n)),
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

const modelAddress = (n: number): string => `10.1.${Math.floor(n / 250)}.${(n % 250) + 1}`;
