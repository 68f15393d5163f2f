import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certificatesIn, isNamed, isSignedBy, plainSubject } from '../../engine/lib/certificates.js';

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

function selfSigned(subject: string, altNames?: string): string {
  const names = altNames === undefined ? [] : ['-addext', `subjectAltName=${altNames}`];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'self.key',
    '-out',
    'self.pem',
    '-days',
    '2',
    '-subj',
    subject,
    ...names,
  );
  return der('self')[0] ?? '';
}

test('a certificate has names and addresses; its common name counts where it has none', () => {
  const own = selfSigned('/CN=node-1', 'DNS:*.example.com,IP:10.0.0.1');
  const has = (name: string): boolean => isNamed(own, name);
  expect(['db.example.com', '10.0.0.1'].filter(has)).toEqual(['db.example.com', '10.0.0.1']);
  expect(['node-1', '10.0.0.2', 'a.b.example.com'].filter(has)).toEqual([]);
  const named = selfSigned('/CN=10.0.0.1');
  expect([isNamed(selfSigned('/CN=node-1'), 'NODE-1'), isNamed(named, '10.0.0.1')]).toEqual([true, false]);
});

test('a subject is written with its common name first, unless that can be done in several ways', () => {
  expect(plainSubject(selfSigned('/C=US/O=My Platform/CN=node-1'))).toBe('CN=node-1,O=My Platform,C=US');
  for (const subject of ['/O=A, B/CN=x', '/emailAddress=a@b.example/CN=x', '/O=Ä/CN=x'])
    expect(plainSubject(selfSigned(subject))).toBeUndefined();
  expect(plainSubject(selfSigned('/CN=x', 'RID:1.2.3.4.5.5'))).toBeUndefined();
});
