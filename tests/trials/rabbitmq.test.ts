import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ExampleHosts } from '../system/support/example-hosts.js';
import { laterVersion } from '../system/support/example-packages.js';
import { eventsOf, runbook, tellOf, type Ran } from '../system/support/runbook.js';
import { bootBrokers, brokerLayers, brokers, MESSAGES, queueOf } from './rabbitmq-hosts.js';

/* The example of the documentation on a cluster of three real brokers from Debian, with a quorum queue that has messages. */

let hosts: ExampleHosts;
let target: string;
const run = (...args: string[]): Promise<Ran> => runbook(args, { cwd: hosts.folder });
const ended = (ran: Ran, exit = 0): string => `${ran.exit} ${ran.exit === exit ? '' : tellOf(ran)}`;
const failedOn = (ran: Ran): readonly unknown[] =>
  eventsOf(ran, 'settled').flatMap(({ as, name, task }) =>
    as === 'failed' || as === 'blocked' ? [[name, 'host' in task.on ? task.on.host : '']] : [],
  );
const upgraded = (ran: Ran): readonly string[] =>
  eventsOf(ran, 'intent').flatMap(({ name, task }) =>
    name === 'Upgrade the package' && 'host' in task.on ? [task.on.host] : [],
  );
const unit = (number: number, verb: string): Promise<string> => hosts.on(number, `systemctl ${verb} rabbitmq-server`);
const CONFIG = '/etc/rabbitmq/rabbitmq.conf';

beforeAll(async () => {
  target = await laterVersion('rabbitmq-server', brokerLayers());
  hosts = await bootBrokers(target);
});
afterAll(() => hosts.stop());

test('without a member, no other is drained: its queue would lose the quorum', async () => {
  await unit(13, 'stop');
  const refused = await run('apply', 'upgrade.yaml', '-y', '--json', '--limit', 'mq-1');
  expect([ended(refused, 3), eventsOf(refused, 'intent').map(({ name }) => name)]).toEqual(['3 ', []]);
  expect(tellOf(refused)).toContain('without mq-1 queues would lose their quorum');
  await unit(13, 'start');
});

test('the plan is complete', async () => {
  const plan = await run('plan', 'upgrade.yaml', '--detail');
  expect(ended(plan)).toBe('0 ');
  expect(plan.stdout).toContain(`→ ${target}  Upgrade the package`);
});

test('a member that does not start with its configuration stops the run', async () => {
  await hosts.on(12, `echo 'listeners.nonsense = [' >>${CONFIG}`);
  const failed = await run('apply', 'upgrade.yaml', '-y', '--json');
  expect([ended(failed, 1), upgraded(failed)]).toEqual(['1 ', ['mq-1', 'mq-2']]);
  expect(failedOn(failed)).toEqual([['Upgrade the package', 'mq-2']]);
});

test('with the cause fixed, resume upgrades it and the rest as planned; a second apply changes nothing', async () => {
  await hosts.on(12, `sed -i '$d' ${CONFIG}`);
  const resumed = await run('resume', '-y', '--json');
  expect([ended(resumed), upgraded(resumed)]).toEqual(['0 ', ['mq-2', 'mq-3']]);
  const versions = brokers.map((number) => hosts.on(number, "dpkg-query -W -f '${Version} ${Status}' rabbitmq-server"));
  expect(await Promise.all(versions)).toEqual(brokers.map(() => `${target} install ok installed`));
  const again = await run('apply', 'upgrade.yaml', '-y', '--json');
  expect([ended(again), eventsOf(again, 'intent').map(({ name }) => name)]).toEqual(['0 ', []]);
});

test('no message was lost, and the queue has its three members', async () => {
  expect(await queueOf(hosts)).toEqual([String(MESSAGES), 'rabbit@mq-1', 'rabbit@mq-2', 'rabbit@mq-3']);
});
