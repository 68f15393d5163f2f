import { afterEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from '../../engine/language/load.js';
import { createPlatformState, type ModelSeed } from '../../engine/model/create.js';
import type { PlatformState } from '../../engine/model/state.js';
import type { Ran } from './bench-hosts.js';
import { runOn } from './platform-bench.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

/** One play of the module `agents` on the platform of the demo, whose servers are at 4.14.7 already. */
async function applied(step: string, seed: Partial<ModelSeed>, alter: (s: PlatformState) => void): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-agents-'));
  folders.push(folder);
  const playbook = join(folder, 'agents.yaml');
  writeFileSync(
    playbook,
    `playbook: A\nplays:\n  - play: One\n    hosts: { role: master }\n    steps: [{ step: ask, ${step} }]\n`,
  );
  const inventory = [join(root, 'tests/demo/inventory.yaml')];
  const loaded = await load({ playbook, inventory, cwd: root, env: {}, shippedDir: join(root, 'playbooks') });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map((d) => d.message).join('\n'));
  const state = createPlatformState({ from: '4.14.7', inventory: loaded.value.inventory, ...seed });
  alter(state);
  return runOn(loaded.value, state, 'apply', {});
}

const settled = ({ events }: Ran) => events.find((e) => e.e === 'settled');
/** Out of reach first, then 1017, as after a restart of the manager. */
const notReadyFor = (ms: number) => (state: PlatformState) => {
  const entry = state.hosts['server-1']?.services[state.names.manager.service];
  if (entry === undefined) throw new Error('there is no manager');
  entry.readyAtMs = state.nowMs + ms;
};

test('refusals of every request of a thousand agents are told, and the others are upgraded', async () => {
  const refused = [3, 1500, 2050];
  const remoteAgents = Array.from({ length: 2100 }, (_, i) => ({
    name: `remote-${i}`,
    version: '4.12.0',
    ...(refused.includes(i) ? { fate: 'no-package' as const } : {}),
  }));
  const ran = await applied(
    'agents: { endpoint: api, state: upgraded, version: 4.14.7 }',
    { remoteAgents },
    () => undefined,
  );
  expect(ran.events.filter((e) => e.e === 'effect')).toHaveLength(3);
  const end = settled(ran);
  expect(end).toMatchObject({ as: 'blocked' });
  for (const i of refused) expect(end).toMatchObject({ reason: expect.stringContaining(`remote-${i}`) });
  expect(end).toMatchObject({
    reason: expect.stringMatching(/^not upgraded: [^;]*: The repository has no package for this agent \(1819\)$/),
  });
  const done = ran.events.filter((e) => e.e === 'item' && e.is === 'done');
  expect(done).toHaveLength(2097);
});

test('a manager whose daemons take their time is waited for', async () => {
  const ran = await applied('agents: { endpoint: api, state: listed }', {}, notReadyFor(90_000));
  expect(settled(ran)).toMatchObject({ as: 'ok' });
  expect(ran.events).toContainEqual(expect.objectContaining({ e: 'waiting', for: expect.stringContaining('(1017)') }));
});

test.each([
  ['two minutes where nobody says', '', 120],
  ["as long as the step's own timeout", ', timeout: 4m', 240],
])('and given up after %s', async (_, timeout, seconds) => {
  const ran = await applied(`agents: { endpoint: api, state: listed }${timeout}`, {}, notReadyFor(3_600_000));
  expect(settled(ran)).toMatchObject({
    as: 'failed',
    reason: expect.stringMatching(new RegExp(`^waited ${seconds} s: the agent list: `)),
  });
});

test('who is below the target is warned about', async () => {
  const ran = await applied(
    'agents: { endpoint: api, state: listed, version: 4.14.7 }',
    { remoteAgents: [{ name: 'old', version: '4.12.0' }] },
    () => undefined,
  );
  expect(settled(ran)).toMatchObject({ as: 'ok', value: { below: ['old'] } });
  expect(JSON.stringify(ran.events)).toMatch(/1 of \d+ agents is below 4\.14\.7: old \(4\.12\.0\)/);
});
