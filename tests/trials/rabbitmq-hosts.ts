import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildBase } from '../lab/base.js';
import { cached } from '../lab/build/cache.js';
import { bootHosts, type ExampleHosts } from '../system/support/example-hosts.js';
import { install, quickInstall, repack } from '../system/support/example-packages.js';

/** The brokers `mq-1` to `mq-3`, by the last part of the address. */
export const brokers = [11, 12, 13] as const;
const addressOf = (number: number): string => `10.231.80.${number}`;
const nameOf = (number: number): string => `mq-${number - 10}`;

/** The layers of a broker's disk: Debian's RabbitMQ, and a later version of it to upgrade to. */
export async function brokerLayers(): Promise<readonly string[]> {
  const base = await buildBase();
  const script = repack(['rabbitmq-server'], ['rabbitmq-server']);
  const content = { files: quickInstall, packages: [['rabbitmq-server']], script };
  const layer = await cached('rabbitmq', [base, quickInstall, script], (dir) => install(base, dir, content));
  return [layer, base];
}

/** All know each other from their configuration, and form a cluster when they first start. The cookie came with the layer, so they share it. */
const config = [
  'cluster_formation.peer_discovery_backend = classic_config',
  ...brokers.map((number, n) => `cluster_formation.classic_config.nodes.${n + 1} = rabbit@${nameOf(number)}`),
  '',
].join('\n');

/** A cluster of three brokers with a quorum queue. */
export async function bootBrokers(version: string): Promise<ExampleHosts> {
  const names = brokers.map((number) => `${addressOf(number)} ${nameOf(number)}\n`).join('');
  const machines = brokers.map((number) => ({
    name: nameOf(number),
    number,
    files: { 'etc/hosts': `127.0.0.1 localhost\n${names}`, 'etc/rabbitmq/rabbitmq.conf': config },
    units: ['rabbitmq-server'],
  }));
  const source = join(import.meta.dirname, '../../docs/examples/rabbitmq');
  const hosts = await bootHosts({ source, layers: await brokerLayers(), network: 'rbmq', addressOf }, machines);
  writeFileSync(
    join(hosts.folder, 'inventory.yaml'),
    `ssh: { user: ops, key: key, known_hosts: known_hosts, become: sudo }
vars: { package_version: ${version} }
hosts: { "mq-[1:3]": { address: "10.231.80.1{{n}}", roles: [broker] } }
`,
  );
  await hosts.on(brokers[0], startQueue);
  return hosts;
}

export const MESSAGES = 100;
/** Waits for the members, and publishes in a quorum queue. There is no client on a broker: it does that itself. */
const startQueue = `
until [ "$(rabbitmqctl -q eval 'length(rabbit_nodes:all_running()).' </dev/null)" = ${brokers.length} ]; do sleep 1; done
rabbitmqctl -q eval '
  rabbit_amqqueue:declare(rabbit_misc:r(<<"/">>, queue, <<"orders">>), true, false, [{<<"x-queue-type">>, longstr, <<"quorum">>}], none, <<"test">>),
  [rabbit_basic:publish(rabbit_misc:r(<<"/">>, exchange, <<>>), <<"orders">>, [{delivery_mode, 2}], <<"order">>) || _ <- lists:seq(1, ${MESSAGES})],
  ok.' </dev/null
`;

/** How many messages the queue has, and its members that are online. */
export async function queueOf(hosts: ExampleHosts): Promise<readonly string[]> {
  const said = await hosts.on(brokers[0], 'rabbitmqctl -q --no-table-headers list_queues messages online </dev/null');
  const [messages = '', online = ''] = said.trim().split('\t');
  return [messages, ...online.replace(/[[\]]/g, '').split(', ').sort()];
}
