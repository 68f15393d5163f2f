import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { startProxy, type Proxy } from '../bench/proxy.js';
import { lineOf, onePlay, openHarness, PLATFORM, program, touch, type Harness } from '../cli/cli-harness.js';
import { startCluster, storeEnv, type Cluster } from '../lab/nats.js';
import { attempt, run as exec } from '../lab/shell.js';
import { nodeFlags } from '../tools/node-flags.js';
import { freePort, startSshd, type Sshd } from '../system/sshd.js';

/**
 * A zone is a network namespace with a real sshd and an HTTP service on an address that this machine has no route to. The namespace has one
 * cable, to relays in front of the servers of the store. The worker runs inside; the controller and the servers run outside.
 */
const NETNS = `rbzone-${process.pid}`;
const CABLE = `rbz${process.pid}`;
const OUTER = '10.231.77.1';
const INNER = '10.231.77.2';
/** Of the host that is worked on, and of the one with the service; inside only. */
const HOST = '10.231.78.1';
const SERVER = '10.231.78.2';
const HIDDEN = '10.231.78.0/24';

let cluster: Cluster;
let sshd: Sshd;
let service: { readonly process: ChildProcess; readonly port: number };
/** The folder that the host works in. */
let host: Harness;
let controller: Harness;
let zone: Harness;
const relays: Proxy[] = [];
const started: ReturnType<Harness['start']>[] = [];

/** Remembers what was put, and prints each request. One with `?until=FILE` is answered once that file is there. */
const SERVICE = `
const { existsSync } = require('node:fs');
const values = new Map();
require('node:http').createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += piece;
  console.log(request.method, request.url);
  const file = new URL(request.url, 'http://any').searchParams.get('until');
  while (file !== null && !existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 50));
  if (request.method === 'PUT') values.set(request.url, body);
  response.setHeader('content-type', 'application/json');
  response.end(values.get(request.url) ?? '{"where":"zone"}');
}).listen(0, '${SERVER}', function () { console.log('listens on', this.address().port); });`;
const requests: string[] = [];
const sent = (): readonly string[] => requests.filter((line) => !line.startsWith('GET'));

const link = (state: 'up' | 'down'): Promise<string> => exec('ip', ['link', 'set', CABLE, state]);

async function raiseZone(): Promise<void> {
  await exec('ip', ['netns', 'add', NETNS]);
  await exec('ip', ['link', 'add', CABLE, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', NETNS]);
  await exec('ip', ['address', 'add', `${OUTER}/30`, 'dev', CABLE]);
  await link('up');
  const inside = (...args: string[]): Promise<string> => exec('ip', ['-netns', NETNS, ...args]);
  await inside('link', 'set', 'lo', 'up');
  for (const address of [HOST, SERVER]) await inside('address', 'add', `${address}/32`, 'dev', 'lo');
  await inside('address', 'add', `${INNER}/30`, 'dev', 'eth0');
  await inside('link', 'set', 'eth0', 'up');
  // Without it the default route would take packets for the host out of this machine.
  await exec('ip', ['route', 'add', 'unreachable', HIDDEN]);
  // The certificate of the servers is for localhost.
  mkdirSync(`/etc/netns/${NETNS}`, { recursive: true });
  writeFileSync(`/etc/netns/${NETNS}/hosts`, `${OUTER} localhost\n`);
}

async function dropZone(): Promise<void> {
  await attempt('ip', ['route', 'delete', 'unreachable', HIDDEN]);
  await attempt('ip', ['link', 'delete', CABLE]);
  await attempt('ip', ['netns', 'delete', NETNS]);
  rmSync(`/etc/netns/${NETNS}`, { recursive: true, force: true });
}

async function startService(): Promise<typeof service> {
  const child = spawn('ip', ['netns', 'exec', NETNS, process.execPath, '-e', SERVICE], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await lineOf(child.stdout, /^listens on/);
  child.stdout.on('data', (text: Buffer) => requests.push(...text.toString().trim().split('\n')));
  return { process: child, port: Number(line.split(' ').at(-1)) };
}

beforeAll(async () => {
  await raiseZone();
  cluster = await startCluster();
  for (const server of cluster.servers) {
    const port = Number(server.split(':').at(-1));
    relays.push(await startProxy({ to: { address: '127.0.0.1', port }, delayMs: 0, address: OUTER, port }));
  }
  sshd = await startSshd([], HOST, HOST, ['ip', 'netns', 'exec', NETNS]);
  service = await startService();
  const setUp = openHarness();
  expect(await setUp.run(['store', 'create'], envOf('user'))).toMatchObject({ exitCode: 0 });
  setUp.end();
});

afterAll(async () => {
  service.process.kill();
  await sshd.stop();
  for (const relay of relays) await relay.close();
  await cluster.stop();
});
// Also where what is before it failed.
afterAll(dropZone);

afterEach(async () => {
  await link('up');
  if (controller.runs().length > 0) await run(['close', '-y']);
  for (const each of started.splice(0)) {
    each.kill('SIGKILL');
    await each;
  }
  for (const one of [host, controller, zone]) one.end();
  requests.length = 0;
});

type User = 'member' | 'berlin' | 'user';
const envOf = (user: User): { env: Record<string, string> } => ({
  env: storeEnv(cluster, 'team', cluster[user]),
});
const run = (args: readonly string[]) => controller.run(args, envOf('member'));
function startRun() {
  const running = controller.start(['apply', 'test.yaml', '-y'], envOf('member'));
  started.push(running);
  return running;
}
/** Again while no worker answers: it takes time to notice that the network is back. */
async function resume() {
  for (let tries = 1; ; tries += 1) {
    const resumed = await run(['resume', '-y']);
    if (resumed.exitCode !== 4 || tries === 30) return resumed;
  }
}

async function startWorker() {
  const worker = execa(
    'ip',
    ['netns', 'exec', NETNS, process.execPath, ...nodeFlags, program, 'worker', '--zone', 'berlin'],
    {
      cwd: zone.folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: zone.folder, ...envOf('berlin').env },
      extendEnv: false,
      stdin: 'ignore',
      reject: false,
    },
  ) as unknown as ReturnType<Harness['start']>;
  started.push(worker);
  await lineOf(worker.stdout, /^worker of zone/).catch(async () => {
    throw new Error(`it ended before: ${(await worker).stderr}`);
  });
}

/** Only the worker's inventory says how to sign in at the host. */
function newZone(playbook: string, urls: readonly string[] = []): void {
  host = openHarness();
  const inventory = (ssh: string): string =>
    [
      'platform: {}',
      urls.length === 0 ? 'endpoints: {}' : `endpoints: { service: { urls: [${urls.join(', ')}] } }`,
      'secrets: {}',
      ssh,
      'hosts:',
      `  a: { address: ${HOST}, zone: berlin }`,
      `  b: { address: ${SERVER}, zone: berlin }\n`,
    ].join('\n');
  const files = {
    'platform.yaml': PLATFORM,
    'test.yaml': playbook.replace('hosts: all', 'hosts: a').replaceAll('@/', `${host.folder}/`),
  };
  const { port, keyFile, knownHosts } = sshd;
  controller = openHarness({ ...files, 'inventory.yaml': inventory('') });
  zone = openHarness({
    ...files,
    'inventory.yaml': inventory(`ssh: { user: root, port: ${port}, key: ${keyFile}, known_hosts: ${knownHosts} }`),
  });
}

/** Counts how often it was done. */
const counted = (name: string, first = '', timeout = '120s'): string =>
  `      - step: ${name}
        command: { argv: [sh, -c, "${first}echo ${name} >>@/made; touch @/${name}"], creates: "@/${name}", changes: ["@/${name}"], timeout: ${timeout} }\n`;
/** Ends when the file `go` is there. */
const slow = (timeout?: string): string =>
  counted('slow', 'touch @/began; until test -e @/go; do sleep 0.05; done; ', timeout);
const until = async (file: string): Promise<void> => {
  while (!existsSync(host.path(file))) await new Promise(setImmediate);
};
const made = (): readonly string[] => host.read('made').trim().split('\n');

const ASK = `      - step: Ask
        http: { endpoint: service, path: /where, expect: { at: [{ pointer: /where, equals: zone }] } }\n`;
const set = (name: string): string => `      - step: Set
        http: { endpoint: service, method: PUT, path: /${name}, json: { a: 1 } }\n`;
const POST = `      - step: Post
        http: { endpoint: service, method: POST, path: /flush }\n`;

describe('hosts in a network of their own', () => {
  test('cannot be reached from here, and are by a worker with a key of its own', async () => {
    newZone(onePlay(touch('one', 'one') + touch('two', 'two')));
    const socket = connect(sshd.port, HOST);
    const [error] = (await once(socket, 'error').catch((e: unknown) => [e])) as [NodeJS.ErrnoException];
    expect(error.code).toBe('EHOSTUNREACH');
    zone.write('direct.yaml', zone.read('inventory.yaml').replaceAll(', zone: berlin', ''));
    const direct = await zone.run(['apply', 'test.yaml', '-y', '-i', 'direct.yaml']);
    expect([direct.exitCode, direct.stdout + direct.stderr]).toEqual([
      4,
      expect.stringContaining('cannot be reached (no route)'),
    ]);
    await startWorker();
    const applied = await run(['apply', 'test.yaml', '-y']);
    expect([applied.exitCode, applied.stdout]).toEqual([0, expect.stringContaining('2 changed')]);
    expect([existsSync(host.path('one')), existsSync(host.path('two'))]).toEqual([true, true]);
    expect(sshd.log()).toContain('Accepted publickey for root');
  });

  test('are asked over HTTP by the worker, and each request is sent once', async () => {
    newZone(onePlay(`${ASK}${set('one')}${POST}`), [`http://${SERVER}:${service.port}`]);
    await startWorker();
    const applied = await run(['apply', 'test.yaml', '-y']);
    expect([applied.exitCode, applied.stderr]).toEqual([0, expect.anything()]);
    expect(sent()).toEqual(['PUT /one', 'POST /flush']);
    expect(requests).toContain('GET /where');
  });

  test('are asked over HTTP where an address outside the zone does not answer', async () => {
    newZone(onePlay(ASK + set('two')), [`http://127.0.0.1:${await freePort()}`, `http://${SERVER}:${service.port}`]);
    await startWorker();
    expect(await run(['apply', 'test.yaml', '-y'])).toMatchObject({ exitCode: 0 });
    expect(requests).toContain('GET /where');
    expect(sent()).toEqual(['PUT /two']);
  });

  test('do not answer over HTTP, so that an address outside the zone is asked', async () => {
    const outside = createServer((_request, response) => response.end('{"where":"zone"}')).listen(0, '127.0.0.1');
    await once(outside, 'listening');
    const { port } = outside.address() as AddressInfo;
    try {
      newZone(onePlay(ASK), [`http://${SERVER}:${await freePort()}`, `http://127.0.0.1:${port}`]);
      await startWorker();
      const applied = await run(['apply', 'test.yaml', '-y']);
      expect([applied.exitCode, applied.stderr]).toEqual([0, expect.anything()]);
    } finally {
      outside.close();
    }
  });

  test('get no request a second time where the network to the store was away before its answer', async () => {
    newZone(
      onePlay(`      - step: Post
        http: { endpoint: service, method: POST, path: "/flush?until=@/go" }\n${counted('after')}`),
      [`http://${SERVER}:${service.port}`],
    );
    await startWorker();
    const running = startRun();
    while (sent().length === 0) await new Promise(setImmediate);
    await link('down');
    const applied = await running;
    host.write('go', '');
    await link('up');
    const resumed = await resume();
    for (const { exitCode, stdout } of [applied, resumed])
      expect([exitCode, stdout]).toEqual([
        1,
        expect.stringMatching(/it is not known whether this was done[^]*not started, .*: 1 step/),
      ]);
    expect(sent()).toEqual([`POST /flush?until=${host.path('go')}`]);
    expect(existsSync(host.path('made'))).toBe(false);
  });

  test('are worked on after the network to the store was away in the middle of a step', async () => {
    newZone(onePlay(counted('before') + slow() + counted('after')));
    await startWorker();
    const running = startRun();
    await until('began');
    await link('down');
    host.write('go', '');
    await lineOf(running.stderr, /waiting: a cannot be reached/);
    await link('up');
    const applied = await running;
    expect([applied.exitCode, applied.stderr]).toEqual([0, expect.anything()]);
    expect(made()).toEqual(['before', 'slow', 'after']);
  });

  test('are worked on after the connection of the worker to the store was lost in the middle of a step', async () => {
    newZone(onePlay(counted('before') + slow() + counted('after')));
    await startWorker();
    const running = startRun();
    await until('began');
    for (const relay of relays) relay.cut();
    host.write('go', '');
    const applied = await running;
    expect([applied.exitCode, applied.stderr]).toEqual([0, expect.anything()]);
    expect(made()).toEqual(['before', 'slow', 'after']);
  });

  test('are pending where the network to the store stays away, and worked on once it is back', async () => {
    newZone(onePlay(counted('before') + slow('20s') + counted('after')));
    await startWorker();
    const running = startRun();
    await until('began');
    await link('down');
    host.write('go', '');
    const applied = await running;
    expect([applied.exitCode, applied.stdout + applied.stderr]).toEqual([
      4,
      expect.stringMatching(/a {2}slow: .*no worker of zone berlin answers.*\n.*not started, .*: 1 step/),
    ]);
    expect(made()).toEqual(['before', 'slow']);
    await link('up');
    const resumed = await resume();
    expect([resumed.exitCode, resumed.stderr]).toEqual([0, expect.anything()]);
    expect(made()).toEqual(['before', 'slow', 'after']);
  });
});
