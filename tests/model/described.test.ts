import { describe, expect, test } from '@jest/globals';
import { emptyInventory } from '../../engine/language/inventory/load.js';
import { dataMistakes } from '../../engine/language/schema/data-mistakes.js';
import { model } from '../../engine/language/validators.generated.js';
import { simulationOf } from '../../engine/simulator/serve-data.js';
import { createModelPlatform, type ModelPlatform } from '../../engine/simulator/simulation.js';
import type { Action } from '../../engine/terms/action.js';
import type { Endpoint, Host } from '../../engine/terms/inventory.js';
import type { Data } from '../../engine/terms/schemas/model/schema.js';

const host = (name: string, n: number) =>
  ({ name, address: `10.0.0.${n}`, roles: ['node'], groups: [], vars: {} }) as unknown as Host;
const endpoint = { name: 'api', urls: [{ url: 'http://10.0.0.1:15672' }], auth: 'none', verify: true } as Endpoint;

const data: Data = {
  packages: { rabbitmq: { service: 'rabbitmq-server', versions: ['3.13', '3.12'] } },
  hosts: { node: { packages: { rabbitmq: '3.12' } } },
  programs: {
    rabbitmqctl: { stdout: 'usage', exit: 64 },
    'rabbitmqctl status': {
      stdout: 'rabbit@HOST runs',
      when: { unit: 'rabbitmq-server' },
      otherwise: { stdout: 'nodedown', exit: 69 },
    },
    'rabbitmqctl list_queues': { stdout: 'orders 7', when: { file: '/run/full' }, otherwise: { stdout: 'orders 0' } },
    'rabbitmqctl list_queues --offline': { stdout: 'dead 1' },
    'rabbitmq-upgrade drain': { stdout: 'draining', creates: '/run/drained', when: { unit: 'rabbitmq-server' } },
    'rabbitmq-upgrade revive': { removes: '/run/drained' },
    drained: { when: { file: '/run/drained' }, otherwise: { exit: 1 } },
  },
  answers: [
    { endpoint: 'api', path: '/nodes/HOST/drain', method: 'PUT', status: 204, json: null, creates: '/run/drained' },
    { endpoint: 'api', path: '/nodes/HOST/drain', method: 'DELETE', status: 204, json: null, removes: '/run/drained' },
    {
      endpoint: 'api',
      path: '/nodes',
      each: 'node',
      json: { name: 'rabbit@HOST', drained: true },
      when: { file: '/run/drained' },
      otherwise: { name: 'rabbit@HOST', drained: false },
    },
  ],
};

const open = (): ModelPlatform => {
  const inventory = { ...emptyInventory, hosts: [host('mq-1', 1), host('mq-2', 2)], endpoints: { api: endpoint } };
  return createModelPlatform(simulationOf({ data, inventory, faults: [], socket: '' }));
};

let nth = 0;
async function call(platform: ModelPlatform, name: string, ...argv: [string, ...string[]]): Promise<unknown> {
  const action: Action = { do: 'run', command: { argv, timeoutMs: 60_000 }, expect: { exit: [0] } };
  const outcome = await platform.perform(name, action, `r/p/q/step@host:${name}/1/${(nth += 1)}`);
  return outcome.is === 'ended' ? [outcome.exit, outcome.stdout === '' ? outcome.stderr : outcome.stdout] : outcome;
}
async function ask(platform: ModelPlatform, method: string, path: string): Promise<unknown> {
  const answer = await platform.send({ host: '10.0.0.1', port: 15672, method, path, headers: {}, body: '' });
  return answer.is === 'answered' ? [answer.status, JSON.parse(answer.body)] : answer;
}
const nodes = (first: boolean, second: boolean): unknown => [
  200,
  [
    { name: 'rabbit@mq-1', drained: first },
    { name: 'rabbit@mq-2', drained: second },
  ],
];

describe('described hosts', () => {
  test('a program answers by its first arguments; the longest description that fits counts', async () => {
    const platform = open();
    expect(await call(platform, 'mq-2', 'rabbitmqctl', 'status', '-q')).toEqual([0, 'rabbit@mq-2 runs']);
    expect(await call(platform, 'mq-1', 'rabbitmqctl', 'list_queues', 'name')).toEqual([0, 'orders 0']);
    expect(await call(platform, 'mq-1', 'rabbitmqctl', 'list_queues', '--offline')).toEqual([0, 'dead 1']);
    expect(await call(platform, 'mq-1', 'rabbitmqctl', 'stop')).toEqual([64, 'usage']);
  });

  test('a call that is not described says so', async () => {
    expect(await call(open(), 'mq-1', 'rabbitmq-upgrade', 'await_online_quorum')).toEqual([
      64,
      'rabbitmq-upgrade await_online_quorum is not described in the model\n',
    ]);
  });

  test('what a command did shows in programs and endpoints, on its host alone, until another undoes it', async () => {
    const platform = open();
    expect(await call(platform, 'mq-1', 'drained')).toEqual([1, '']);
    expect(await call(platform, 'mq-1', 'rabbitmq-upgrade', 'drain')).toEqual([0, 'draining']);
    expect(await call(platform, 'mq-1', 'drained')).toEqual([0, '']);
    expect(await call(platform, 'mq-2', 'drained')).toEqual([1, '']);
    expect(await ask(platform, 'GET', '/nodes')).toEqual(nodes(true, false));
    await call(platform, 'mq-1', 'rabbitmq-upgrade', 'revive');
    expect(await ask(platform, 'GET', '/nodes')).toEqual(nodes(false, false));
  });

  test('so does what a request did, on the host that its path names', async () => {
    const platform = open();
    expect(await ask(platform, 'PUT', '/nodes/mq-2/drain')).toEqual([204, null]);
    expect(await call(platform, 'mq-2', 'drained')).toEqual([0, '']);
    expect(await ask(platform, 'GET', '/nodes')).toEqual(nodes(false, true));
    await ask(platform, 'DELETE', '/nodes/mq-2/drain');
    expect(await ask(platform, 'GET', '/nodes')).toEqual(nodes(false, false));
    expect(await ask(platform, 'PUT', '/nodes')).toEqual(nodes(false, false));
    expect(await ask(platform, 'PUT', '/nodes/mq-3/drain')).toEqual([
      404,
      { error: 'PUT /nodes/mq-3/drain is not described' },
    ]);
  });

  test('a unit that was stopped changes what programs answer, and a call that does not succeed leaves nothing', async () => {
    const platform = open();
    await call(platform, 'mq-1', 'systemctl', 'stop', 'rabbitmq-server');
    expect(await call(platform, 'mq-1', 'rabbitmqctl', 'status')).toEqual([69, 'nodedown']);
    expect(await call(platform, 'mq-1', 'rabbitmq-upgrade', 'drain')).toEqual([1, '']);
    expect(await call(platform, 'mq-1', 'drained')).toEqual([1, '']);
  });

  test.each<[string, object, string]>([
    ['an unknown key', { program: {} }, 'simulate: unknown key "program"; did you mean "programs"?'],
    [
      'a key of a program',
      { programs: { a: { create: '/a' } } },
      'simulate.programs.a: unknown key "create"; did you mean "creates"?',
    ],
    ['a relative path', { programs: { a: { creates: 'a' } } }, 'simulate.programs.a.creates: '],
    ['a package without versions', { packages: { a: {} } }, 'simulate.packages.a: needs "versions"'],
    ['an answer without a body', { answers: [{ endpoint: 'a', path: '/' }] }, 'simulate.answers[0]: needs "json"'],
    [
      'a status that is text',
      { answers: [{ endpoint: 'a', path: '/', json: 1, status: '2' }] },
      'simulate.answers[0].status: ',
    ],
  ])('a description with %s is reported with its place', async (_, simulate, text) => {
    const found = await dataMistakes(model, 'model.schema.json', { simulate } as never);
    expect(found).toEqual([expect.stringContaining(text)]);
  });
});
