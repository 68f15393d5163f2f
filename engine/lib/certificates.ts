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
