import type { ConnectionOptions } from '@nats-io/transport-node';
import { credsAuthenticator, usernamePasswordAuthenticator } from '@nats-io/transport-node';
import { isAddress, notAName } from '../server-name.js';
import { MOST_OF, readFileWithin } from '../../lib/bounded-file.js';

/** How a store on NATS is reached. */
export interface NatsOptions {
  /** `NAME:PORT` each. By name: the client library compares the certificate of an address with `localhost`. */
  readonly servers: readonly string[];
  /** The store's name: a prefix of its streams and subjects, so that one account can have several. */
  readonly store: string;
  /** The authority that signed the servers' certificates (PEM); absent: those that Node trusts. */
  readonly caFile?: string;
  /** The client's own certificate and key (PEM), where the servers ask for one. */
  readonly certificate?: { readonly certFile: string; readonly keyFile: string };
  /** Read again at each connection, so that a renewed one is used. */
  readonly login?: NatsLogin;
  /** How long a request is repeated before it fails, milliseconds: 15,000 by default, at most 30,000. */
  readonly limitMs?: number;
  /** What the answers to this connection's requests are sent to; absent: the client library's own. */
  readonly inboxPrefix?: string;
  /** Makes the store where it is missing; absent: that is an error. */
  readonly create?: NatsSettings;
}

type NatsLogin = { readonly credentialsFile: string } | { readonly userFile: string; readonly passwordFile: string };

export interface NatsSettings {
  /** 1, 3 or 5. */
  readonly replicas: number;
  /** How much each of the two streams may hold, bytes; absent: as much as the account may. */
  readonly maxBytes?: number;
}

export const limitOf = ({ limitMs = 15_000 }: NatsOptions): number => Math.min(limitMs, 30_000);

/** Throws where a server is an address. */
export function connectionOptions({
  servers,
  caFile,
  certificate,
  login,
  inboxPrefix,
}: NatsOptions): ConnectionOptions {
  const address = servers.find(isAddress);
  if (address !== undefined) throw new RangeError(notAName(address));
  return {
    servers: [...servers],
    // With this the client refuses a server without TLS. Certificates and names are verified by default.
    tls: { ...(caFile === undefined ? {} : { caFile }), ...certificate },
    ...(login === undefined ? {} : { authenticator: authenticatorOf(login) }),
    ...(inboxPrefix === undefined ? {} : { inboxPrefix }),
    // The credentials go to the servers that were named, and to no others that those name.
    ignoreClusterUpdates: true,
    resolve: false,
    timeout: 5_000,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 10_000,
  };
}

const text = (file: string): string => readFileWithin(file, MOST_OF.secret).toString('utf8').trim();

function authenticatorOf(login: NatsLogin): NonNullable<ConnectionOptions['authenticator']> {
  if ('credentialsFile' in login)
    return credsAuthenticator(() => readFileWithin(login.credentialsFile, MOST_OF.secret));
  return usernamePasswordAuthenticator(
    () => text(login.userFile),
    () => text(login.passwordFile),
  );
}
