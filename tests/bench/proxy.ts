import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';

export interface ProxyRequest {
  readonly to: { readonly address: string; readonly port: number };
  /** How long each piece is under way in each direction, milliseconds: a round trip takes twice as long. */
  readonly delayMs: number;
  /** The address to listen at; absent: 127.0.0.1. */
  readonly address?: string;
  readonly port?: number;
}

export interface Proxy {
  readonly port: number;
  /** Connections accepted so far, and how many of them were open at once at most. */
  readonly connections: { readonly total: number; readonly most: number };
  /** How often the near side spoke after the far side had: round trips, those of connecting among them. */
  readonly trips: number;
  /** Ends every connection at once, as a cut cable does not even do: nothing more arrives in either direction. */
  cut(): void;
  close(): Promise<void>;
}

/**
 * A TCP proxy that keeps every piece for a while, for machines without netem. Pieces sent side by side are under way side by side, so
 * wall time through it counts round trips.
 */
export async function startProxy({ to, delayMs, address = '127.0.0.1', port = 0 }: ProxyRequest): Promise<Proxy> {
  const open = new Set<Socket>();
  const connections = { total: 0, most: 0 };
  let trips = 0;
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ host: to.address, port: to.port, noDelay: true });
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('close', () => open.delete(socket)).on('error', () => undefined);
    }
    connections.total += 1;
    connections.most = Math.max(connections.most, open.size / 2);
    let isNearsTurn = true;
    near.on('data', () => {
      if (isNearsTurn) trips += 1;
      isNearsTurn = false;
    });
    far.on('data', () => (isNearsTurn = true));
    pass(near, far, delayMs);
    pass(far, near, delayMs);
  });
  server.listen(port, address);
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    connections,
    get trips() {
      return trips;
    },
    cut() {
      for (const socket of open) socket.destroy();
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function pass(from: Socket, to: Socket, delayMs: number): void {
  const later = (act: () => void): void => void setTimeout(act, delayMs);
  from.on('data', (chunk: Buffer) => later(() => to.writable && to.write(chunk)));
  from.on('end', () => later(() => to.end()));
  from.on('close', () => later(() => to.destroy()));
}
