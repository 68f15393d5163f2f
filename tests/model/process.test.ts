import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModelMachine, serveModel } from '../../engine/platforms/security-monitoring/simulator/platform.js';
import { connectModel, type ConnectedModel } from '../../engine/simulator/process.js';
import { createPlatformState } from '../../engine/platforms/security-monitoring/simulator/create.js';
import { packageState } from '../../engine/facts/package.js';
import { http } from '../../engine/facts/http.js';
import { need, refKey } from '../../engine/terms/fact.js';
import { APT, inventory } from './platform.js';

let dir = '';
let socket = '';
const closing: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'model-'));
  socket = join(dir, 'model.sock');
});
afterEach(async () => {
  for (const one of closing.splice(0).reverse()) await one.close();
  await rm(dir, { recursive: true, force: true });
});

async function connected(): Promise<ConnectedModel> {
  const model = await connectModel(socket);
  closing.push(model);
  return model;
}

test('facts, effects, requests and time are the same over a socket', async () => {
  const state = createPlatformState({ from: '4.12.0', inventory });
  closing.push(await serveModel(state, socket));
  const platform = await connected();
  const machine = createModelMachine({ inventory, platform });
  closing.push(machine);
  const started = platform.clock.nowMs();
  expect(started).toBe(state.nowMs);
  await platform.clock.sleep(60_000);
  expect(platform.clock.nowMs()).toBe(started + 60_000);

  const version = need({ host: 'web-1' }, packageState, 'platform-agent');
  const health = need({ endpoint: 'indexer' }, http, { path: '/_cluster/health' });
  const answers = await machine.ask([version, health]);
  expect(answers.get(refKey(version))).toMatchObject({ is: 'value', value: { installed: '4.12.0-1' } });
  expect(answers.get(refKey(health))).toMatchObject({ is: 'value', value: { status: 200, json: { status: 'green' } } });
  const written = await machine.perform(
    { host: 'web-1' },
    { do: 'write', path: '/etc/motd', content: 'hello\n', replaces: 'nothing' },
    { id: 'a' },
  );
  expect(written).toEqual({ is: 'applied' });
  expect((await platform.state()).hosts['web-1']?.files['/etc/motd']?.text).toBe('hello\n');
});

test('a job goes on when its controller is gone, and the next controller finds it', async () => {
  const state = createPlatformState({ from: '4.12.0', inventory });
  closing.push(await serveModel(state, socket));
  Object.assign(state.hosts['web-1']?.files['/etc/apt/sources.list.d/platform.list'] ?? {}, {
    text: 'deb https://packages.example.com/4.x/apt/ stable main\n',
  });
  const first = await connected();
  await first.perform(
    'web-1',
    { do: 'run', command: { argv: ['apt-get', 'update'], timeoutMs: 60_000 }, expect: { exit: [0] } },
    'update',
  );
  state.faults.push({ fault: 'cut', at: state.effects + 1, when: 'after' });
  const cut = await first.perform(
    'web-1',
    { do: 'job', command: { argv: [...APT, 'platform-agent=4.14.7-1'], timeoutMs: 600_000 }, expect: { exit: [0] } },
    'job-1',
  );
  expect(cut).toMatchObject({ is: 'unknown', why: 'connection' });
  await first.close();

  const second = await connected();
  expect(await second.job('web-1', 'job-1')).toMatchObject({ is: 'running' });
  await second.clock.sleep(120_000);
  expect(await second.job('web-1', 'job-1')).toMatchObject({ is: 'ended', exit: 0 });
  expect((await second.state()).hosts['web-1']?.packages['platform-agent']).toMatchObject({
    version: '4.14.7-1',
    status: 'ii',
  });
});

test('a model that ended is unreachable, and an effect under way unknown', async () => {
  const served = await serveModel(createPlatformState({ from: '4.12.0', inventory }), socket);
  const platform = await connected();
  await served.close();
  expect(await platform.ask([{ host: 'web-1', fact: 'system', key: '' }])).toMatchObject([
    { is: 'failed', why: 'unreachable' },
  ]);
  expect(await platform.perform('web-1', { do: 'remove', path: '/tmp/x' }, 'x')).toMatchObject({
    is: 'unknown',
    why: 'connection',
  });
  await expect(connectModel(socket)).rejects.toThrow();
});
