import { createServer as createPlain, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Issued } from './certificates.js';

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
export type Handle = (request: Seen, response: ServerResponse) => void;

/** A real server on 127.0.0.1 that remembers each request; the test says how it answers, and may change its mind. */
export async function startServer(handle: Handle, certificate?: Issued) {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  const server = { handle, seen };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      seen.push(one);
      server.handle(one, response);
    });
  };
  const http: Server =
    certificate === undefined
      ? createPlain(listener)
      : createSecure({ cert: certificate.cert, key: certificate.key }, listener);
  http.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  http.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return Object.assign(server, {
    port,
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    /** Drops every connection at once, as a restart does. */
    drop: (): void => sockets.forEach((socket) => socket.destroy()),
    async end(): Promise<void> {
      sockets.forEach((socket) => socket.destroy());
      await new Promise((resolve) => http.close(resolve));
    },
  });
}
export type TestServer = Awaited<ReturnType<typeof startServer>>;

/** Answers with JSON. */
export const json = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};

/** A port on which no process listens, because the server on it has ended. */
export async function closedPort(): Promise<number> {
  const server = await startServer(() => undefined);
  await server.end();
  return server.port;
}
