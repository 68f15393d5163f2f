import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './shell.js';
import { inRun } from './state.js';

/** Subject fields after the common name, the same in each certificate of the lab. */
const organisation = '/C=US/O=Platform/OU=Lab';

export interface CertificateRequest {
  /** Base name of the two files. */
  file: string;
  commonName: string;
  /** `IP:…` and `DNS:…` entries. */
  altNames?: readonly string[];
}

export const certsDir = (): string => inRun('certs');
export const caFile = (): string => join(certsDir(), 'root-ca.pem');

/** Makes the lab's own certificate authority, if it is not there. */
export async function makeAuthority(): Promise<void> {
  if (existsSync(caFile())) return;
  await mkdir(certsDir(), { recursive: true, mode: 0o700 });
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-sha256', '-days', '3650'],
    ...['-subj', `${organisation}/CN=lab root CA`, '-addext', 'keyUsage=critical,keyCertSign,cRLSign'],
    ...['-keyout', join(certsDir(), 'root-ca-key.pem'), '-out', caFile()],
  ]);
  await chmod(caFile(), 0o644);
}

/** Issues FILE.pem and FILE-key.pem (PKCS#8, as the security plugin wants it) in the lab's certificate directory. */
export async function issue({ file, commonName, altNames = [] }: CertificateRequest): Promise<void> {
  const place = (suffix: string): string => join(certsDir(), `${file}${suffix}`);
  await run('openssl', [
    ...['req', '-newkey', 'rsa:2048', '-nodes', '-sha256', '-subj', `${organisation}/CN=${commonName}`],
    ...['-keyout', place('-key.pem'), '-out', place('.csr')],
  ]);
  const extensions = [
    'basicConstraints=CA:FALSE',
    'keyUsage=digitalSignature,keyEncipherment',
    'extendedKeyUsage=serverAuth,clientAuth',
    ...(altNames.length === 0 ? [] : [`subjectAltName=${altNames.join(',')}`]),
  ];
  await writeFile(place('.ext'), `${extensions.join('\n')}\n`);
  await run('openssl', [
    ...['x509', '-req', '-sha256', '-in', place('.csr'), '-CA', caFile()],
    ...['-CAkey', join(certsDir(), 'root-ca-key.pem'), '-set_serial', `0x${randomBytes(8).toString('hex')}`],
    ...['-extfile', place('.ext'), '-out', place('.pem'), '-days', '730'],
  ]);
  await Promise.all([rm(place('.csr')), rm(place('.ext')), chmod(place('-key.pem'), 0o600)]);
}

/** Signs that key of the lab once more, with the same names, for days that are over: the certificate alone, as FILE-expired.pem. */
export async function issueExpired(file: string): Promise<string> {
  const place = (suffix: string): string => join(certsDir(), `${file}-expired${suffix}`);
  const current = join(certsDir(), `${file}.pem`);
  const about = await run('openssl', ['x509', '-in', current, '-noout', '-ext', 'subjectAltName']);
  const names = about.split('\n').at(1)?.trim().replaceAll('IP Address:', 'IP:') ?? '';
  await run('openssl', [
    ...['req', '-new', '-sha256', '-subj', `${organisation}/CN=${file}`],
    ...['-key', join(certsDir(), `${file}-key.pem`), '-out', place('.csr')],
  ]);
  await writeFile(place('.ext'), `basicConstraints=CA:FALSE\nsubjectAltName=${names}\n`);
  await writeFile(place('.index'), '');
  const policy = ['countryName', 'organizationName', 'organizationalUnitName', 'commonName'];
  const lines = [
    '[lab]',
    `database=${place('.index')}`,
    `new_certs_dir=${certsDir()}`,
    'rand_serial=yes',
    'policy=any',
  ];
  await writeFile(place('.cnf'), [...lines, '[any]', ...policy.map((name) => `${name}=optional`), ''].join('\n'));
  await run('openssl', [
    ...['ca', '-batch', '-notext', '-preserveDN', '-name', 'lab', '-config', place('.cnf'), '-md', 'sha256'],
    ...['-cert', caFile(), '-keyfile', join(certsDir(), 'root-ca-key.pem'), '-extfile', place('.ext')],
    ...['-startdate', '20250101000000Z', '-enddate', '20251001000000Z', '-in', place('.csr'), '-out', place('.pem')],
  ]);
  return place('.pem');
}
