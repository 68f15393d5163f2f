import { X509Certificate } from 'node:crypto';

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
  const read = (all: readonly string[]) => all.map((der) => new X509Certificate(Buffer.from(der, 'base64')));
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
