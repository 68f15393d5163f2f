import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { certificatesIn } from '../lib/certificates.js';
import { MOST_OF, readFileWithin, whyNotRead } from '../lib/bounded-file.js';

/** How a server proves who it is. */
export interface Trust {
  /** What to call it, and where its settings stand: `endpoints.api`. */
  readonly setting: string;
  /** PEM file; absent: the authorities that Node brings. */
  readonly ca?: string;
  readonly servername?: string;
  /** SHA-256 of the certificate, 64 hex digits. */
  readonly fingerprint?: string;
  readonly verify: boolean;
}

export interface Untrusted {
  readonly reason: string;
  readonly hint: string;
}

/** The PEM text of `ca`, or why there is none. */
export function readCa(trust: Trust): { readonly pem?: string } | Untrusted {
  if (trust.ca === undefined) return {};
  const hint = `${trust.setting}: write \`ca\` with a readable PEM file`;
  try {
    const pem = readFileWithin(trust.ca, MOST_OF.certificates).toString('utf8');
    return certificatesIn(pem).length > 0 ? { pem } : { reason: `${trust.ca} holds no certificate`, hint };
  } catch (error) {
    return { reason: `${trust.ca} ${whyNotRead(error)}`, hint };
  }
}

/** The name to ask for in the handshake; an address is never sent as one. */
export const serverNameFor = (host: string, trust: Trust): string => {
  const name = trust.servername ?? host;
  return isIP(name) === 0 ? name : '';
};

const sha256Of = (certificate: X509Certificate): string => certificate.fingerprint256.replaceAll(':', '').toLowerCase();

/**
 * Judges a server after the handshake and before a byte is sent. A pinned fingerprint stands for the certificate itself: neither
 * authority, name nor dates count then. A certificate that stands in `ca` itself needs no authority above it.
 */
export function judge(socket: TLSSocket, host: string, trust: Trust, pem: string | undefined): Untrusted | undefined {
  if (!trust.verify) return undefined;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined)
    return { reason: `${host} shows no certificate`, hint: `${trust.setting}: is this the right address?` };
  if (trust.fingerprint !== undefined) return judgePin(certificate, trust.fingerprint, trust);
  const isPinnedByCa = pem !== undefined && certificatesIn(pem).some((one) => one.raw.equals(certificate.raw));
  const code = isPinnedByCa || socket.authorized ? '' : String(socket.authorizationError);
  return (
    judgeDates(certificate, code, trust) ??
    judgeAuthority(certificate, code, trust) ??
    judgeName(certificate, host, trust)
  );
}

function judgePin(certificate: X509Certificate, pinned: string, { setting }: Trust): Untrusted | undefined {
  const found = sha256Of(certificate);
  if (found === pinned.replaceAll(':', '').toLowerCase()) return undefined;
  return {
    reason: `the certificate is another one than pinned: its SHA-256 is ${found}`,
    hint: `if it was renewed, and you have compared it on the server: ${setting}: write \`fingerprint: ${found}\``,
  };
}

function judgeDates(certificate: X509Certificate, code: string, { setting }: Trust): Untrusted | undefined {
  const now = Date.now();
  const hint = `renew it on the server; or, at your own risk, ${setting}: write \`fingerprint: ${sha256Of(certificate)}\``;
  if (Date.parse(certificate.validTo) < now)
    return { reason: `the certificate expired on ${day(certificate.validTo)}`, hint };
  if (Date.parse(certificate.validFrom) > now) {
    return {
      reason: `the certificate is not valid before ${day(certificate.validFrom)}`,
      hint: `compare the clocks of both machines; ${hint}`,
    };
  }
  if (code === 'CERT_HAS_EXPIRED') return { reason: 'a certificate of the authority above it has expired', hint };
  return undefined;
}

const day = (written: string): string => new Date(written).toISOString().slice(0, 10);
const oneLine = (name: string): string => name.split('\n').reverse().join(', ');

function judgeAuthority(certificate: X509Certificate, code: string, { setting, ca }: Trust): Untrusted | undefined {
  if (code === '') return undefined;
  const who =
    certificate.subject === certificate.issuer
      ? 'the certificate is signed by itself'
      : `nothing vouches for "${oneLine(certificate.issuer)}", which signed the certificate`;
  const above =
    ca === undefined
      ? `\`ca: FILE\` with its authority's certificate, or its own, as PEM`
      : `\`ca\` with the right authority (${ca} is not)`;
  const pin = `\`fingerprint: ${sha256Of(certificate)}\` when you have compared it on the server`;
  return { reason: `${who} (${code})`, hint: `${setting}: write ${above}; or ${pin}` };
}

function judgeName(certificate: X509Certificate, host: string, trust: Trust): Untrusted | undefined {
  const name = trust.servername ?? host;
  const matches =
    isIP(name) === 0 ? certificate.checkHost(name, { partialWildcards: false }) : certificate.checkIP(name);
  if (matches !== undefined) return undefined;
  const names = (certificate.subjectAltName ?? '')
    .split(', ')
    .map((one) => one.replace(/^(?:DNS|IP Address):/, ''))
    .filter((one) => one !== '');
  const common = /^CN=(.+)$/m.exec(certificate.subject)?.[1];
  const own = names[0] ?? common;
  const shown = names.length > 0 ? names.join(', ') : (common ?? 'no host');
  return {
    reason: `the certificate is for ${shown}, not for ${name}`,
    hint:
      own === undefined
        ? `${trust.setting}: write \`fingerprint: ${sha256Of(certificate)}\` when you have compared it on the server`
        : `if that is the server you mean, ${trust.setting}: write \`servername: ${own}\``,
  };
}
