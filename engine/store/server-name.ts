import { isIP } from 'node:net';

/** Of a server, `NAME:PORT`: the client library compares the certificate of an address with `localhost`. */
export const isAddress = (server: string): boolean => isIP(server.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')) !== 0;

export const notAName = (address: string): string =>
  `${address}: a server is given by its name, as in nats-1.example:4222`;
