import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certificatesIn, isSignedBy } from '../../engine/lib/certificates.js';

/** `root` signs `between`, which signs `own`; `other` calls itself as `root` does, and has another key. */
let folder = '';
const openssl = (...args: readonly string[]): void => {
  execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
};
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
function issue(name: string, by: string): void {
  openssl('req', '-new', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
  const signer = ['-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial', '-extfile', 'ca.cnf'];
  openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, '-days', '2', ...signer);
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'runbook-signed-'));
  writeFileSync(join(folder, 'ca.cnf'), 'basicConstraints=CA:TRUE\n');
  for (const name of ['root', 'other'])
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-days',
      '2',
      '-subj',
      '/CN=root',
    );
  issue('between', 'root');
  issue('own', 'between');
});
afterAll(() => rmSync(folder, { recursive: true }));

const der = (...names: readonly string[]): readonly string[] =>
  names.flatMap((name) =>
    certificatesIn(readFileSync(join(folder, `${name}.pem`), 'utf8')).map((c) => c.raw.toString('base64')),
  );

test('a certificate is signed by an authority, by way of those beside it', () => {
  expect(isSignedBy(der('between'), der('root'))).toBe(true);
  expect(isSignedBy(der('own', 'between'), der('root'))).toBe(true);
  expect(isSignedBy(der('own'), der('other', 'between'))).toBe(true);
  expect(isSignedBy(der('root'), der('root'))).toBe(true);
});

test('not where one between is missing, by one that only has the name, or by none', () => {
  expect(isSignedBy(der('own'), der('root'))).toBe(false);
  expect(isSignedBy(der('between'), der('other'))).toBe(false);
  expect(isSignedBy(der('own', 'other'), der('root'))).toBe(false);
  expect(isSignedBy(der('own', 'between'), [])).toBe(false);
  expect(isSignedBy([], der('root'))).toBe(false);
});
