import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bootDatabase, sql, startWriter, type Writer } from './support/example-database.js';
import type { ExampleHosts } from './support/example-hosts.js';
import { laterVersion } from './support/example-packages.js';
import { startTraffic, type Traffic } from './support/example-traffic.js';
import { bootWeb } from './support/example-web.js';
import { eventsOf, runbook, tellOf, type Ran } from './support/runbook.js';

let hosts: ExampleHosts;
const run = (...args: string[]): Promise<Ran> => runbook(args, { cwd: hosts.folder });
const ended = (ran: Ran): string => `${ran.exit} ${ran.exit === 0 ? '' : tellOf(ran)}`;
/** The hosts that a play changed, in order. */
const order = (ran: Ran, play: string): readonly string[] =>
  eventsOf(ran, 'intent')
    .flatMap(({ task }) => (task.step.includes(`/${play}/`) && 'host' in task.on ? [task.on.host] : []))
    .filter((host, index, all) => host !== all[index - 1]);
const changed = (ran: Ran): readonly string[] => eventsOf(ran, 'intent').map(({ name }) => name);
const versionsOf = (name: string, numbers: readonly number[]): Promise<readonly string[]> =>
  Promise.all(numbers.map((number) => hosts.on(number, `dpkg-query -W -f '\${Version} \${Status}' ${name}`)));

describe('nginx behind HAProxy', () => {
  const broken = '/etc/nginx/conf.d/broken.conf';
  let target: string;
  let traffic: Traffic;
  beforeAll(async () => {
    target = await laterVersion('nginx');
    hosts = await bootWeb(target);
    traffic = startTraffic(readFileSync(join(hosts.folder, 'ca.pem'), 'utf8'));
  });
  afterAll(async () => {
    await traffic.stop();
    await hosts.stop();
  });

  test('the playbook is valid, and its plan is complete', async () => {
    expect(ended(await run('validate', 'upgrade.yaml'))).toBe('0 ');
    const plan = await run('plan', 'upgrade.yaml', '--detail');
    expect(ended(plan)).toBe('0 ');
    expect(plan.stdout).toContain(`→ ${target}  Upgrade the package [nginx]`);
  });

  test('a server that does not start with its configuration stops the run and takes no requests', async () => {
    await hosts.on(12, `echo 'listen nonsense' >${broken}`);
    const failed = await run('apply', 'upgrade.yaml', '-y', '--json');
    expect(failed.exit).toBe(1);
    expect(eventsOf(failed, 'settled').filter(({ as }) => as === 'failed')).toMatchObject([
      { task: { on: { host: 'web-2' } }, name: expect.stringMatching(/^Upgrade the package/) as unknown },
    ]);
    expect(order(failed, 'Upgrade each server')).toEqual(['web-1', 'web-2']);
    expect(await hosts.on(12, 'ls /var/www/html')).not.toContain('healthz');
    expect(failed.stderr + failed.stdout).not.toContain('Restore what');
  });

  test('with the cause fixed, resume upgrades it and the rest; a second apply changes nothing', async () => {
    await hosts.on(12, `rm ${broken}`);
    const resumed = await run('resume', '-y', '--json');
    expect(ended(resumed)).toBe('0 ');
    expect(order(resumed, 'Upgrade each server')).toEqual(['web-2', 'web-3']);
    expect(await versionsOf('nginx', [11, 12, 13])).toEqual(Array(3).fill(`${target} install ok installed`));
    const again = await run('apply', 'upgrade.yaml', '-y', '--json');
    expect([ended(again), changed(again)]).toEqual(['0 ', []]);
  });

  test('no request was lost, and at most one server was away at a time', async () => {
    await traffic.stop();
    expect(traffic.lost).toEqual([]);
    expect([...traffic.servedBy].sort()).toEqual(['web-1', 'web-2', 'web-3']);
    expect(traffic.fewest()).toBe(2);
  });
});

describe('a database of three members', () => {
  let target: string;
  let writer: Writer;
  beforeAll(async () => {
    target = await laterVersion('postgresql-15');
    hosts = await bootDatabase(target);
    await sql(hosts, 'create table written (id bigserial primary key)');
    writer = startWriter(hosts);
  });
  afterAll(async () => {
    await writer.stop();
    await hosts.stop();
  });

  test('the playbook is valid, and its plan is complete', async () => {
    expect(ended(await run('validate', 'upgrade.yaml'))).toBe('0 ');
    const plan = await run('plan', 'upgrade.yaml', '--detail');
    expect(ended(plan)).toBe('0 ');
    expect(plan.stdout).toContain(`→ ${target}  Upgrade the package`);
  });

  test('a member that does not start stops the run', async () => {
    await hosts.on(22, 'echo broken: [ >>/etc/patroni/config.yml');
    const failed = await run('apply', 'upgrade.yaml', '-y', '--json');
    expect(failed.exit).toBe(1);
    expect(eventsOf(failed, 'settled').filter(({ as }) => as === 'failed')).toMatchObject([
      { task: { on: { host: 'db-2' } }, name: 'Start the member' },
    ]);
    expect(order(failed, 'Upgrade each member')).toEqual(['db-1', 'db-2']);
  });

  test('with the cause fixed, resume upgrades it and the rest; a second apply changes nothing', async () => {
    await hosts.on(22, "sed -i '$d' /etc/patroni/config.yml");
    const resumed = await run('resume', '-y', '--json');
    expect(ended(resumed)).toBe('0 ');
    expect(order(resumed, 'Upgrade each member')).toEqual(['db-2', 'db-3']);
    expect(await versionsOf('postgresql-15', [21, 22, 23])).toEqual(Array(3).fill(`${target} install ok installed`));
    const again = await run('apply', 'upgrade.yaml', '-y', '--json');
    expect([ended(again), changed(again)]).toEqual(['0 ', []]);
  });

  test('no acknowledged write was lost, and two replicas follow the leader', async () => {
    await writer.stop();
    const stored = new Set((await sql(hosts, 'select id from written')).split('\n').map(Number));
    expect(writer.acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect(writer.acknowledged.length).toBeGreaterThan(100);
    expect(await sql(hosts, "select count(*) from pg_stat_replication where state = 'streaming'")).toBe('2\n');
  });
});
