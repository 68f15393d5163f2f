import { connect } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from '@jest/globals';
import ssh2 from 'ssh2';
import { runsOver, sayGoodbye } from '../../engine/machines/ssh/ssh-goodbye.js';
import { startSshServer } from './ssh-server.js';

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A client that is logged in. */
async function loggedIn() {
  const server = await startSshServer();
  closing.push(() => server.close());
  const socket = connect(server.port, '127.0.0.1');
  const client = new ssh2.Client();
  client.on('error', () => undefined).connect({ sock: socket, username: 'ops' });
  runsOver(client, socket);
  await once(client, 'ready');
  return { client, socket, die: () => server.fallSilent() };
}

describe('a connection is ended', () => {
  test('at once by a server that says goodbye too', async () => {
    const { client, socket } = await loggedIn();
    await sayGoodbye(client, 600_000);
    expect(socket.destroyed).toBe(true);
  });

  test('in time when the server has died, and nothing of it keeps the program alive', async () => {
    const { client, socket, die } = await loggedIn();
    die();
    await sayGoodbye(client, 20);
    expect(socket.destroyed).toBe(true);
  });
});
