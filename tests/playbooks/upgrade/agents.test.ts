import { afterEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from '../../../engine/language/load.js';
import { createPlatformState, type ModelSeed } from '../../../engine/platforms/security-monitoring/simulator/create.js';
import type { Fate } from '../../../engine/platforms/security-monitoring/simulator/management-state.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Ran } from '../../run/bench-hosts.js';
import { runOn, type Around } from '../platform-bench.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

/** One play of the module `agents` on the platform of the demo, whose servers are at 4.14.7 already. */
async function applied(step: string, seed: Partial<ModelSeed>, alter: (s: PlatformState) => void): Promise<Ran> {
  return (await platformOf(step, seed, alter)).run();
}

async function platformOf(step: string, seed: Partial<ModelSeed>, alter: (s: PlatformState) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-agents-'));
  folders.push(folder);
  const playbook = join(folder, 'agents.yaml');
  writeFileSync(
    playbook,
    `playbook: A\nplays:\n  - play: One\n    hosts: master\n    steps: [{ step: ask, ${step} }]\n`,
  );
  const inventory = [join(root, 'tests/demo/inventory.yaml')];
  const loaded = await load({ playbook, inventory, cwd: root, env: {}, shippedDir: join(root, 'playbooks') });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map((d) => d.message).join('\n'));
  const state = createPlatformState({ from: '4.14.7', inventory: loaded.value.inventory, ...seed });
  alter(state);
  const run = (around: Around = {}): Promise<Ran> =>
    runOn(loaded.value, state, around.past === undefined ? 'apply' : 'resume', around);
  return { state, run };
}

/** Of the step; what the platform requires before an agent is upgraded comes first. */
const settled = ({ events }: Ran) => events.find((e) => e.e === 'settled' && e.name === 'ask');
/** Out of reach first, then 1017, as after a restart of the manager. */
const notReadyFor = (ms: number) => (state: PlatformState) => {
  const entry = state.hosts['server-1']?.services[state.names.manager.service];
  if (entry === undefined) throw new Error('there is no manager');
  entry.readyAtMs = state.nowMs + ms;
};

test('refusals of every request of a thousand agents are reported, and the others are upgraded', async () => {
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
  ['two minutes by default', '', 120],
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

const remote = (count: number, fate: (i: number) => Fate = () => 'updated') =>
  Array.from({ length: count }, (_, i) => ({ name: `remote-${i}`, version: '4.12.0', fate: fate(i) }));
const upgraded = 'agents: { endpoint: api, state: upgraded, version: 4.14.7, exclude_below: "4.9"';
const asked = ({ events }: Ran): readonly string[] =>
  events.flatMap((e) =>
    e.e === 'intent' ? e.change.actions.map((a) => ('items' in a ? (a.items ?? []).length : 0)).join('+') : [],
  );

test('a canary first, then waves; each is waited for', async () => {
  const ran = await applied(`${upgraded}, canary: 2, wave: 4 }`, { remoteAgents: remote(9) }, () => undefined);
  expect(settled(ran)).toMatchObject({ as: 'done' });
  expect(asked(ran)).toEqual(['2', '4', '3']);
  const order = ran.events.flatMap((e) => (e.e === 'intent' ? ['asked'] : e.e === 'item' ? [e.batch] : []));
  expect(order).toEqual(['asked', '1', '1', 'asked', '2', '2', '2', '2', 'asked', '3', '3', '3']);
});

test('a run that is to stop completes the wave at hand; a resume asks for the others, each once', async () => {
  const p = await platformOf(`${upgraded}, canary: 2, wave: 4 }`, { remoteAgents: remote(9) }, () => undefined);
  let stop = false;
  const first = await p.run({
    stopAtSafePoint: () => stop,
    on: ({ event: e }) => {
      stop ||= e.e === 'effect' && e.attempt === 2;
    },
  });
  expect([first.end, asked(first)]).toEqual(['interrupted', ['2', '4']]);
  expect(first.events.filter((e) => e.e === 'item')).toHaveLength(6);
  const second = await p.run({ past: first.recorded });
  expect([second.end, asked(second)]).toEqual(['done', ['2', '4', '3']]);
});

test.each([
  ['two of four stop it at 50%', '50%', 'blocked', ['4']],
  ['and do not at 51%: they are reported', '51%', 'done', ['4', '2']],
  ['nor at three', '3', 'done', ['4', '2']],
] as const)('%s', async (_, stopAt, as, waves) => {
  const remoteAgents = remote(6, (i) => (i === 1 ? 'error' : i === 2 ? 'no-package' : 'updated'));
  const ran = await applied(`${upgraded}, wave: 4, stop_at: ${stopAt} }`, { remoteAgents }, () => undefined);
  expect(settled(ran)).toMatchObject({ as });
  expect(asked(ran)).toEqual(waves);
  const told = JSON.stringify(ran.events.filter((e) => e.e === 'warned' || e.e === 'settled'));
  expect(told).toContain(
    'remote-1: the upgrade ended with an error: Send open file error, and the agent still says 4.12.0',
  );
  expect(told).toContain('remote-2: The repository has no package for this agent (1819)');
});

test('an agent whose upgrade failed is requested again by a resume, and no other before it', async () => {
  const remoteAgents = remote(6, (i) => (i === 1 ? 'cancelled' : 'updated'));
  const p = await platformOf(`${upgraded}, canary: 2, wave: 9, stop_at: 1 }`, { remoteAgents }, () => undefined);
  const first = await p.run();
  expect([first.end, asked(first)]).toEqual(['failed', ['2']]);
  const again = await p.run({ past: first.recorded });
  expect([again.end, asked(again)]).toEqual(['failed', ['2', '1']]);
  p.state.management = {
    ...p.state.management,
    agents: p.state.management.agents.map((agent) => ({ ...agent, fate: 'updated' })),
  };
  const last = await p.run({ past: again.recorded });
  expect([last.end, asked(last)]).toEqual(['done', ['2', '1', '1', '4']]);
});

test('an agent whose failure was only reported is not requested again by a resume', async () => {
  const remoteAgents = remote(6, (i) => (i === 1 ? 'cancelled' : 'updated'));
  const p = await platformOf(`${upgraded}, wave: 9, stop_at: 3 }`, { remoteAgents }, () => undefined);
  const first = await p.run();
  const again = await p.run({ past: first.recorded });
  expect([asked(first), asked(again)]).toEqual([['6'], ['6']]);
});

test.each([
  ['below 4.9 they are skipped and told', '"4.9"', { left: 1 }],
  ['and asked when that is wanted', '"0"', { done: 2 }],
] as const)('%s', async (_, from, counts) => {
  const remoteAgents = [{ name: 'old', version: '4.8.2' }, ...remote(1)];
  const step = `agents: { endpoint: api, state: upgraded, version: 4.14.7, exclude_below: ${from}, choose: { names: "old, remote-0" } }`;
  const ran = await applied(step, { remoteAgents }, () => undefined);
  expect(settled(ran)).toMatchObject({ as: 'done' });
  for (const [is, count] of Object.entries(counts))
    expect(ran.events.filter((e) => e.e === 'item' && e.is === is)).toHaveLength(count);
});

test('chosen by group, which the API is asked for only then', async () => {
  const remoteAgents = [{ name: 'a', version: '4.12.0', groups: ['web'] }, ...remote(3)];
  const ran = await applied(`${upgraded}, choose: { groups: web } }`, { remoteAgents }, () => undefined);
  expect(asked(ran)).toEqual(['1']);
  expect(settled(ran)).toMatchObject({ as: 'done' });
});

test('ids that no agent has are refused before anything is asked', async () => {
  const ran = await applied(`${upgraded}, choose: { ids: "999" } }`, { remoteAgents: remote(1) }, () => undefined);
  expect(settled(ran)).toMatchObject({ as: 'blocked', reason: 'no agent has the id or name 999' });
  expect(asked(ran)).toEqual([]);
});

test('the remote tool, its output read: it ends with 0 whatever came of it', async () => {
  const remoteAgents = remote(3, (i) => (i === 1 ? 'no-package' : i === 2 ? 'timeout-but-updated' : 'updated'));
  const step = `${upgraded}, way: tool, tool: /var/platform/bin/agent_upgrade, choose: { names: "remote-*" } }`;
  const ran = await applied(step, { remoteAgents }, () => undefined);
  expect(settled(ran)).toMatchObject({
    as: 'blocked',
    reason: expect.stringMatching(
      /^not upgraded: \d+ remote-1: The repository has no package for this agent \(1819\)$/,
    ),
  });
  expect(asked(ran)).toEqual(['1+1+1']);
  expect(ran.events.filter((e) => e.e === 'item' && e.is === 'done')).toHaveLength(2);
});

const FILE = '/var/platform/var/upgrade/agent_4.14.7_linux_x86_64.wpk';
const TOOL = '/var/platform/bin/agent_upgrade';

test('agents that the tool refuses, several on a line, have ended with their reason; none waits to the limit', async () => {
  const step = `${upgraded}, way: tool, tool: ${TOOL}, choose: { names: "remote-*" } }`;
  const ran = await applied(step, { remoteAgents: remote(2) }, (state) =>
    state.faults.push({
      fault: 'program',
      host: 'server-1',
      program: 'agent_upgrade',
      exit: 0,
      stdout:
        'Agents that cannot be upgraded:\n\tAgent 003, 004 upgrade failed. Status: Error 1707 - Cannot send request, agent is not active\n',
    }),
  );
  expect(ran.events.filter((e) => e.e === 'waiting')).toEqual([]);
  const items = ran.events.flatMap((e) => (e.e === 'item' ? [[e.item, [e.is, e.reason]] as const] : []));
  expect(Object.fromEntries(items)).toEqual({
    '003': ['left', 'not active (1707)'],
    '004': ['left', 'not active (1707)'],
  });
  expect(settled(ran)).toMatchObject({ as: 'done' });
});

test.each([
  ['error', 'the upgrade ended with an error: Send open file error'],
  ['cancelled', 'the upgrade was cancelled (Task cancelled since the manager was restarted)'],
  ['suspended', 'the upgrade is in a state that is not known ("Suspended")'],
] as const)('a task that ended as %s is shown with what the API says, long before the limit', async (fate, reason) => {
  const remoteAgents = remote(2, (i) => (i === 0 ? fate : 'updated'));
  const ran = await applied(`${upgraded}, choose: { names: "remote-*" } }`, { remoteAgents }, () => undefined);
  expect(settled(ran)).toMatchObject({
    as: 'blocked',
    reason: expect.stringMatching(`remote-0: ${reason.replace(/[()]/g, '.')}, and the agent still says 4.12.0$`),
  });
  const [first, last] = [ran.recorded[0], ran.recorded.at(-1)];
  expect((last?.atMs ?? Infinity) - (first?.atMs ?? 0)).toBeLessThan(120_000);
});

test.each(['api', `tool, tool: ${TOOL}`])('without a way to the vendor’s packages (%s)', async (way) => {
  const isolated = (state: PlatformState): void => {
    state.faults.push({ fault: 'agent-packages-unreachable' });
    const host = state.hosts['server-1'];
    if (host !== undefined) host.files[FILE] = { ...Object.values(host.files)[0], text: 'a package' } as never;
  };
  const outcome = async (more: string) =>
    settled(
      await applied(`${upgraded}, way: ${way}, choose: { ids: "003" }${more} }`, { remoteAgents: remote(2) }, isolated),
    );
  expect(await outcome('')).toMatchObject({
    as: 'blocked',
    reason: expect.stringMatching(/remote-0: The repository is not reachable \(1824\)$/),
    hint: expect.stringContaining('agents_package_file=PATH'),
  });
  expect(await outcome(', repository: mirror.example.com/agents/')).toMatchObject({ as: 'done' });
  expect(await outcome(`, package_file: ${FILE}`)).toMatchObject({ as: 'done' });
  expect(await outcome(', package_file: /var/platform/var/upgrade/other.wpk')).toMatchObject({
    as: 'blocked',
    reason: expect.stringContaining('The WPK file does not exist (1826)'),
  });
});
