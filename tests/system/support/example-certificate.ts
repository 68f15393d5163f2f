import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate for these addresses that is its own authority, followed by its key. */
export function certificate(addresses: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-certificate-'));
  const file = (name: string): string => join(folder, name);
  const names = `subjectAltName=${addresses.map((address) => `IP:${address}`).join(',')}`;
  const args = ['-subj', '/CN=example', '-addext', names, '-keyout', file('key'), '-out', file('certificate')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...args], { stdio: 'ignore' });
  const text = readFileSync(file('certificate'), 'utf8') + readFileSync(file('key'), 'utf8');
  rmSync(folder, { recursive: true });
  return text;
}
