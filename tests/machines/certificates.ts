import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate with its key, as a server takes them, and the file that an inventory would name. */
export interface Issued {
  readonly file: string;
  readonly cert: string;
  readonly key: string;
  /** SHA-256, hex. */
  readonly fingerprint: string;
}

const config = `
[ca]
default_ca = d
[d]
database = index.txt
new_certs_dir = issued
rand_serial = yes
unique_subject = no
default_md = sha256
policy = p
x509_extensions = e
[p]
commonName = supplied
[e]
subjectAltName = \${ENV::SAN}
`;

/** A certificate authority in a folder of its own, by the system's openssl; `end` removes it. */
export function createAuthority(name: string) {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-ca-'));
  const openssl = (args: readonly string[], san = 'DNS:unused'): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe', env: { ...process.env, SAN: san } });
  };
  writeFileSync(join(folder, 'ca.cnf'), config);
  writeFileSync(join(folder, 'index.txt'), '');
  mkdirSync(join(folder, 'issued'));
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = (cn: string): readonly string[] => ['-subj', `/CN=${cn}`];
  openssl(['req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', ...subject(name)]);

  const read = (base: string): Issued => {
    const cert = readFileSync(join(folder, `${base}.pem`), 'utf8');
    const fingerprint = new X509Certificate(cert).fingerprint256.replaceAll(':', '').toLowerCase();
    return {
      file: join(folder, `${base}.pem`),
      cert,
      key: readFileSync(join(folder, `${base}.key`), 'utf8'),
      fingerprint,
    };
  };
  return {
    file: join(folder, 'ca.pem'),
    /** Signs one; `end` is its last day, `YYYYMMDDHHMMSSZ`. */
    issue(base: string, san: string, end?: string): Issued {
      openssl(['req', '-new', ...newKey, '-keyout', `${base}.key`, '-out', `${base}.csr`, ...subject(base)]);
      const dates = end === undefined ? ['-days', '2'] : ['-startdate', '20200101000000Z', '-enddate', end];
      const authority = ['-config', 'ca.cnf', '-cert', 'ca.pem', '-keyfile', 'ca.key'];
      openssl(['ca', '-batch', '-notext', ...authority, '-in', `${base}.csr`, '-out', `${base}.pem`, ...dates], san);
      return read(base);
    },
    /** One that is signed by itself. */
    issueAlone(base: string, san: string): Issued {
      openssl([
        'req',
        '-x509',
        ...newKey,
        '-keyout',
        `${base}.key`,
        '-out',
        `${base}.pem`,
        '-days',
        '2',
        ...subject(base),
        '-addext',
        `subjectAltName=${san}`,
      ]);
      return read(base);
    },
    end: (): void => rmSync(folder, { recursive: true, force: true }),
  };
}
