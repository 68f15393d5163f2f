import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gateway } from '../../lab/topology.js';
import { createAuthority } from '../../machines/certificates.js';

/** A server over TLS whose certificate was good until 2020-01-02. */
export interface Expired {
  readonly url: string;
  /** The file of the authority that signed it. */
  readonly ca: string;
  /** How many requests it was sent. */
  requests(): number;
  close(): void;
}

/** Serves it on the lab's own network. */
export async function serveExpired(): Promise<Expired> {
  const authority = createAuthority('an authority of its own');
  const { cert, key } = authority.issue('expired', `IP:${gateway}`, '20200102000000Z');
  let count = 0;
  const server = createServer({ cert, key }, (_request, response) => {
    count += 1;
    response.end('{}');
  });
  server.listen(0, gateway);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://${gateway}:${port}`,
    ca: authority.file,
    requests: () => count,
    close() {
      server.closeAllConnections();
      server.close();
      authority.end();
    },
  };
}
