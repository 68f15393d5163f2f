import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addDocument, createIndex } from '../../../engine/platforms/security-monitoring/simulator/documents.js';
import { brokenPlatform } from '../broken-platform.js';
import { MODEL_SECRETS, modelHarness, type Harness } from '../cli-harness.js';

const env = MODEL_SECRETS;
let harness: Harness;
let platform: Awaited<ReturnType<typeof brokenPlatform>>;

const verify = async () => {
  const { stdout, stderr, exitCode } = await harness.run(['verify'], { env });
  return { exitCode, text: `${stderr}\n${stdout}` };
};

beforeAll(async () => {
  harness = modelHarness('{ socket: model.sock }');
  platform = await brokenPlatform(harness, []);
});
afterAll(() => {
  void platform.served.close();
  harness.end();
});

test('archived events are counted where the indexer has them', async () => {
  expect((await verify()).text).not.toContain('Archived events');
  const { state } = platform;
  const index = 'platform-archives-4.x-2026.11.21';
  createIndex(state, index, { shards: 1, replicas: 1 });
  for (const minutes of [5, 30, 90])
    addDocument(state, index, { timestamp: new Date(state.nowMs - minutes * 60_000).toISOString() });
  expect((await verify()).text).toMatch(/^ +Archived events in the last hour +2$/m);
});

test('without a baseline: the values, and that nothing was compared; a host that it asks nothing of is not contacted', async () => {
  platform.state.faults.push({ fault: 'unreachable', host: 'linux-1' });
  const { exitCode, text } = await verify();
  expect(exitCode).toBe(0);
  expect(text).toMatch(/^ +Own rules loaded +14$/m);
  expect(text).toMatch(/^ON THE MODEL$/m);
  expect(text).toContain('Not compared: no run of this inventory has a baseline yet.');
  platform.state.faults.pop();
});

describe('after an upgrade, which takes a baseline before its first change and one at its end', () => {
  beforeAll(async () => {
    expect((await harness.run(['apply', 'upgrade-4.14.yaml', '-y'], { env })).exitCode).toBe(0);
  }, 60_000);

  test('the report shows both', async () => {
    const { stdout } = await harness.run(['report'], { env });
    expect(stdout).toMatch(/## Before and after\n\n.*\n.*\n\| Alerts in the last hour \| 0 \| \d+ \|/);
    expect(stdout).toContain('| User that the dashboard signs in | admin | admin |  |');
  });

  test('nothing is worse: 0, and nothing was changed', async () => {
    const acted: string[] = [];
    platform.watch.onAct = (host) => acted.push(host);
    const { exitCode, text } = await verify();
    expect(exitCode).toBe(0);
    expect(text).toMatch(/ before +after +now *$/m);
    expect(text).toContain('✓ Nothing is worse than before the run. Nothing was changed.');
    // Only requests of the sign-in.
    expect(acted.filter((host) => host !== '')).toEqual([]);
  });

  test('fewer rules or decoders are worse, and so are agents that are away beyond the tolerance: 1', async () => {
    const { management } = platform.state;
    platform.state.management = {
      ...management,
      ownRules: 13,
      ownDecoders: 5,
      agents: management.agents.map((a, i) => (i === 1 ? { ...a, status: 'disconnected' } : a)),
    };
    const { exitCode, text } = await verify();
    expect(exitCode).toBe(1);
    expect(text).toMatch(/^✗ +Own rules loaded +14 +14 +13 +worse than before, tolerance 0%$/m);
    expect(text).toMatch(/^✗ +Own decoders loaded +6 +6 +5 +worse than before, tolerance 0%$/m);
    expect(text).toMatch(/^✗ +Agents active +3 +3 +2 +worse than before, tolerance 5%$/m);
    const { stdout } = await harness.run(['verify', '-e', 'verify_agents=50%'], { env });
    expect(stdout).toMatch(/^✗ +Agents active/m); // the tolerance is that of the baseline
    platform.state.management = management;
  });

  test('a dashboard that does not answer was not read: 4; the other measures are there', async () => {
    const dashboard = platform.state.hosts['dashboard-1']?.services['platform-dashboard'];
    if (dashboard === undefined) throw new Error('the model has no dashboard');
    dashboard.readyAtMs = platform.state.nowMs + 3_600_000;
    const away = await verify();
    expect(away.exitCode).toBe(4);
    expect(away.text).toMatch(/^\? +User that the dashboard signs in +admin +admin +not read +\S/m);
    expect(away.text).toMatch(/^ +Own rules loaded +14 +14 +14/m);
  }, 60_000);
});
