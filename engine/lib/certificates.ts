import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** The certificates that a PEM text holds; blocks that cannot be read are passed over. */
export function certificatesIn(pem: string): readonly X509Certificate[] {
  const blocks =
    pem.match(/-----BEGIN (?:TRUSTED )?CERTIFICATE-----[\s\S]+?-----END (?:TRUSTED )?CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((block) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      return [];
    }
  });
}

/** Whether one of these authorities signed the first of these certificates, or one that signed it; each is DER in base64. */
export function isSignedBy(chain: readonly string[], authorities: readonly string[]): boolean {
  const read = (all: readonly string[]) => all.map(fromDer);
  const [own, ...others] = read(chain);
  const trusted = read(authorities);
  const signs = (of: X509Certificate) => (by: X509Certificate) => of.checkIssued(by) && of.verify(by.publicKey);
  let left = others;
  for (let at = own; at !== undefined;) {
    if (trusted.some(signs(at))) return true;
    const next = left.find(signs(at));
    left = left.filter((each) => each !== next);
    at = next;
  }
  return false;
}

const fromDer = (der: string): X509Certificate => new X509Certificate(Buffer.from(der, 'base64'));

/** Whether clients find in a certificate (DER in base64) the name, or the IP address, under which they connect to its host. */
export const isNamed = (der: string, name: string): boolean =>
  (isIP(name) === 0 ? fromDer(der).checkHost(name) : fromDer(der).checkIP(name)) !== undefined;

/**
 * The subject of a certificate (DER in base64) as configurations write it, its common name first. Undefined where it can be written in
 * several ways, or where a registered ID can stand in its place.
 */
export function plainSubject(der: string): string | undefined {
  const { subject, subjectAltName = '' } = fromDer(der);
  const parts = subject.split('\n');
  const isPlain = parts.every((part) => /^(?:CN|C|L|ST|O|OU|DC)=[\w .:/'()@*-]+$/.test(part));
  return isPlain && !subjectAltName.includes('Registered ID') ? parts.reverse().join(',') : undefined;
}
