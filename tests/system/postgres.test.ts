import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { buildProgram, type Program } from '../platforms/postgres/build-program.js';
import { startClients, type Clients } from './postgres/clients.js';
import { balancer, names, nodes, type Node } from './postgres/config.js';
import { bootPostgres, following, sql } from './postgres/hosts.js';
import { versions } from './postgres/layer.js';
import type { ExampleHosts } from './support/example-hosts.js';
import { eventsOf, runbook, tellOf, type Ran } from './support/runbook.js';

let version: Awaited<ReturnType<typeof versions>>;
let hosts: ExampleHosts;
let program: Program;
let clients: Clients;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  version = await versions();
  program = buildProgram();
  ends.push(() => program.remove());
  hosts = await bootPostgres(version.new);
  ends.push(() => hosts.stop());
  await sql(hosts, 'create table written (id bigserial primary key)');
  clients = startClients(hosts);
  ends.push(() => clients.stop());
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

const run = (...args: string[]): Promise<Ran> => runbook(args, { cwd: hosts.folder, program: program.file });
const ended = (ran: Ran): string => `${ran.exit} ${ran.exit === 0 ? '' : tellOf(ran)}`;
/** The hosts on which a step changed something, in order. */
const order = (ran: Ran, step: string): readonly string[] =>
  eventsOf(ran, 'intent').flatMap(({ name, task }) => (name === step && 'host' in task.on ? [task.on.host] : []));
/** Of the programs that run, not of the packages. */
const running = async (): Promise<Readonly<Record<string, string>>> => {
  const each = await Promise.all(
    names.map((name) => hosts.on(nodes[name], 'psql -qAtX -U postgres -c "show server_version"').catch(() => 'none')),
  );
  return Object.fromEntries(names.map((name, i) => [name, /Debian (\S+)\)/.exec(each[i] ?? '')?.[1] ?? 'none']));
};
const all = (one: string): Readonly<Record<string, string>> => Object.fromEntries(names.map((name) => [name, one]));
const api = async (number: number, path: string): Promise<Record<string, unknown>> =>
  JSON.parse(await hosts.on(number, `curl -sk https://127.0.0.1:${number === balancer ? 8404 : 8008}${path}`)) as never;
const modes = async (): Promise<Readonly<Record<string, string>>> => {
  const servers = (await api(balancer, '/servers')) as Record<string, { mode: string }>;
  return Object.fromEntries(Object.entries(servers).map(([name, { mode }]) => [name, mode]));
};
/** The order that the playbook promises: the primary last. */
const primaryLast = async (): Promise<readonly [Node, Node, Node]> => {
  const { primary } = await api(nodes['pg-1'], '/cluster');
  return [...names.filter((name) => name !== primary), primary] as never;
};
const broken = '/etc/postgresql/15/main/conf.d/broken.conf';
const breakNode = (node: Node): Promise<string> => hosts.on(nodes[node], `echo 'max_connections = many' >${broken}`);

test('the playbook is valid, and its plan is complete', async () => {
  expect(ended(await run('validate', 'upgrade.yaml'))).toBe('0 ');
  const plan = await run('plan', 'upgrade.yaml');
  expect(ended(plan)).toBe('0 ');
  expect(plan.stdout).toContain(`VERSIONS  postgresql-15 ${version.old} → ${version.new} on 3`);
});

test('a node that does not start stops the upgrade: the screen and diagnose name the line of its configuration', async () => {
  await breakNode('pg-3');
  const failed = await run('apply', 'upgrade.yaml', '-y');
  expect([failed.exit, await running()]).toEqual([1, { 'pg-1': version.old, 'pg-2': version.new, 'pg-3': 'none' }]);
  expect(failed.stdout).toMatch(/^FAILED {4}Start the node on pg-3 {2}at \d\d:\d\d UTC$/m);
  expect(failed.stdout).toMatch(/^DOWN {6}since \d\d:\d\d UTC: postgresql 15\.\d+ on pg-3$/m);
  expect(failed.stdout).toContain('Temporary changes in effect: Drain the node (pg-3)\n');
  const diagnosed = await run('diagnose');
  for (const { stdout } of [failed, diagnosed]) {
    expect(stdout).toContain('pg-3  postgresql@15-main does not run (fact.unit is "failed", not "active")\n');
    expect(stdout).toContain('invalid value for parameter "max_connections": "many"\n');
    expect(stdout).toContain(`configuration file "${broken}" contains errors\n`);
  }
  expect(diagnosed.exit).toBe(1);
  expect(await modes()).toEqual({ 'pg-1': 'ready', 'pg-2': 'ready', 'pg-3': 'drain' });
});

test('with the cause fixed, resume upgrades it and then the primary, which another node becomes', async () => {
  await hosts.on(nodes['pg-3'], `rm ${broken}`);
  const resumed = await run('resume', '-y', '--json');
  expect([ended(resumed), await running()]).toEqual(['0 ', all(version.new)]);
  expect(order(resumed, 'Start the node')).toEqual(['pg-3', 'pg-1']);
  expect(order(resumed, 'Move the primary')).toEqual(['pg-1']);
  expect([(await primaryLast())[2] === 'pg-1', await modes()]).toEqual([false, all('ready')]);
  expect((await run('diagnose')).exit).toBe(0);
  const again = await run('apply', 'upgrade.yaml', '-y', '--json');
  expect([ended(again), eventsOf(again, 'intent')]).toEqual(['0 ', []]);
});

test('rolled back to the earlier version, the primary last again', async () => {
  const expected = await primaryLast();
  const back = await run('rollback', '-y', '--json');
  expect([ended(back), await running()]).toEqual(['0 ', all(version.old)]);
  expect(order(back, 'Replace the package')).toEqual(expected);
});

test('closed after a failure: the node is in service again, and serves once it is fixed and started', async () => {
  const [, second] = await primaryLast();
  await breakNode(second);
  expect((await run('apply', 'upgrade.yaml', '-y')).exit).toBe(1);
  expect(await modes()).toEqual({ ...all('ready'), [second]: 'drain' });
  const closed = await run('close', '-y');
  expect([closed.exit, closed.stdout, await modes()]).toEqual([
    0,
    expect.stringContaining('✓ Run closed.'),
    all('ready'),
  ]);
  await hosts.on(nodes[second], `rm ${broken}; systemctl start postgresql@15-main`);
  expect((await run('diagnose')).exit).toBe(0);
});

test('no acknowledged row is lost, no read was cut, and two standbys follow', async () => {
  await clients.stop();
  const stored = new Set((await sql(hosts, 'select id from written')).split('\n').map(Number));
  expect(clients.acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  expect(clients.acknowledged.length).toBeGreaterThan(500);
  expect([clients.errors, clients.reads() > 100]).toEqual([[], true]);
  expect(await sql(hosts, following)).toBe('2\n');
});
