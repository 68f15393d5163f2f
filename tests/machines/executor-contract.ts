import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platform } from '../../engine/cli/platforms.js';
import { content, file } from '../../engine/facts/file.js';
import { sha256 } from '../../engine/lib/hash.js';
import type { EndpointRequest } from '../../engine/machines/http/endpoint-request.js';
import type { Executor } from '../../engine/machines/executor.js';
import { createFleet, type OwnFleet } from '../../engine/machines/fleet.js';
import { createSecrets } from '../../engine/machines/secrets.js';
import type { Action, Outcome } from '../../engine/terms/action.js';
import { need, refKey, type Fact } from '../../engine/terms/fact.js';
import type { Host, Inventory } from '../../engine/terms/inventory.js';
import type { EffectContext, Secrets } from '../../engine/terms/machine.js';
import { startServer, type TestServer } from './http-server.js';

/** What reaches the hosts of a fleet, opened anew for each test. */
export interface Opened {
  readonly executor: Executor;
  readonly end: () => Promise<void>;
}
export type OpenExecutor = (inventory: Inventory, fleet: OwnFleet, secrets: Secrets) => Promise<Opened>;

const HOST = { name: 'a', address: '127.0.0.1' };
const on = { host: 'a' };
/** Larger than a message of the tests' servers, smaller than what is read as text. */
const LARGE = 3_000_000;

function inventoryOf(port: number): Inventory {
  const host: Host = { ...HOST, roles: [], groups: [], vars: {}, machine: 'local', ssh: {} };
  const urls = [{ url: `http://127.0.0.1:${port}`, host: 'a' }];
  const api = { name: 'api', urls, auth: 'none', verify: true } as const;
  return { files: [], platform: {}, names: {}, endpoints: { api }, secrets: {}, hosts: [host], vars: {} };
}

/** What each implementation of an executor must do. */
export function contractOf(what: string, open: OpenExecutor): void {
  let folder: string;
  let server: TestServer;
  let fleet: OwnFleet;
  let opened: Opened;
  let executor: Executor;
  let effects = 0;
  const at = (name: string): string => join(folder, name);

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'runbook-executor-'));
    server = await startServer((_request, response) => response.end('{"status":"ok"}'));
    const inventory = inventoryOf(server.port);
    const noOperator = (): Promise<never> => Promise.reject(new Error('no operator is asked here'));
    const secrets = createSecrets({ sources: {}, env: {}, ask: noOperator });
    fleet = await createFleet({
      ...{ inventory, secrets, ask: noOperator, openSimulator: noOperator, env: {}, cacheDir: at('cache') },
      ...{ hostFacts: [], endpointFacts: platform.endpointFacts, tokens: platform.tokens },
    });
    opened = await open(inventory, fleet, secrets);
    ({ executor } = opened);
  });
  afterEach(async () => {
    await opened.end();
    await fleet.close();
    await server.end();
    rmSync(folder, { recursive: true });
  });

  const perform = (action: Action, context: Partial<EffectContext> = {}): Promise<Outcome> =>
    executor.perform(on, action, { id: `contract/${(effects += 1)}`, ...context });
  const make = (context?: Partial<EffectContext>): Promise<Outcome> =>
    perform({ do: 'directory', path: at('made') }, context);
  const sh = (script: string): Action => ({
    do: 'run',
    command: { argv: ['sh', '-c', script], timeoutMs: 60_000 },
    expect: { exit: [0] },
  });

  describe(`${what}: facts`, () => {
    test('are answered one for each need, and what a host does not know is unreadable', async () => {
      writeFileSync(at('there'), 'text\n');
      const other: Fact<string, unknown> = { name: 'no-such-fact', key: (k) => k };
      const needs = [need(on, content, at('there')), need(on, file, at('absent')), need(on, other, 'x')];
      const answers = await executor.ask(needs);
      expect(needs.map((each) => answers.get(refKey(each)))).toEqual([
        expect.objectContaining({ value: expect.objectContaining({ text: 'text\n' }) }),
        { is: 'value', value: { exists: false } },
        expect.objectContaining({ is: 'failed', why: 'unreadable' }),
      ]);
    });

    test('of any size are answered whole', async () => {
      const text = 'a line of text\n'.repeat(LARGE / 15);
      writeFileSync(at('large'), text);
      const question = need(on, content, at('large'));
      const answer = (await executor.ask([question])).get(refKey(question));
      expect(answer).toMatchObject({ is: 'value', value: { sha256: sha256(text) } });
      expect(JSON.stringify(answer).length).toBeGreaterThan(LARGE);
    });
  });

  describe(`${what}: an action`, () => {
    test('is done, and its outcome is what the host says', async () => {
      expect(await make()).toEqual({ is: 'applied' });
      expect(existsSync(at('made'))).toBe(true);
      expect(await perform(sh('echo out; echo err >&2; exit 3'))).toEqual({
        ...{ is: 'ended', exit: 3, stdout: 'out\n', stderr: 'err\n' },
      });
      expect(await perform({ do: 'write', path: at('x/y'), content: 'text', replaces: 'nothing' })).toMatchObject({
        is: 'refused',
      });
    });

    test('brings a file of any size', async () => {
      const bytes = Buffer.alloc(LARGE, 'a package\n');
      writeFileSync(at('source'), bytes);
      const upload = { do: 'upload', source: at('source'), path: at('target'), sha256: sha256(bytes) } as const;
      expect(await perform(upload)).toEqual({ is: 'applied' });
      expect(readFileSync(at('target')).equals(bytes)).toBe(true);
    });

    test('waits for the permission to act, and is not done where that throws', async () => {
      const order: string[] = [];
      const mayAct = (): Promise<void> => Promise.resolve(void order.push(`asked, made: ${existsSync(at('made'))}`));
      expect(await make({ mayAct })).toEqual({ is: 'applied' });
      expect(order).toEqual(['asked, made: false']);
      rmSync(at('made'), { recursive: true });
      await expect(make({ mayAct: () => Promise.reject(new Error('the run is lost')) })).rejects.toThrow('lost');
      expect(existsSync(at('made'))).toBe(false);
    });

    test('is refused by the host where its lease is another one', async () => {
      writeFileSync(at('lease'), 'theirs\n');
      const lease = (text: string) => ({ lease: { file: at('lease'), text } });
      expect(await make(lease('ours'))).toMatchObject({ is: 'refused', by: 'fence' });
      expect(existsSync(at('made'))).toBe(false);
      expect(await make(lease('theirs'))).toEqual({ is: 'applied' });
    });

    test('that is interrupted before it begins is not done, and its outcome is unknown', async () => {
      expect(await make({ signal: AbortSignal.abort() })).toMatchObject({ is: 'unknown' });
      expect(existsSync(at('made'))).toBe(false);
    });
  });

  test(`${what}: a job that was never started is absent, and its result may be removed all the same`, async () => {
    await executor.forgetJob(on, 'none');
    expect(await executor.job(on, 'none')).toEqual({ is: 'absent' });
  });

  test(`${what}: a file is replaced where it holds what was expected, and gives what it holds otherwise`, async () => {
    const swap = (expected: string, wanted: string) => executor.swap('a', at('lease'), expected, wanted);
    expect(await swap('', 'one')).toEqual({ is: 'swapped' });
    expect(await swap('', 'two')).toEqual({ is: 'found', text: 'one' });
    expect(await swap('one', '')).toEqual({ is: 'swapped' });
    expect(existsSync(at('lease'))).toBe(false);
  });

  describe(`${what}: a request to an endpoint`, () => {
    const request = (more: Partial<EndpointRequest>): EndpointRequest => ({
      ...{ endpoint: 'api', node: 'a', method: 'GET', path: '/', headers: {}, timeoutMs: 10_000 },
      ...{ reads: true, inHand: [], ...more },
    });

    test('is answered', async () => {
      expect(await executor.exchange(request({}))).toMatchObject({
        is: 'answered',
        status: 200,
        body: '{"status":"ok"}',
      });
      const post = request({ method: 'POST', path: '/x', body: 'text', reads: false });
      expect(await executor.exchange(post)).toMatchObject({ status: 200 });
      expect(server.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
        ['GET', '/', ''],
        ['POST', '/x', 'text'],
      ]);
    });

    test('that alters something waits for the permission to act, and is not sent where that throws', async () => {
      const mayAct = (): Promise<never> => Promise.reject(new Error('the run is lost'));
      const post = executor.exchange(request({ method: 'POST', reads: false, mayAct }));
      await expect(post).rejects.toThrow('lost');
      expect(server.seen).toEqual([]);
    });
  });
}
