import { file, content } from '../../engine/facts/file.js';
import { http, type HttpAnswer, type HttpQuestion } from '../../engine/facts/http.js';
import { packageState, type PackageState } from '../../engine/facts/package.js';
import { service, type ServiceState } from '../../engine/facts/service.js';
import {
  createModelMachine,
  createModelPlatform,
} from '../../engine/platforms/security-monitoring/simulator/platform.js';
import { createPlatformState, type ModelSeed } from '../../engine/platforms/security-monitoring/simulator/create.js';
import type { PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import type { Action, Outcome } from '../../engine/terms/action.js';
import { need, refKey, type Answer, type Fact, type Need } from '../../engine/terms/fact.js';
import type { Endpoint, Host, Inventory } from '../../engine/terms/inventory.js';
import type { Json } from '../../engine/terms/json.js';

const host = (name: string, address: string, roles: string[]): Host => ({
  name,
  address,
  roles,
  groups: [],
  vars: {},
  machine: 'model',
  ssh: {},
});
const endpoint = (name: string, urls: Endpoint['urls'], auth: Endpoint['auth'], user: string): Endpoint => ({
  name,
  urls,
  user,
  password: 'right',
  auth,
  verify: true,
});

/** Three indexers, two servers, a dashboard, two agents. */
export const inventory: Inventory = {
  files: [],
  platform: { target: '4.14.7', package_url: 'https://packages.example.com' },
  names: {},
  endpoints: {
    api: endpoint('api', [{ url: 'https://10.0.0.21:55000', host: 'server-1' }], 'token', 'ops'),
    indexer: endpoint(
      'indexer',
      [1, 2, 3].map((n) => ({ url: `https://10.0.0.1${n}:9200`, host: `indexer-${n}` })),
      'basic',
      'admin',
    ),
    dashboard: endpoint('dashboard', [{ url: 'https://10.0.0.31', host: 'dashboard-1' }], 'basic', 'admin'),
  },
  secrets: {},
  hosts: [
    ...[1, 2, 3].map((n) => host(`indexer-${n}`, `10.0.0.1${n}`, ['indexer'])),
    host('server-1', '10.0.0.21', ['server', 'master']),
    host('server-2', '10.0.0.22', ['server', 'worker']),
    host('dashboard-1', '10.0.0.31', ['dashboard']),
    host('web-1', '10.0.1.1', ['agent']),
    host('web-2', '10.0.1.2', ['agent']),
  ],
  vars: {},
};

/** Which node is asked, or which are not. */
interface Where {
  readonly node?: string;
  readonly inHand?: readonly string[];
}

/** A platform at 4.12.0 with short words for what tests ask and do. */
export function platform(seed: Partial<ModelSeed> = {}, alter: (state: PlatformState) => void = () => undefined) {
  const state = createPlatformState({ from: '4.12.0', inventory, ...seed });
  alter(state);
  const model = createModelPlatform(state);
  const { clock } = model;
  const machine = createModelMachine({ inventory: (seed.inventory ?? inventory) as Inventory, platform: model });
  let effects = 0;
  const ask = async (n: Need, inHand: readonly string[] = []): Promise<Answer> => {
    const answer = (await machine.ask([n], { inHand })).get(refKey(n));
    if (answer === undefined) throw new Error(`no answer to ${refKey(n)}`);
    return answer;
  };
  const value = async <V>(n: Need<V>, inHand?: readonly string[]): Promise<V> => {
    const answer = await ask(n, inHand);
    if (answer.is !== 'value') throw new Error(answer.reason);
    return answer.value as V;
  };
  const on = (name: string, action: Action, id = `e${(effects += 1)}`): Promise<Outcome> =>
    machine.perform({ host: name }, action, { id });
  const sh = (
    name: string,
    argv: readonly [string, ...string[]],
    more: { stdin?: string; timeoutMs?: number } = {},
  ): Promise<Outcome> =>
    on(name, {
      do: 'run',
      command: {
        argv,
        timeoutMs: more.timeoutMs ?? 600_000,
        ...(more.stdin === undefined ? {} : { stdin: more.stdin }),
      },
      expect: { exit: [0] },
    });
  const job = (name: string, argv: readonly [string, ...string[]], id?: string): Promise<Outcome> =>
    on(name, { do: 'job', command: { argv, timeoutMs: 3_600_000 }, expect: { exit: [0] } }, id);
  const request = (
    endpointName: string,
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    path: string,
    json?: Json,
  ): Promise<Outcome> =>
    machine.perform(
      { endpoint: endpointName },
      {
        do: 'request',
        request: { endpoint: endpointName, method, path, timeoutMs: 30_000, ...(json === undefined ? {} : { json }) },
        expect: { status: [200] },
      },
      { id: `e${(effects += 1)}` },
    );
  const get = (endpointName: string, path: string, { node, inHand }: Where = {}): Promise<HttpAnswer> =>
    value(
      need(
        { endpoint: endpointName, ...(node === undefined ? {} : { node }) },
        http as Fact<HttpQuestion, HttpAnswer>,
        { path },
      ),
      inHand,
    );
  return {
    state,
    clock,
    machine,
    model,
    ask,
    value,
    on,
    sh,
    job,
    request,
    get,
    json: async (endpointName: string, path: string, where?: Where): Promise<unknown> => {
      const answer = await get(endpointName, path, where);
      return answer.is === 'answered' ? answer.json : answer;
    },
    pkg: (name: string, which: string): Promise<PackageState> => value(need({ host: name }, packageState, which)),
    unit: (name: string, which: string): Promise<ServiceState> => value(need({ host: name }, service, which)),
    file: (name: string, path: string) => value(need({ host: name }, file, path)),
    text: async (name: string, path: string): Promise<string | null> =>
      (await value(need({ host: name }, content, path)))?.text ?? null,
    write: (name: string, path: string, text: string): Promise<Outcome> =>
      on(name, { do: 'write', path, content: text, replaces: 'anything' }),
  };
}

export const APT = [
  'apt-get',
  '-y',
  '-o',
  'DPkg::Lock::Timeout=600',
  '-o',
  'Dpkg::Options::=--force-confold',
  'install',
] as const;

/** The package source switched on, its index fetched: what comes before any installation. */
export async function enableRepository(p: ReturnType<typeof platform>, hosts: readonly string[]): Promise<void> {
  for (const name of hosts) {
    const path = p.state.names.repository.deb;
    await p.write(name, path, ((await p.text(name, path)) ?? '').replace(/^#deb /m, 'deb '));
    await p.sh(name, ['apt-get', 'update']);
  }
}
