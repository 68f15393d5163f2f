import { createPublicKey, type KeyObject } from 'node:crypto';
import { certificatesIn } from '../lib/certificates.js';
import { sha256 } from '../lib/hash.js';
import { quoteOne } from '../lib/quote.js';
import type { Answer } from '../terms/fact.js';
import { answer, denied, failure, saysAbsent, unreadable } from './answer.js';
import type { HostFact } from './kind.js';

/** What a certificate says. Times are milliseconds since the epoch. */
export interface CertificateState {
  readonly subject: string;
  readonly issuer: string;
  readonly validFromMs: number;
  readonly validToMs: number;
  /** Of the public key (SubjectPublicKeyInfo), hex: what its private key is known by. */
  readonly publicSha256: string;
  /** The certificate itself, DER in base64: whether another one signed it is asked of both. */
  readonly der: string;
}

/** The certificates in a PEM file, the first one being the server's own; null when there is no file, empty when it holds none. */
export type CertificateFile = readonly CertificateState[] | null;

/** The public half of a private key on a host, as a hash: nothing else of a key leaves its host. */
export type KeyState =
  | { readonly is: 'key'; readonly publicSha256: string }
  | { readonly is: 'absent' | 'encrypted' | 'no key' | 'no openssl' };

/** What precedes a reading: why it cannot be (3 absent, said by stat; 13 denied; 22 no regular file). */
const readableFile = (path: string): string => `p=${quoteOne(path)}
if [ ! -e "$p" ]; then stat -L -c %n -- "$p" 2>&1; exit 3; fi
[ -f "$p" ] || exit 22
[ -r "$p" ] || exit 13`;

function unread(exit: number, stdout: string, path: string, absent: Answer): Answer | undefined {
  if (exit === 3) return saysAbsent(stdout) ? absent : failure(stdout);
  if (exit === 13) return denied(`${path} may not be read`);
  if (exit === 22) return unreadable(`${path} is no regular file`);
  return undefined;
}

const certificateBlocks = `/-----BEGIN /{block="";on=0} /-----BEGIN (TRUSTED )?CERTIFICATE-----/{on=1} on{block=block $0 "\\n"} /-----END (TRUSTED )?CERTIFICATE-----/{if(on)printf "%s",block;on=0}`;

export const certificate: HostFact<string, CertificateFile> = {
  name: 'certificate',
  key: (path) => path,
  // Only whole blocks of certificates: a file may hold the key too.
  sh: (path) => `${readableFile(path)}
head -c 1048576 <"$p" | awk ${quoteOne(certificateBlocks)}`,
  parse: ({ exit, stdout }, path) =>
    unread(exit, stdout, path, answer<CertificateFile>(null)) ?? answer<CertificateFile>(readCertificates(stdout)),
};

export const publicKey: HostFact<string, KeyState> = {
  name: 'public-key',
  key: (path) => path,
  // An empty password, so that openssl does not prompt for one; an encrypted key is reported before that.
  sh: (path) => `${readableFile(path)}
if grep -q -e '-----BEGIN ENCRYPTED PRIVATE KEY-----' -e '^Proc-Type:.*ENCRYPTED' <"$p"; then exit 4; fi
command -v openssl >/dev/null || exit 9
openssl pkey -in "$p" -pubout -passin pass: || exit 5`,
  parse: ({ exit, stdout }, path) => {
    const known = KEY_ENDS[exit];
    if (known !== undefined) return answer<KeyState>({ is: known });
    return unread(exit, stdout, path, answer<KeyState>({ is: 'absent' })) ?? answer<KeyState>(ofPublicHalf(stdout));
  },
};

const KEY_ENDS: Readonly<Record<number, 'encrypted' | 'no key' | 'no openssl'>> = {
  4: 'encrypted',
  5: 'no key',
  9: 'no openssl',
};

function ofPublicHalf(pem: string): KeyState {
  try {
    return { is: 'key', publicSha256: publicHash(createPublicKey(pem)) };
  } catch {
    return { is: 'no key' };
  }
}

/** The same for a certificate's public key and for its private key's public half, however each was written. */
export const publicHash = (key: KeyObject): string => sha256(key.export({ type: 'spki', format: 'der' }));

/** What the certificates of a PEM text say; those that cannot be read are passed over. */
export const readCertificates = (pem: string): readonly CertificateState[] =>
  certificatesIn(pem).map((c) => ({
    subject: oneLine(c.subject),
    issuer: oneLine(c.issuer),
    validFromMs: Date.parse(c.validFrom),
    validToMs: Date.parse(c.validTo),
    publicSha256: publicHash(c.publicKey),
    der: c.raw.toString('base64'),
  }));

const oneLine = (name: string): string => name.split('\n').join(', ');
