import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createInbox } from '@nats-io/transport-node';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sha256 } from '../../engine/lib/hash.js';
import type { Silence } from '../../engine/machines/host-pool.js';
import { createSecrets } from '../../engine/machines/secrets.js';
import type { Outcome } from '../../engine/terms/action.js';
import { openConnection } from '../../engine/store/nats/link.js';
import type { NatsOptions } from '../../engine/store/nats/options.js';
import { encode, identityOf, subjectsOf, type FromWorker } from '../../engine/zones/messages.js';
import { AWAY_MS } from '../../engine/zones/servers.js';
import { openZone } from '../../engine/zones/zone-client.js';
import { openWorker } from '../../engine/zones/open-worker.js';
import { findWorkers } from '../../engine/zones/zone-workers.js';
import { MAX_PAYLOAD, startCluster, storeEnv, type Cluster } from '../lab/nats.js';
import { ctrlC, lineOf, localHarness, onePlay, openHarness, touch, type Harness } from '../cli/cli-harness.js';
import { fleetOf, workshop } from '../machines/local-host.js';
import { startSshServer } from '../machines/ssh-server.js';

/** The controller and the machine of the workers are two folders of this one; the host is a third. Only workers find its secret. */
let cluster: Cluster;
let host: Harness;
let controller: Harness;
let zone: Harness;
const started: ReturnType<Harness['start']>[] = [];

const PLATFORM =
  'platform: Test\nroles: { node: { description: A node } }\nlease: { roles: [node], file: @/var/lease }\n';
const INVENTORY = (text: string): string =>
  text.replace('machine: local }', 'machine: local, roles: [node], zone: berlin }');

type User = 'member' | 'berlin' | 'lisbon' | 'user';
const envOf = (user: User, more: Record<string, string> = {}): { env: Record<string, string> } => ({
  env: {
    ...storeEnv(cluster, 'team', cluster[user]),
    ...more,
  },
});
const optionsOf = (user: User): NatsOptions => ({
  servers: cluster.servers,
  store: 'team',
  caFile: cluster.caFile,
  login: cluster[user],
});
const run = (args: readonly string[]) => controller.run(args, envOf('member'));
function start(at: Harness, args: readonly string[], user: User, more?: Record<string, string>) {
  const running = at.start(args, envOf(user, more));
  started.push(running);
  return running;
}
async function startWorker(name = 'berlin', more?: Record<string, string>) {
  const worker = start(zone, ['worker', '--zone', name], name as User, more);
  await lineOf(worker.stdout, /^worker of zone/).catch(async () => {
    throw new Error(`it ended before: ${(await worker).stderr}`);
  });
  // In an object: a process is a promise, which would be waited for.
  return { worker };
}

beforeAll(async () => {
  cluster = await startCluster();
  const setUp = openHarness();
  expect(await setUp.run(['store', 'create'], envOf('user'))).toMatchObject({ exitCode: 0 });
  setUp.end();
});
afterAll(() => cluster.stop());

afterEach(() => endAll());

async function endAll(): Promise<void> {
  // The store is the same for all tests, so an unfinished run would be another one's.
  if (controller.runs().length > 0) await run(['close', '-y']);
  for (const each of started.splice(0)) {
    each.kill('SIGCONT');
    each.kill('SIGKILL');
    await each;
  }
  for (const one of [host, controller, zone]) one.end();
}

function newZone(playbook: string, secrets = '{}'): void {
  host = localHarness(playbook, secrets);
  host.write('platform.yaml', PLATFORM);
  const files = Object.fromEntries(['platform.yaml', 'test.yaml', 'inventory.yaml'].map((f) => [f, host.read(f)]));
  files['inventory.yaml'] = INVENTORY(files['inventory.yaml'] ?? '');
  [controller, zone] = [openHarness(files), openHarness(files)];
}

/** Gives the controller a host outside the zone. */
const withHostBeside = (): void =>
  controller.write(
    'inventory.yaml',
    `${controller.read('inventory.yaml')}  b: { address: 127.0.0.1, machine: local, roles: [node] }\n`,
  );

/** Counts how often it was done; ends when the file `go` is there. */
const SLOW = `      - step: slow
        command: { argv: [sh, -c, "echo slow >>@/made; touch @/began; until test -e @/go; do sleep 0.05; done; touch @/slow"], creates: "@/slow", changes: ["@/slow"], timeout: 60s }\n`;
/** Counts how often it was done. */
const counted = (name: string): string =>
  `      - step: ${name}
        command: { argv: [sh, -c, "echo ${name} >>@/made; touch @/${name}"], creates: "@/${name}", changes: ["@/${name}"], timeout: 60s }\n`;
const STEPS = 10;
/** Of the built program. */
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
/** The step in the middle runs on the host, or the controller has ended. */
async function inSlow(running: ReturnType<Harness['start']>): Promise<void> {
  let end: string | undefined;
  void running.then(({ stderr }) => (end = stderr));
  while (!existsSync(host.path('began'))) {
    if (end !== undefined) throw new Error(`it ended before: ${end}`);
    await new Promise(setImmediate);
  }
}
const ended = async (running: ReturnType<Harness['start']>): Promise<never> => {
  throw new Error(`it ended before: ${(await running).stderr}`);
};
const files = (...names: readonly string[]): readonly boolean[] => names.map((name) => existsSync(host.path(name)));
/** The machine has no `a` for the controller: what is done there was done by a worker. */
const read = (name: string): string => readFileSync(host.path(name), 'utf8');

/** A worker that stands still once it may act, before it sends its first action to the host. */
async function freezeOnceAllowed() {
  const shop = workshop();
  const { machine } = shop;
  let sleep = (): void => undefined;
  let wake = (): void => undefined;
  const allowed = new Promise<void>((resolve) => (sleep = resolve));
  const awake = new Promise<void>((resolve) => (wake = resolve));
  let late: Promise<Outcome> | undefined;
  const fleet = fleetOf(machine, async (on, action, { mayAct, ...context }) => {
    await mayAct?.();
    sleep();
    late = awake.then(() => machine.perform(on, action, context));
    return late;
  });
  const secrets = createSecrets({ sources: {}, env: {}, ask: () => Promise.resolve(undefined) });
  const worker = await openWorker({
    options: optionsOf('berlin'),
    zone: 'berlin',
    who: { machine: 'frozen', version },
    hosts: new Map([['a', identityOf({ name: 'a', address: '127.0.0.1', machine: 'local' })]]),
    fleet,
    secrets,
    folder: zone.folder,
    onAct: () => undefined,
  });
  return {
    allowed,
    vanish: () => worker.close(),
    async wakeUp(): Promise<Outcome | undefined> {
      wake();
      const outcome = await late;
      await shop.end();
      return outcome;
    },
  };
}

describe('hosts of a zone', () => {
  test('are reached by its worker', async () => {
    newZone(onePlay(touch('one', 'one') + touch('two', 'two')));
    const { worker } = await startWorker();
    expect((await run(['plan', 'test.yaml'])).stdout).toContain('1 host (zone berlin)');
    const applied = await run(['apply', 'test.yaml', '-y']);
    expect([applied.exitCode, applied.stdout]).toEqual([0, expect.stringContaining('2 changed')]);
    expect(files('one', 'two')).toEqual([true, true]);
    expect((await run(['apply', 'test.yaml', '-y'])).stdout).toContain('2 unchanged');
    worker.kill('SIGTERM');
    expect(await worker).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/ a \S+\/one@host:a\/1\/0\n/) });
  });

  test('are reached by a worker whose clock is a year behind', async () => {
    newZone(onePlay(touch('one', 'one')));
    const slow = 'const now = Date.now; Date.now = () => now() - 365 * 86_400_000;';
    await startWorker('berlin', { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(slow)}` });
    expect(await run(['apply', 'test.yaml', '-y'])).toMatchObject({ exitCode: 0 });
    expect((await run(['apply', 'test.yaml', '-y'])).stdout).toContain('1 unchanged');
  });

  test('are not begun with where no worker answers', async () => {
    newZone(onePlay(touch('one', 'one')));
    const applied = await run(['apply', 'test.yaml', '-y']);
    expect([applied.exitCode, applied.stderr]).toEqual([
      4,
      'runbook: zone berlin: no worker answers\n  on a machine in the zone: runbook worker --zone berlin',
    ]);
    expect(files('one')).toEqual([false]);
  });

  test('keep no other host from its work where no worker answers', async () => {
    newZone(onePlay(touch('one', 'one')));
    withHostBeside();
    expect(await run(['apply', 'test.yaml', '-y', '-l', 'b'])).toMatchObject({ exitCode: 0 });
    expect(files('one')).toEqual([true]);
  });

  test('that accept a connection and stay silent: Ctrl-C ends the wait for them', async () => {
    const server = await startSshServer();
    // Longer than any test: what ends the wait is the signal.
    const ssh = `ssh: { port: ${server.port}, user: ops, password: "{{secret.ops}}", known_hosts: known_hosts, connect_timeout: 10m }`;
    newZone(onePlay(touch('one', 'one')), '{ ops: { env: OPS } }');
    zone.write('known_hosts', server.known);
    for (const at of [zone, controller])
      at.write('inventory.yaml', at.read('inventory.yaml').replace('machine: local', ssh));
    server.fallSilent();
    try {
      await startWorker('berlin', { OPS: 'the password of ops' });
      const applying = controller.start(['apply', 'test.yaml', '-y'], { ...envOf('member'), detached: true });
      await server.greeted();
      ctrlC(applying);
      const { exitCode, stdout } = await applying;
      expect([exitCode, stdout]).toEqual([
        expect.any(Number),
        // Asked first is the marker of a lost run: the wait for it has ended, and nothing else is asked.
        expect.stringContaining('Interrupted: before "Work". Nothing was changed.'),
      ]);
    } finally {
      server.close();
    }
  });

  test('get what is larger than a message, and answer with more', async () => {
    const bytes = randomBytes(3 * MAX_PAYLOAD + 17);
    const server = createServer((_request, response) => response.end(bytes)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    newZone(
      onePlay(`      - step: Fetch
        download: { url: "http://127.0.0.1:${port}/file.bin", path: "@/file.bin", sha256: ${sha256(bytes)} }
      - step: Add a line
        file-edit: { path: "@/large", lines: [{ line: "end" }] }\n`),
    );
    host.write('large', 'a line of text\n'.repeat(MAX_PAYLOAD / 10));
    try {
      await startWorker();
      const applied = await run(['apply', 'test.yaml', '-y']);
      expect([files('file.bin'), applied.stderr]).toEqual([[true], expect.anything()]);
      expect(sha256(readFileSync(host.path('file.bin')))).toBe(sha256(bytes));
      // The whole text is one message to write it.
      expect([applied.exitCode, applied.stderr]).toEqual([1, expect.stringMatching(/a message has \d+ bytes/)]);
    } finally {
      server.close();
    }
  });

  test('keep their secrets: only the worker has the value, and no answer holds it', async () => {
    const value = 'value-only-in-the-zone';
    newZone(
      onePlay(`      - step: Write it
        file: { path: "@/conf", state: file, content: "user=ops\\npassword={{secret.db}}\\n", mode: "0600" }
      - step: Add a line
        file-edit: { path: "@/conf", lines: [{ line: "port=1" }] }
      - step: Show it
        command: { argv: [cat, "@/conf"], changes: [], timeout: 10s }\n`),
      '{ db: { env: DB_PASSWORD } }',
    );
    await startWorker('berlin', { DB_PASSWORD: value });
    const applied = await run(['apply', 'test.yaml', '-y', '--diff']);
    expect([applied.exitCode, applied.exitCode === 0 ? '' : applied.stderr]).toEqual([0, '']);
    expect(read('conf')).toBe(`user=ops\npassword=${value}\nport=1\n`);
    const everything = controller.runs().map(controller.everythingOf).join('\n');
    expect(everything).toContain('secret.db');
    for (const text of [everything, applied.stdout, applied.stderr]) expect(text).not.toContain(value);
  });

  test('get no secret where they hold what looks like the mark of one', async () => {
    newZone(
      onePlay('      - step: Add a line\n        file-edit: { path: "@/conf", lines: [{ line: "port=1" }] }\n'),
      '{ db: { env: DB_PASSWORD } }',
    );
    const forged = 'x=\ufdd0{{secret.db}}\ufdd0\n';
    host.write('conf', forged);
    await startWorker('berlin', { DB_PASSWORD: 'value-only-in-the-zone' });
    expect((await run(['apply', 'test.yaml', '-y'])).exitCode).toBe(1);
    expect(read('conf')).toBe(forged);
  });

  test('are reached by another worker once the first is killed in the middle of a step', async () => {
    newZone(onePlay(touch('before', 'before') + SLOW + touch('after', 'after')));
    const { worker } = await startWorker();
    const running = start(controller, ['apply', 'test.yaml', '-y'], 'member');
    await inSlow(running);
    worker.kill('SIGKILL');
    await worker;
    await startWorker();
    host.write('go', '');
    const applied = await running;
    expect([applied.exitCode, applied.stderr]).toEqual([0, expect.anything()]);
    expect(files('before', 'slow', 'after')).toEqual([true, true, true]);
    expect(read('made')).toBe('slow\n');
  });

  test('are reached by another worker once the first is frozen, and what it wakes up with is heard by no run', async () => {
    newZone(onePlay(touch('before', 'before') + SLOW + touch('after', 'after')));
    const { worker } = await startWorker();
    const running = start(controller, ['apply', 'test.yaml', '-y'], 'member');
    await inSlow(running);
    worker.kill('SIGSTOP');
    host.write('go', '');
    await startWorker();
    const applied = await running;
    expect([applied.exitCode, applied.stderr]).toEqual([0, expect.anything()]);
    worker.kill('SIGCONT');
    worker.kill('SIGTERM');
    expect((await worker).exitCode).toBe(0);
    expect(read('made')).toBe('slow\n');
  });

  test('refuse what a worker was allowed to do and sends when it wakes up: by then another one may have done it', async () => {
    newZone(onePlay(counted('one') + SLOW));
    const frozen = await freezeOnceAllowed();
    const running = start(controller, ['apply', 'test.yaml', '-y'], 'member');
    await Promise.race([frozen.allowed, ended(running)]);
    await frozen.vanish();
    await startWorker();
    await inSlow(running);
    const late = await frozen.wakeUp();
    host.write('go', '');
    expect((await running).exitCode).toBe(0);
    expect([late, read('made')]).toEqual([expect.objectContaining({ is: 'refused', by: 'fence' }), 'one\nslow\n']);
  });

  test('are waited for while no server of the store answers: that says nothing about their worker', async () => {
    newZone(onePlay(touch('one', 'one')));
    await startWorker();
    const { connection, maxBytes } = await openConnection(optionsOf('user'));
    const identities = new Map([['a', identityOf({ name: 'a', address: '127.0.0.1', machine: 'local' })]]);
    const nodes = [0, 1, 2];
    const heard: string[] = [];
    const onSilence = (host: string, silence: Silence): void => {
      if (heard.push(`${host}: ${silence.for}`) === 1) nodes.forEach((node) => cluster.start(node));
    };
    const zoneOf = { store: 'team', zone: 'berlin', version, identities, maxBytes };
    const { executor, workers } = openZone(connection, { ...zoneOf, onSilence, awayMs: AWAY_MS.run });
    const impatient = openZone(connection, { ...zoneOf, awayMs: 0 });
    try {
      expect(await workers.workerOf('a')).toBeDefined();
      await Promise.all(nodes.map((node) => cluster.kill(node)));
      while (connection.info !== undefined) await new Promise(setImmediate);
      const action = { do: 'directory', path: host.path('made') } as const;
      expect(await impatient.executor.job({ host: 'a' }, 'none')).toEqual({
        is: 'unreachable',
        reason: 'the servers of the store do not answer, and zone berlin is reached over them',
      });
      expect(await executor.perform({ host: 'a' }, action, { id: 'one' })).toEqual({ is: 'applied' });
      expect(heard[0]).toBe('a: no answer from the servers of the store');
    } finally {
      await connection.close();
    }
  });

  /** More rounds, for a figure: RUNBOOK_ROUNDS=50. */
  test('are worked on once by each step, whichever step their worker is frozen at', async () => {
    const rounds = Number(process.env['RUNBOOK_ROUNDS'] ?? 2);
    const longest: number[] = [];
    const twice: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      newZone(onePlay(Array.from({ length: STEPS }, (_, n) => counted(`step${n}`)).join('')));
      const { worker } = await startWorker();
      const running = start(controller, ['apply', 'test.yaml', '-y'], 'member');
      await lineOf(worker.stdout, new RegExp(`/step${(round * 7) % STEPS}@`));
      worker.kill('SIGSTOP');
      await startWorker();
      expect(await running).toMatchObject({ exitCode: 0 });
      worker.kill('SIGCONT');
      worker.kill('SIGTERM');
      expect((await worker).exitCode).toBe(0);
      const made = read('made').trim().split('\n');
      expect(new Set(made).size).toBe(STEPS);
      twice.push(made.length - STEPS);
      const at = controller.journalOf(controller.runs().at(-1) ?? '').map(({ atMs }) => atMs);
      longest.push(Math.max(...at.slice(1).map((ms, n) => ms - (at[n] ?? 0))));
      await endAll();
    }
    process.stdout.write(
      `${rounds} rounds: ${twice.filter((n) => n > 0).length} with a step done twice, ${Math.max(...longest)} ms at most between two records\n`,
    );
    expect(Math.max(...longest)).toBeLessThan(30_000);
  });

  test('a worker that is to end finishes the step first, and takes no more', async () => {
    newZone(onePlay(touch('before', 'before') + SLOW + touch('after', 'after')));
    const { worker } = await startWorker();
    const running = start(controller, ['apply', 'test.yaml', '-y'], 'member');
    await inSlow(running);
    worker.kill('SIGTERM');
    await startWorker();
    host.write('go', '');
    expect((await worker).exitCode).toBe(0);
    expect(await running).toMatchObject({ exitCode: 0 });
    expect(read('made')).toBe('slow\n');
  });

  test('a worker goes on after messages that are no work', async () => {
    newZone(onePlay(touch('one', 'one')));
    await startWorker();
    const { connection } = await openConnection(optionsOf('user'));
    const [hello] = await findWorkers(connection, subjectsOf('team', 'berlin'));
    const subject = subjectsOf('team', 'berlin').workOf(hello?.worker ?? '');
    const answers: unknown[] = [];
    const other = { on: { host: 'b' }, action: { do: 'directory', path: '/made' }, id: 'x' };
    for (const text of [
      ...['', 'no json', '[]', '{"do":"ask"}', '{"do":"rm","host":"a"}', '{"do":"ask","host":"a"}'],
      // Of another host, or an endpoint, than the one that it is addressed to.
      JSON.stringify({ do: 'perform', host: 'a', ...other }),
      JSON.stringify({
        do: 'ask',
        host: 'a',
        needs: [{ of: { controller: true }, fact: 'offline-packages', key: '/etc' }],
      }),
      // No host of the zone, or another one of the same name.
      JSON.stringify({ do: 'swap', host: 'b' }),
      JSON.stringify({
        do: 'swap',
        host: 'a',
        identity: identityOf({ name: 'a', address: 'other', machine: 'local' }),
      }),
    ]) {
      const inbox = createInbox(subjectsOf('team', 'berlin').replies);
      const messages = connection.subscribe(inbox);
      connection.publish(subject, text, { reply: inbox });
      for await (const message of messages) {
        const said = message.json<FromWorker>();
        if (said.is === 'working') continue;
        answers.push(said.is === 'refused' ? said.refusal.code : said.is);
        break;
      }
    }
    await connection.close();
    expect(answers).toEqual([...Array<string>(8).fill('malformed'), 'host', 'host']);
    expect(await run(['apply', 'test.yaml', '-y'])).toMatchObject({ exitCode: 0 });
  });

  test('a worker may read nothing of another zone, and write nothing but answers', async () => {
    newZone(onePlay(touch('one', 'one')));
    const { connection } = await openConnection(optionsOf('lisbon'));
    const refused: string[] = [];
    for (const subject of ['team.zone.berlin.>', 'team.>', '_INBOX.>', 'team.run.*', '$JS.>'])
      await new Promise<void>((resolve) => {
        const callback = (error: Error | null): void => {
          refused.push(error?.name ?? 'none');
          resolve();
        };
        connection.subscribe(subject, { callback });
      });
    connection.publish('team.zone.berlin.hello', '');
    await connection.flush();
    await connection.close();
    expect(refused).toEqual(Array(5).fill('PermissionViolationError'));
    const worker = await start(zone, ['worker', '--zone', 'berlin'], 'lisbon');
    expect([worker.exitCode, worker.stderr]).toEqual([
      4,
      expect.stringMatching(/let it take no work of zone berlin: .*[Pp]ermissions? [Vv]iolation/),
    ]);
  });

  test('are sent to no worker of another version, which doctor names', async () => {
    newZone(onePlay(touch('one', 'one')));
    const { connection } = await openConnection(optionsOf('user'));
    const other = { worker: 'other', machine: 'old-1', version: '0.0.9' };
    connection.subscribe(subjectsOf('team', 'berlin').hello, {
      callback: (_error, message) => void message.respond(encode(other)),
    });
    await connection.flush();
    const applied = await run(['apply', 'test.yaml', '-y']);
    expect([applied.exitCode, applied.stderr]).toEqual([
      4,
      expect.stringMatching(/zone berlin: the worker on old-1 has version 0\.0\.9, and this is \d/),
    ]);
    const examined = await run(['doctor', 'test.yaml']);
    expect([examined.exitCode, examined.stdout]).toEqual([
      1,
      expect.stringMatching(/zone berlin: the worker on old-1 has version 0\.0\.9[^]*install the same version/),
    ]);
    await startWorker();
    expect(await run(['apply', 'test.yaml', '-y'])).toMatchObject({ exitCode: 0 });
    await connection.close();
  });

  test('whose servers do not answer are no reason for a doctor not to examine the other hosts', async () => {
    newZone(onePlay(touch('one', 'one')));
    withHostBeside();
    const away = start(controller, ['doctor', 'test.yaml', '-v'], 'member', {
      RUNBOOK_STORE: 'nats://localhost:1/team',
    });
    const { exitCode, stdout } = await away;
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`
  1  the team's store: connect (store team on localhost:1): connection refused
     Store: servers, TLS, login, streams, permissions
     → check its servers and the network; with RUNBOOK_STORE= a command works with what this machine has
  2  a  a worker of its zone reaches it, over the servers of the store: connection refused
     SSH, host key, login, sudo, shell
     → repair the store first

✓ Access `);
  });

  test('a worker of a zone that no host is in is refused', async () => {
    newZone(onePlay(touch('one', 'one')));
    const worker = await start(zone, ['worker', '--zone', 'berlim'], 'berlin');
    expect([worker.exitCode, worker.stderr]).toEqual([
      2,
      expect.stringMatching(/in zone berlim.*did you mean.*berlin/),
    ]);
  });
});
