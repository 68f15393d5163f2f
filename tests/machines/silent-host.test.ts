import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createHostPool, type Silence } from '../../engine/machines/host-pool.js';
import { indexed, parseKnownHosts } from '../../engine/machines/ssh/known-hosts.js';
import { createSecrets } from '../../engine/machines/secrets.js';
import { KeyRing } from '../../engine/machines/ssh/ssh-auth.js';
import { connectSsh, type ConnectRequest } from '../../engine/machines/ssh/ssh-connect.js';
import { createSshTransport } from '../../engine/machines/ssh/ssh-transport.js';
import type { Host } from '../../engine/terms/inventory.js';
import { createManualClock } from './manual-clock.js';
import { startHostile } from './hostile-server.js';
import { startSshServer, type SshServer } from './ssh-server.js';

const LIMIT_MS = 7_000;
const noTerminal = (): Promise<string> => Promise.reject(new Error('no terminal'));
const ends: (() => unknown)[] = [];
afterEach(async () => {
  jest.useRealTimers();
  for (const end of ends.splice(0).reverse()) await end();
});

async function open(isSilent: boolean) {
  const server = await startSshServer();
  ends.push(() => server.close());
  if (isSilent) server.fallSilent();
  return server;
}

/** The machine `a` of a pool, and the notices of its silence. */
function poolOf({ port }: SshServer) {
  const clock = createManualClock();
  const notices: (readonly [string, Silence])[] = [];
  const ssh = { port, user: 'ops', connectTimeoutMs: LIMIT_MS };
  const a: Host = { name: 'a', address: '127.0.0.1', roles: [], groups: [], vars: {}, machine: 'ssh', ssh };
  const pool = createHostPool({
    inventory: { files: [], platform: {}, names: {}, endpoints: {}, secrets: {}, hosts: [a], vars: {} },
    secrets: createSecrets({ sources: {}, env: {}, ask: noTerminal }),
    clock,
    ask: noTerminal,
    env: {},
    onSilence: (host, silence) => notices.push([host, silence]),
    hostFacts: [],
    askBecomePassword: false,
  });
  ends.push(() => pool.close());
  return { clock, notices, pool, connecting: pool.machineOf('a')?.transport() };
}

const requestOf = ({ port, known }: Pick<SshServer, 'port' | 'known'>): ConnectRequest => ({
  target: {
    ...{ address: '127.0.0.1', port, user: 'ops', keyFiles: [], knownHostsFiles: [], jump: [] },
    connectTimeoutMs: LIMIT_MS,
  },
  secrets: { password: 'any' },
  keys: new KeyRing(noTerminal),
  known: indexed(parseKnownHosts(known, 'known_hosts')),
  clock: createManualClock(),
  givenUp: new Promise(() => undefined),
});

describe('a host that accepts the connection and never answers', () => {
  test('is reported by name after 5 s, with the limit of the wait; at that limit it is unreachable', async () => {
    const server = await open(true);
    const { clock, notices, connecting } = poolOf(server);
    await server.greeted();
    clock.pass(4_999);
    await Promise.resolve();
    expect(notices).toEqual([]);
    clock.pass(1);
    await new Promise(setImmediate);
    expect(notices).toEqual([['a', { for: 'no answer from 127.0.0.1 yet', forMs: 5_000, limitMs: LIMIT_MS }]]);
    clock.pass(LIMIT_MS - 5_000);
    expect(await connecting).toMatchObject({
      why: 'unreachable',
      reason: `127.0.0.1:${server.port} did not complete the handshake in time`,
    });
    expect(notices).toHaveLength(1);
  });

  test('does not hold up the end: the attempt is ended when the connections are closed', async () => {
    const server = await open(true);
    const { pool, connecting } = poolOf(server);
    await server.greeted();
    await pool.close();
    expect(await connecting).toMatchObject({ is: 'failed', why: 'unreachable' });
    await server.left();
  });
});

test('a host that does not accept the connection within its limit is unreachable', async () => {
  const server = await open(true);
  const request = requestOf(server);
  const connecting = connectSsh(request);
  // The limit passes before the kernel has answered.
  (request.clock as ReturnType<typeof createManualClock>).pass(LIMIT_MS);
  expect(await connecting).toMatchObject({
    why: 'unreachable',
    reason: `127.0.0.1:${server.port} does not answer within 7 s`,
  });
});

test('an established connection whose host falls silent is given up within 30 s', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  const server = await open(false);
  const connected = await connectSsh(requestOf(server));
  if (connected.is === 'failed') throw new Error(connected.reason);
  const transport = createSshTransport(connected.value, 'ops', createManualClock());
  server.fallSilent();
  const running = transport.exec('true');
  await jest.advanceTimersByTimeAsync(17_999);
  expect(transport.isLost).toBe(false);
  await jest.advanceTimersByTimeAsync(12_001);
  expect(transport.isLost).toBe(true);
  expect(await running).toMatchObject({ is: 'failed', why: 'unreachable' });
});

test('where SFTP never opens, no upload waits for it: the file goes another way', async () => {
  const clock = createManualClock();
  const server = await startHostile({ ignores: 'sftp' }, () => clock.pass(30_000));
  ends.push(() => server.close());
  const connected = await connectSsh(requestOf(server));
  if (connected.is === 'failed') throw new Error(connected.reason);
  const sent = await createSshTransport(connected.value, 'ops', clock).upload('/etc/hostname', '/tmp/none');
  expect(sent).toEqual({ is: 'failed', why: 'unreadable', reason: 'sshd opens no SFTP within 30 s' });
});
