import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { content, file } from '../../engine/facts/file.js';
import { system } from '../../engine/facts/host.js';
import { answer } from '../../engine/facts/answer.js';
import { secret } from '../../engine/facts/secret.js';
import type { HostFact } from '../../engine/facts/kind.js';
import { http, type HttpAnswer } from '../../engine/facts/http.js';
import { platform } from '../../engine/cli/platforms.js';
import { createFleet } from '../../engine/machines/fleet.js';
import { createSecrets } from '../../engine/machines/secrets.js';
import { need, refKey, type Answer, type Need } from '../../engine/terms/fact.js';
import type { Endpoint, Host, Inventory } from '../../engine/terms/inventory.js';
import type { Action, Outcome } from '../../engine/terms/action.js';
import { withheld } from '../../engine/terms/secret.js';
import { sha256 } from '../../engine/lib/hash.js';
import { workshop } from './local-host.js';

const local = (name: string): Host => ({
  name,
  address: '127.0.0.1',
  roles: [],
  groups: [],
  vars: {},
  machine: 'local',
  ssh: {},
});
const inventoryOf = (endpoints: Record<string, Endpoint> = {}): Inventory => ({
  files: [],
  platform: {},
  names: {},
  endpoints,
  secrets: { key: { env: 'KEY' }, none: { env: 'NONE' } },
  hosts: [local('one'), local('two'), { ...local('away'), machine: 'ssh', ssh: { port: 1, user: 'ops' } }],
  vars: {},
});
const value = "p@ss'word";

/** As a platform brings one. */
const spelled: HostFact<string, string> = {
  name: 'spelled',
  key: (word) => word,
  sh: (key) => `printf '%s' ${key} | fold -w 1`,
  parse: ({ stdout }) => answer(stdout.split('\n').join('-')),
};

let shop: ReturnType<typeof workshop>;
let fleet: Awaited<ReturnType<typeof createFleet>>;
async function open(endpoints?: Record<string, Endpoint>): Promise<void> {
  const inventory = inventoryOf(endpoints);
  const noSimulator = (): Promise<never> => Promise.reject(new Error('no inventory here names a model'));
  const noTerminal = (): Promise<string> => Promise.reject(new Error('no terminal'));
  const secrets = createSecrets({ sources: inventory.secrets, env: { KEY: value }, ask: noTerminal });
  fleet = await createFleet({
    inventory,
    secrets,
    ask: noTerminal,
    cacheDir: shop.path('cache'),
    env: {},
    openSimulator: noSimulator,
    hostFacts: [spelled],
    endpointFacts: platform.endpointFacts,
    tokens: platform.tokens,
  });
}
beforeEach(async () => {
  shop = workshop();
  await open();
});
afterEach(async () => {
  await fleet.close();
  await shop.end();
});

const ask = async (...needs: Need[]): Promise<readonly (Answer | undefined)[]> => {
  const answers = await fleet.reader.ask(needs);
  return needs.map((n) => answers.get(refKey(n)));
};
const perform = (action: Action, host = 'one'): Promise<Outcome> =>
  fleet.actor.perform({ host }, action, { id: 'run/task/1/0' });
const run = (argv: readonly [string, ...string[]], more: object = {}): Promise<Outcome> =>
  perform({ do: 'run', command: { argv, timeoutMs: 9_000, ...more }, expect: { exit: [0] } });

test('a host answers a fact of the platform beside the general ones, and no other', async () => {
  const unknown = { ...spelled, name: 'unknown' };
  const answers = await ask(need({ host: 'one' }, spelled, 'abc'), need({ host: 'one' }, unknown, 'abc'));
  expect(answers).toEqual([
    { is: 'value', value: 'a-b-c' },
    { is: 'failed', why: 'unreadable', reason: 'a host does not know the fact unknown' },
  ]);
});

test('each subject is asked by its own machine, and one that cannot be reached answers for itself', async () => {
  const [one, two, away, undefinedHost] = await ask(
    need({ host: 'one' }, system, undefined),
    need({ host: 'two' }, system, undefined),
    need({ host: 'away' }, system, undefined),
    need({ host: 'nosuch' }, system, undefined),
  );
  expect([one?.is, two?.is]).toEqual(['value', 'value']);
  expect(away).toMatchObject({ is: 'failed', why: 'unreachable', reason: '127.0.0.1:1 refuses connections' });
  expect(undefinedHost).toMatchObject({ is: 'failed', why: 'unreachable' });
  expect(await perform({ do: 'remove', path: '/nonesuch' }, 'away')).toMatchObject({
    is: 'unknown',
    why: 'connection',
  });
});

test('a secret is put in where it is used', async () => {
  expect(await run(['cat'], { stdin: { $text: ['<', { $secret: 'key' }, '>'] } })).toMatchObject({
    is: 'ended',
    stdout: `<${value}>`,
  });
  await perform({ do: 'write', path: shop.path('f'), content: { $secret: 'key' }, replaces: 'nothing' });
  expect(readFileSync(shop.path('f'), 'utf8')).toBe(value);
});

test('an edit that compares a file with a secret gets its value, or why there is none', async () => {
  const [key, none] = await ask(need({ host: 'one' }, secret, 'key'), need({ host: 'one' }, secret, 'none'));
  expect(key).toEqual({ is: 'value', value });
  expect(none).toMatchObject({ is: 'failed', reason: 'secret "none": NONE is not set', hint: 'export NONE=…' });
});

test("a file's text is read, altered and written back as it is, also where it looks like a reference to a secret", async () => {
  await run(['cat'], { stdin: { $secret: 'key' } });
  const before = `password = "${value}"\nplanted = "{{secret.key}}"\n`;
  writeFileSync(shop.path('conf'), before);
  const [read] = await ask(need({ host: 'one' }, content, shop.path('conf')));
  expect(read).toEqual({ is: 'value', value: { text: before, encoding: 'utf8', sha256: sha256(before) } });
  const edited = `${before}other = "{{secret.none}}"\n`;
  expect(await perform({ do: 'write', path: shop.path('conf'), content: edited, replaces: sha256(before) })).toEqual({
    is: 'applied',
  });
  expect(readFileSync(shop.path('conf'), 'utf8')).toBe(edited);
});

test('a text whose secret was taken out when the run was recorded is not written', async () => {
  const content = withheld('password = {{secret.key}}');
  const outcome = await perform({ do: 'write', path: shop.path('f'), content, replaces: 'nothing' });
  expect(outcome).toMatchObject({ is: 'refused', by: 'machine' });
  expect(existsSync(shop.path('f'))).toBe(false);
});

test('a secret that cannot be had stops the effect before it begins', async () => {
  const outcome = await perform({
    do: 'write',
    path: shop.path('f'),
    content: { $secret: 'none' },
    replaces: 'nothing',
  });
  expect(outcome).toMatchObject({ is: 'refused', by: 'machine', found: expect.stringContaining('none') });
  expect((await ask(need({ host: 'one' }, file, shop.path('f'))))[0]).toEqual({
    is: 'value',
    value: { exists: false },
  });
});

test('endpoints are asked over HTTP, also through a host', async () => {
  const server = createServer((request, response) => response.end(JSON.stringify({ asked: request.url }))).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const endpoint = (via: Pick<Endpoint, 'via'>): Endpoint => ({
    name: 'api',
    urls: [{ url: `http://127.0.0.1:${port}` }],
    auth: 'none',
    verify: true,
    ...via,
  });
  await open({
    straight: { ...endpoint({}), name: 'straight' },
    through: { ...endpoint({ via: { host: 'one' } }), name: 'through' },
    away: { ...endpoint({ via: { host: 'away' } }), name: 'away' },
  });
  const answers = await ask(
    ...['straight', 'through', 'away'].map((name) => need({ endpoint: name }, http, { path: '/x' })),
  );
  const told = answers.map((a) => (a?.is === 'value' ? (a.value as unknown as HttpAnswer) : undefined));
  expect(told).toMatchObject([
    { is: 'answered', json: { asked: '/x' } },
    { is: 'answered', json: { asked: '/x' } },
    { is: 'unreachable' },
  ]);
  server.closeAllConnections();
  server.close();
});
