import type { CertificateFile, CertificateState, KeyState } from '../../facts/certificate.js';
import type { Readable } from '../../facts/readable.js';
import { blocked, ok, type Verdict } from '../../terms/change.js';
import { isSignedBy } from '../../lib/certificates.js';
import { wrongAccess } from '../shared/access.js';

/** Two files of a service's configuration, and who must read them. */
export interface Pair {
  readonly certificate: string;
  readonly key: string;
  readonly user?: string;
  /** How long it must still be valid, and below how long a warning is given, milliseconds. */
  readonly validForMs: number;
  readonly warnBelowMs: number;
}

export interface FoundPair {
  readonly certificate: CertificateFile;
  readonly key: KeyState;
  /** By path; absent where no user was named. */
  readonly readable?: Readonly<Record<'certificate' | 'key', Readable>>;
}

const DAY_MS = 86_400_000;
const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const days = (ms: number): string => {
  const n = Math.floor(ms / DAY_MS);
  return n === 1 ? '1 day' : `${n} days`;
};

/** Whether a service that is started with these two files will find what it needs: one message for what is first wrong. */
export function checkPair(pair: Pair, found: FoundPair, timeMs: number): Verdict {
  const { certificate: path, key } = pair;
  const [own] = found.certificate ?? [];
  if (own === undefined) return noCertificate(path, found.certificate);
  const wrong =
    wrongTime(pair, own, timeMs) ?? wrongKey(pair, found.key, found.certificate ?? []) ?? wrongReader(pair, found);
  if (wrong !== undefined) return wrong;
  const leftMs = own.validToMs - timeMs;
  const paired = found.key.is === 'key' ? ` and belongs to ${key}` : '';
  return ok(
    `${path} is valid until ${day(own.validToMs)}${paired}`,
    {
      subject: own.subject,
      issuer: own.issuer,
      valid_to: new Date(own.validToMs).toISOString(),
      days_left: Math.floor(leftMs / DAY_MS),
    },
    [...soon(pair, leftMs, own), ...unpaired(pair, found.key)],
  );
}

/** A file of CA certificates that a service trusts. */
export interface Authority {
  readonly path: string;
  readonly certificate: CertificateFile;
  readonly readable: Readable;
}

/** What is first wrong with the certificates that a service trusts; undefined when nothing is. */
export function checkAuthorities(all: readonly Authority[], timeMs: number, user = 'root'): Verdict | undefined {
  for (const { path, certificate, readable } of all) {
    if (certificate === null || certificate.length === 0) return noCertificate(path, certificate);
    if (certificate.every((c) => c.validToMs <= timeMs))
      return blocked(`${path} holds no CA certificate that is still valid`, 'put the new one there');
    const wrong = wrongAccess(user, path, readable);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** Others trust the certificate by these authorities; what is no certificate is another finding. */
export function wrongSigner(pair: Pair, found: FoundPair, all: readonly Authority[]): Verdict | undefined {
  const chain = (found.certificate ?? []).map((c) => c.der);
  const trusted = all.flatMap(({ certificate }) => (certificate ?? []).map((c) => c.der));
  if (chain.length === 0 || all.length === 0 || isSignedBy(chain, trusted)) return undefined;
  const { reason, hint } = notSigned(`${pair.certificate} (${found.certificate?.[0]?.subject ?? ''})`, all);
  return blocked(reason, hint);
}

/** Why a certificate is not trusted by these authorities, and what to do. */
export const notSigned = (certificate: string, all: readonly Authority[]): { reason: string; hint: string } => ({
  reason: `${certificate} is not signed by ${all.map(({ path }) => path).join(', ')}`,
  hint: 'take both from the same set of certificates; one that is between them stands after the first in its file',
});

const noCertificate = (path: string, found: CertificateFile): Verdict =>
  found === null
    ? blocked(`there is no certificate at ${path}`, MISSING)
    : blocked(`${path} is no certificate in PEM`, 'it must begin with -----BEGIN CERTIFICATE-----');

const MISSING = 'put it there, or correct its path in the configuration of the service: names change between releases';

function wrongTime({ certificate, validForMs }: Pair, own: CertificateState, timeMs: number): Verdict | undefined {
  const leftMs = own.validToMs - timeMs;
  if (own.validFromMs > timeMs)
    return blocked(
      `${certificate} is not valid before ${day(own.validFromMs)} (${own.subject})`,
      'is the clock right? Otherwise put a certificate there that is valid now',
    );
  if (leftMs <= 0)
    return blocked(`${certificate} expired on ${day(own.validToMs)} (${own.subject})`, 'renew it, and its key with it');
  if (leftMs < validForMs)
    return blocked(
      `${certificate} is valid until ${day(own.validToMs)} only: ${days(leftMs)} are left, ${days(validForMs)} are asked for (${own.subject})`,
      'renew the certificate first, and restart its service',
    );
  return undefined;
}

function wrongKey(
  { certificate, key }: Pair,
  found: KeyState,
  chain: readonly CertificateState[],
): Verdict | undefined {
  if (found.is === 'absent') return blocked(`there is no key at ${key}`, MISSING);
  if (found.is === 'no key')
    return blocked(
      `${key} is no private key that openssl reads`,
      'it must begin with -----BEGIN PRIVATE KEY----- or the like',
    );
  if (found.is !== 'key' || chain[0]?.publicSha256 === found.publicSha256) return undefined;
  return chain.some((c) => c.publicSha256 === found.publicSha256)
    ? blocked(
        `${key} belongs to a certificate in ${certificate}, but not to its first`,
        "put the service's own certificate first, those that signed it after it",
      )
    : blocked(
        `${key} does not belong to ${certificate} (${chain[0]?.subject ?? ''})`,
        'put the key there that the certificate was made for, or have a certificate made for this key',
      );
}

function wrongReader({ certificate, key, user }: Pair, { readable }: FoundPair): Verdict | undefined {
  if (user === undefined || readable === undefined) return undefined;
  return wrongAccess(user, certificate, readable.certificate) ?? wrongAccess(user, key, readable.key);
}

const soon = ({ certificate, warnBelowMs }: Pair, leftMs: number, own: CertificateState): readonly string[] =>
  leftMs < warnBelowMs ? [`${certificate} expires in ${days(leftMs)}, on ${day(own.validToMs)}`] : [];

function unpaired({ certificate, key }: Pair, found: KeyState): readonly string[] {
  const unchecked = `whether ${key} belongs to ${certificate} was not checked`;
  if (found.is === 'no openssl') return [`${unchecked}: there is no openssl on the host`];
  return found.is === 'encrypted' ? [`${unchecked}: the key is protected by a passphrase`] : [];
}
