import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { securityMonitoring } from '../../../engine/platforms/security-monitoring/platform.js';
import { connectModel } from '../../../engine/simulator/process.js';
import type { Fault } from '../../../engine/simulator/state.js';
import { lineOf, openHarness, type Harness } from '../../cli/cli-harness.js';
import { buildProgram, type Program } from './build-program.js';
import { postgres } from './platform.js';
import { UNIT, type PostgresState } from './simulator/state.js';

const playbooks = join(import.meta.dirname, 'playbooks');
let program: Program;

beforeAll(() => {
  program = buildProgram();
});
afterAll(() => program.remove());

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** The model in a process of its own, all at 15.18, and the playbooks where the operator is. */
async function open(...faults: Fault[]) {
  const files = readdirSync(playbooks).map((name) => [name, readFileSync(join(playbooks, name), 'utf8')] as const);
  const harness: Harness = openHarness(Object.fromEntries(files), program.file);
  const vars = JSON.stringify({ from: '15.18', faults: faults as unknown });
  const served = harness.start(['model', 'upgrade.yaml', '-e', vars]);
  ends.push(async () => {
    served.kill('SIGTERM');
    await served;
    harness.end();
  });
  await lineOf(served.stdout, /listens on/);
  const model = await connectModel<PostgresState>(harness.path('model.sock'));
  ends.push(() => model.close());
  return {
    ...harness,
    state: () => model.state(),
    /** By hand, as an operator does. */
    start: (host: string) => {
      const command = { argv: ['systemctl', 'start', UNIT], timeoutMs: 60_000 } as const;
      return model.perform(host, { do: 'run', command, expect: { exit: [0] } }, 'by-hand');
    },
    versions: async () => {
      const { hosts } = await model.state();
      return Object.values(hosts).map((host) => host.services[UNIT]?.runs);
    },
    /** Hosts in the order in which a step was done on them. */
    order: (run: string, step: string) =>
      harness
        .journalOf(run)
        .flatMap(({ event }) =>
          event.e === 'settled' && event.name === step && event.changed && 'host' in event.task.on
            ? [event.task.on.host]
            : [],
        ),
  };
}

const failsOnce = (host: string): Fault => ({ fault: 'start-fails', host, unit: UNIT, times: 1 });
const NEW = '15.20-1';
const OLD = '15.18-1';

test('upgraded one node at a time with the primary last, and rolled back the same way; no session is cut', async () => {
  const { run, runs, order, versions, state } = await open();
  const applied = await run(['apply', 'upgrade.yaml', '-y']);
  expect([applied.exitCode, await versions()]).toEqual([0, [NEW, NEW, NEW]]);
  expect(order(runs()[0] ?? '', 'Replace the package')).toEqual(['db-2', 'db-3', 'db-1']);
  expect((await run(['apply', 'upgrade.yaml', '-y'])).stdout).toContain(' 0 changed');

  const back = await run(['rollback', '-y']);
  expect([back.exitCode, await versions()]).toEqual([0, [OLD, OLD, OLD]]);
  // The primary is db-2 by now.
  expect(order(runs().at(-1) ?? '', 'Replace the package')).toEqual(['db-1', 'db-3', 'db-2']);
  expect((await run(['runs'])).stdout).toContain(`rolls back ${runs()[0] ?? ''}`);
  const { harm, balancer } = await state();
  expect([harm, Object.values(balancer).map(({ mode }) => mode)]).toEqual([[], ['ready', 'ready', 'ready']]);
});

test('a start that fails: diagnosed at once and by itself, the node stays drained, and a resume completes it', async () => {
  const { run, versions, state } = await open(failsOnce('db-3'));
  const failed = await run(['apply', 'upgrade.yaml', '-y']);
  expect([failed.exitCode, await versions()]).toEqual([1, [OLD, NEW, OLD]]);
  expect(failed.stdout).toContain('DOWN      since 22:01 UTC: postgresql 15.20 on db-3');
  expect(failed.stdout).toContain('db-3  postgresql@15-main does not run');
  expect(failed.stdout).toMatch(/runbook rollback +to 15\.18/);
  expect((await state()).balancer['db-3']?.mode).toBe('drain');

  const diagnosed = await run(['diagnose']);
  expect([diagnosed.exitCode, diagnosed.stdout]).toEqual([1, expect.stringContaining('2 found. Nothing was changed.')]);

  // What is waited for before the next node is not what stops it.
  const rest = await run(['resume', '--dry-run']);
  expect([rest.exitCode, rest.stdout]).toEqual([0, expect.not.stringContaining('WILL STOP')]);
  const resumed = await run(['resume', '-y']);
  expect([resumed.exitCode, await versions(), (await state()).harm]).toEqual([0, [NEW, NEW, NEW], []]);
  expect((await run(['diagnose'])).exitCode).toBe(0);
});

test('the rollbacks of components are those beside its platform.yaml', async () => {
  const { run, versions } = await open();
  expect((await run(['apply', 'upgrade.yaml', '-y'])).exitCode).toBe(0);
  const odd = await run(['rollback', '--component', 'indexer']);
  expect([odd.exitCode, odd.stderr]).toEqual([2, expect.stringContaining('"indexer"; use postgresql')]);
  const back = await run(['rollback', '--component', 'postgresql', '-y']);
  expect([back.exitCode, await versions()]).toEqual([0, [OLD, OLD, OLD]]);
});

test('without a rollback of its own it has none, and no other platform is rolled back instead', async () => {
  const { run, path } = await open(failsOnce('db-3'));
  for (const file of ['rollback.yaml', 'rollback-postgresql.yaml']) rmSync(path(file));
  const failed = await run(['apply', 'upgrade.yaml', '-y']);
  expect([failed.exitCode, failed.stdout.includes('runbook rollback')]).toEqual([1, false]);
  const none = await run(['rollback']);
  expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('has no rollback.yaml')]);
  const part = await run(['rollback', '--component', 'server']);
  expect([part.exitCode, part.stderr]).toEqual([2, expect.stringContaining('has no rollback-NAME.yaml')]);
});

test('where its platform.yaml names no variables for it, a rollback gets none', async () => {
  const { run, path, write } = await open();
  expect((await run(['apply', 'upgrade.yaml', '-y'])).exitCode).toBe(0);
  write('platform.yaml', readFileSync(path('platform.yaml'), 'utf8').replace(/^rollback: .*\n/m, ''));
  const named = await run(['rollback', '--to', '15.18', '--dry-run']);
  expect([named.exitCode, named.stderr]).toEqual([2, expect.stringContaining('--to: platform.yaml has no `rollback`')]);
  write(
    'rollback.yaml',
    'playbook: Rollback\nvars: { version: 15.18-1, downgrade: true }\nplays: [{ import: each-node.yaml }]\n',
  );
  const planned = await run(['rollback', '--dry-run']);
  expect([planned.exitCode, planned.stdout]).toEqual([0, expect.stringContaining('15.20-1 → 15.18-1')]);
});

test('closed instead, a new upgrade does the rest', async () => {
  const { run, versions, state, start } = await open(failsOnce('db-2'));
  expect((await run(['apply', 'upgrade.yaml', '-y'])).exitCode).toBe(1);
  const closed = await run(['close', '-y']);
  expect([closed.exitCode, closed.stdout]).toEqual([0, expect.stringContaining('✓ Run closed.')]);
  expect((await run(['resume', '-y'])).exitCode).toBe(2);

  const unready = await run(['apply', 'upgrade.yaml', '-y']);
  expect([unready.exitCode, unready.stdout]).toEqual([3, expect.stringContaining('db-2: state is "stopped"')]);
  await start('db-2');
  expect((await run(['apply', 'upgrade.yaml', '-y'])).exitCode).toBe(0);
  expect([await versions(), (await state()).harm]).toEqual([[NEW, NEW, NEW], []]);
});

test('the modules are its own and the general ones', async () => {
  const { run, write } = await open();
  const { stdout } = await run(['modules']);
  expect([/^drain /m.test(stdout), /^file /m.test(stdout), /^snapshot /m.test(stdout)]).toEqual([true, true, false]);
  write(
    'upgrade.yaml',
    'playbook: P\nplays:\n  - play: A\n    hosts: database\n    steps:\n      - step: S\n        drain: { endpoint: balancer, server: a, state: away }\n      - step: T\n        snapshot: {}\n',
  );
  const { stderr } = await run(['validate', 'upgrade.yaml']);
  expect(stderr).toMatch(/upgrade\.yaml:7:\d+ {2}step "S": "state" is "away", and may be "drained" or "in service"/);
  expect(stderr).toMatch(/upgrade\.yaml:9:\d+ {2}step "T": there is no module "snapshot"/);
});

test('an endpoint that signs in by token is a mistake, where the platform has no such sign-in', async () => {
  const { run, write } = await open();
  const inventory = readFileSync(join(playbooks, 'inventory.yaml'), 'utf8');
  write('inventory.yaml', inventory.replace('8404" }', '8404", auth: token }'));
  const { exitCode, stderr } = await run(['validate', 'upgrade.yaml']);
  expect(stderr).toMatch(/inventory\.yaml:6:\d+ {2}endpoint "balancer": this platform has no sign-in by token/);
  expect([exitCode, stderr.match(/inventory\.yaml:/g)]).toEqual([2, ['inventory.yaml:']]);
});

test('items of a service that no fact of its modules lists are a mistake, with the one that was meant', async () => {
  const { run, write } = await open();
  const platform = readFileSync(join(playbooks, 'platform.yaml'), 'utf8');
  const ofItems = (items: string) =>
    write('platform.yaml', `${platform}downtime: [{ component: postgresql, title: Database, items: ${items} }]\n`);
  ofItems('balanced-sever');
  const { exitCode, stderr } = await run(['validate', 'upgrade.yaml']);
  expect(stderr).toMatch(
    /platform\.yaml:42:61 {2}no module asks an endpoint for a fact "balanced-sever"[\s\S]*did you mean "balanced-server"\?/,
  );
  expect(exitCode).toBe(2);
  ofItems('balanced-server');
  expect((await run(['validate', 'upgrade.yaml'])).exitCode).toBe(0);
});

test('the facts of endpoints that its modules ask for are those that it names', async () => {
  for (const { endpointFacts, endpointFactNames } of [postgres, securityMonitoring])
    expect([...(await endpointFacts()).keys()]).toEqual([...endpointFactNames]);
});

test.each([
  ['15.20', '"target" must be text, and is 15.2'],
  ['"15"', '"target" is "15", which is invalid'],
  ['15.20.1', '"target" is "15.20.1", which is invalid'],
])('a version of the platform has two numbers: the target is not %s', async (target, message) => {
  const { run, write } = await open();
  write('inventory.yaml', readFileSync(join(playbooks, 'inventory.yaml'), 'utf8').replace('"15.20"', target));
  const { exitCode, stderr } = await run(['validate', 'upgrade.yaml']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(stderr).toContain('such as "15.18"');
});

test('nor does the model begin with another one', async () => {
  const { run } = await open();
  const { exitCode, stderr } = await run(['model', 'upgrade.yaml', '-e', 'from=4.12.0']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('-e from=RELEASE takes a release such as 15.18')]);
});
