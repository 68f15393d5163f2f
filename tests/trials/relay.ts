import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** The link of one machine to the servers: a relay for each. */
export interface Link {
  readonly servers: readonly string[];
  /** Forwards nothing until `restore`, and closes nothing: as a cable that is cut. What is under way then arrives late. */
  readonly cut: () => void;
  readonly restore: () => void;
  readonly end: () => Promise<void>;
}

export async function openLinkTo(servers: readonly string[]): Promise<Link> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  };
  const relays = await Promise.all(
    servers.map(async (server) => {
      const to = Number(server.split(':').at(-1));
      const relay = createServer({ noDelay: true }, (near) => {
        const far = connect({ host: '127.0.0.1', port: to, noDelay: true });
        for (const [one, other] of [
          [near, far],
          [far, near],
        ] as const) {
          keep(one);
          one.on('data', (chunk) => other.writable && other.write(chunk)).on('close', () => other.destroy());
          if (isCut) one.pause();
        }
      }).listen(0, '127.0.0.1');
      await once(relay, 'listening');
      return relay;
    }),
  );
  return {
    servers: relays.map((relay) => `localhost:${(relay.address() as AddressInfo).port}`),
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    restore() {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    async end() {
      const closed = relays.map((relay) => once(relay.close(), 'close'));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}
