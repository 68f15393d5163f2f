import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';

/** How long a server may take to say goodbye, milliseconds: one that died says nothing, and TCP would wait for minutes. */
const GOODBYE_MS = 3_000;

/** A client that was told to end no longer gives its stream away, so it is kept here. */
const streams = new WeakMap<Client, Duplex>();

/** Must be told of each connection that is to be ended in time. */
export const runsOver = (client: Client, stream: Duplex): void => void streams.set(client, stream);

/** Ends a connection, politely first: settles when it is closed, at the latest after this time. Never rejects. */
export function sayGoodbye(client: Client, limitMs = GOODBYE_MS): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(() => {
      streams.get(client)?.destroy();
      resolve();
    }, limitMs);
    client.once('close', () => {
      clearTimeout(late);
      resolve();
    });
    client.end();
  });
}
