import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { openNatsStore } from '../../engine/store/nats/nats-store.js';
import { startCluster, storeEnv, type Cluster } from '../lab/nats.js';
import { lineOf, localHarness, onePlay, openHarness, touch, type Harness } from '../cli/cli-harness.js';

/** Two machines of a team are two folders of this one, each with its own copy of the project; the host is a third folder. */
let cluster: Cluster;
let host: Harness;
let a: Harness;
let b: Harness;
let stores = 0;
let store = '';

const FILE = 'run.tar.gz';
/** Its second step fails until the file `fixed` is there, and takes time until the file `go` is. */
const STOPS = onePlay(
  `${touch('first', 'first')}      - step: maybe
        command: { argv: [sh, -c, "until test -e @/go; do sleep 0.05; done; test -e @/fixed"], changes: everything, timeout: 60s }
${touch('last', 'last')}`,
);

const envOf = (more: Record<string, string> = {}) => ({
  ...storeEnv(cluster, store),
  ...more,
});
const run = (at: Harness, args: readonly string[], more?: Record<string, string>) => at.run(args, { env: envOf(more) });

async function newStore(more?: Record<string, string>): Promise<void> {
  store = `team${(stores += 1)}`;
  expect(await run(a, ['store', 'create'], more)).toMatchObject({ exitCode: 0 });
}

beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

async function newTeam(): Promise<void> {
  host = localHarness(STOPS);
  const files = Object.fromEntries(['platform.yaml', 'test.yaml', 'inventory.yaml'].map((f) => [f, host.read(f)]));
  [a, b] = [openHarness(files), openHarness(files)];
  await newStore();
}
afterEach(() => [host, a, b].forEach((one) => one.end()));

describe('a run that is exported', () => {
  test('is imported into a new store after the store and all folders are lost, and resumed by another machine', async () => {
    await newTeam();
    writeFileSync(host.path('go'), '');
    await run(a, ['apply', 'test.yaml', '-y']);
    // The other machine has it from the store.
    expect(await run(b, ['runs', '--export', 'last', '-o', FILE])).toMatchObject({ exitCode: 0 });
    for (const one of [a, b]) rmSync(one.path('.runbook'), { recursive: true });
    await newStore();
    expect((await run(a, ['runs'])).stdout).toContain('no runs');
    expect(await run(b, ['runs', '--import', FILE])).toMatchObject({ exitCode: 0 });
    expect((await run(a, ['runs'])).stdout).toContain('(unfinished)');
    writeFileSync(host.path('fixed'), '');
    expect(await run(a, ['resume', '-y'])).toMatchObject({ exitCode: 0 });
    expect(existsSync(host.path('last'))).toBe(true);
    expect((await run(b, ['runs'])).stdout).toMatch(/ done /);
    // The store has the run and more of it.
    expect(await run(b, ['runs', '--import', FILE])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('is here already; nothing was imported'),
    });
    expect(a.journalOf(a.runs()[0] ?? '')).toEqual(b.journalOf(b.runs()[0] ?? ''));
  });

  test('is not imported while another machine works with the inventory, nor where the store is away', async () => {
    await newTeam();
    const running = a.start(['apply', 'test.yaml', '-y'], { env: envOf() });
    await lineOf(running.stderr, / a {2}maybe: /);
    await run(a, ['runs', '--export', 'last', '-o', FILE]);
    cpSync(a.path(FILE), b.path(FILE));
    const locked = await run(b, ['runs', '--import', FILE]);
    expect([locked.exitCode, locked.stderr]).toEqual([5, expect.stringContaining('is in use by runbook apply')]);
    writeFileSync(host.path('go'), '');
    await running;
    rmSync(b.path('.runbook'), { recursive: true });
    const nowhere = { RUNBOOK_STORE: 'nats://localhost:1/team' };
    const away = await run(b, ['runs', '--import', FILE], nowhere);
    expect([away.exitCode, away.stderr, b.runs()]).toEqual([4, expect.stringContaining("the team's store: "), []]);
    expect(await run(b, ['runs', '--import', FILE], { RUNBOOK_STORE: '' })).toMatchObject({ exitCode: 0 });
  });
});

describe('doctor of a store', () => {
  const doctor = (more?: Record<string, string>) => run(a, ['doctor', 'test.yaml', '-v'], more);
  const ACCESS = /✓ Access /;

  test('that is right, also with a run in it: one line, and nothing is left in it', async () => {
    await newTeam();
    const line = /✓ Store +servers · TLS · login · streams · permissions · version · copies · space\n/;
    expect(await doctor()).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(line) });
    writeFileSync(host.path('go'), '');
    await run(a, ['apply', 'test.yaml', '-y']);
    expect(await doctor()).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(line) });
    expect((await run(b, ['runs'])).stdout.match(/^20/gm)).toHaveLength(1);
    expect((await doctor({ RUNBOOK_STORE: '' })).stdout).not.toContain('Store');
  });

  test.each<[string, () => Record<string, string>, RegExp]>([
    [
      'that does not answer',
      () => ({ RUNBOOK_STORE: `nats://localhost:1/${store}` }),
      /the team's store: connect [^]*→ check its servers and the network/,
    ],
    [
      'whose certificate is not trusted',
      () => ({ RUNBOOK_STORE_CA: cluster.user.userFile }),
      /the team's store: connect [^]*→ its certificate is not signed by store_ca/,
    ],
    [
      'that refuses the login',
      () => ({ RUNBOOK_STORE_PASSWORD: a.path('inventory.yaml') }),
      /the team's store: connect [^]*→ check store_credentials/,
    ],
    [
      'whose password file is missing',
      () => ({ RUNBOOK_STORE_PASSWORD: '/nonexistent' }),
      /the file \/nonexistent is missing[^]*Store: configuration/,
    ],
    [
      'that is not there',
      () => ({ RUNBOOK_STORE: `nats://${cluster.servers.join(',')}/tema` }),
      /the team's store: open stream tema-runs [^]*→ the name in `store:` may be wrong/,
    ],
  ])('%s: what is wrong, and the hosts are checked all the same', async (_what, env, wanted) => {
    await newTeam();
    const { exitCode, stdout } = await doctor(env());
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(wanted)]);
    expect(stdout).toMatch(ACCESS);
  });

  test('in which the user may read and not write, and one with one copy', async () => {
    await newTeam();
    const [, ...others] = cluster.servers;
    store = 'team';
    const one = { RUNBOOK_STORE: `nats://${others.join(',')}/team` };
    expect(await run(a, ['store', 'create'], one)).toMatchObject({ exitCode: 0 });
    const member = await doctor({ RUNBOOK_STORE_USER: cluster.member.userFile });
    expect([member.exitCode, member.stdout]).toEqual([
      0,
      expect.stringMatching(/team-runs has fewer than 3 copies: 1[^]*→ nats stream edit team-runs --replicas 3/),
    ]);
    const reader = await doctor({ RUNBOOK_STORE_USER: cluster.reader.userFile });
    expect([reader.exitCode, reader.stdout]).toEqual([
      1,
      expect.stringMatching(/the team's store: write to stream team-runs [^]*→ check store_credentials/),
    ]);
  });

  test('that is nearly full', async () => {
    await newTeam();
    store = 'small';
    const { servers, caFile, user: login } = cluster;
    const small = await openNatsStore({
      ...{ servers, caFile, login, store },
      create: { replicas: 3, maxBytes: 100_000 },
    });
    await small.putBlob('run', 'run.log', Buffer.alloc(90_000, 'x'));
    await small.close();
    const { exitCode, stdout } = await doctor();
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/small-files is 9\d % full: 9\d\.?\d* kB of 100 kB/)]);
  });
});
