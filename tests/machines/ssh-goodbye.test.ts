import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from '@jest/globals';
import ssh2 from 'ssh2';
import { runsOver, sayGoodbye } from '../../engine/machines/ssh-goodbye.js';

const { Client, Server, utils } = ssh2;
const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Now and then the library makes an ed25519 key that it cannot read again. */
function hostKey(): string {
  for (;;) {
    const { private: key } = utils.generateKeyPairSync('ed25519');
    if (!(utils.parseKey(key) instanceof Error)) return key;
  }
}

/** A client that is logged in on an ssh server of this process, through a wire that can be cut without a word. */
async function loggedIn() {
  const server = new Server({ hostKeys: [hostKey()] }, (peer) => {
    peer.on('authentication', (auth) => auth.accept()).on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const wires: Socket[] = [];
  const wire = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect((server.address() as AddressInfo).port, '127.0.0.1');
    wires.push(near, far);
    for (const end of [near, far]) end.on('error', () => undefined);
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(wire, 'listening');
  const socket = connect((wire.address() as AddressInfo).port, '127.0.0.1');
  const client = new Client();
  client.on('error', () => undefined).connect({ sock: socket, username: 'somebody' });
  runsOver(client, socket);
  await once(client, 'ready');
  closing.push(
    () => wires.forEach((end) => end.destroy()),
    () => wire.close(),
    () => server.close(),
  );
  const die = (): void => {
    for (const end of wires) end.unpipe().pause();
  };
  return { client, socket, die };
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
