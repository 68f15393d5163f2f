import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { caFile } from '../../lab/certificates.js';
import { keyFile, knownHostsFile } from '../../lab/ssh.js';
import { hostNamed, packageUrl } from '../../lab/topology.js';
import { runbook, type Ran } from './runbook.js';

/** What an inventory of one host says otherwise than a right one. */
export interface Wrong {
  readonly address?: string;
  readonly user?: string;
  /** YAML of further keys of `ssh`, as `become_password: "{{secret.sudo}}"`. */
  readonly ssh?: string;
  readonly knownHosts?: string;
  /** Files of secrets, by name. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** YAML of the endpoint `indexer`. */
  readonly endpoint?: string;
  readonly extraVars?: Readonly<Record<string, string>>;
}

/** A place to try a fixture's playbook from: an inventory of its own, gone with `dispose`. */
export interface Bench {
  readonly folder: string;
  file(name: string, text: string): string;
  /** `runbook apply -y` of a playbook of `fixtures/` on linux-1, told what is wrong. */
  apply(playbook: string, wrong?: Wrong): Promise<Ran>;
  dispose(): void;
}

export const target = hostNamed('linux-1');

export function createBench(): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-bad-input-'));
  let runs = 0;
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  return {
    folder,
    file,
    apply(playbook, wrong = {}) {
      runs += 1;
      // A folder of runs each: what one leaves unfinished must not be in the way of the next.
      const own = mkdtempSync(join(folder, `${runs}-`));
      const inventory = join(own, 'inventory.yaml');
      writeFileSync(inventory, inventoryText(wrong), { mode: 0o600 });
      const vars = join(own, 'vars.json');
      writeFileSync(vars, JSON.stringify(wrong.extraVars ?? {}), { mode: 0o600 });
      const path = join(import.meta.dirname, '..', 'fixtures', playbook);
      return runbook(['apply', path, '-y', '-i', inventory, '-e', `@${vars}`], { cwd: own });
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function inventoryText(wrong: Wrong): string {
  const secrets = Object.entries(wrong.secrets ?? {}).map(([name, path]) => `  ${name}: { file: ${path} }\n`);
  return `platform: { package_url: ${packageUrl} }
vars: { package_ca: ${caFile()} }
${secrets.length === 0 ? '' : `secrets:\n${secrets.join('')}`}${wrong.endpoint === undefined ? '' : `endpoints:\n  indexer: { ${wrong.endpoint} }\n`}ssh:
  user: ${wrong.user ?? 'ops'}
  key: ${keyFile()}
  known_hosts: ${wrong.knownHosts ?? knownHostsFile()}
  become: sudo
  connect_timeout: 4s
${wrong.ssh === undefined ? '' : `  ${wrong.ssh}\n`}hosts:
  linux-1: { address: ${wrong.address ?? target.address}, roles: [target] }
`;
}
