import { expect, test } from '@jest/globals';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from '../../../engine/language/load.js';
import { createPlatformState } from '../../../engine/platforms/security-monitoring/simulator/create.js';
import { putFile, textAt } from '../../../engine/simulator/files.js';
import {
  MACOS_AGENT,
  WINDOWS_AGENT,
  WINDOWS_BUSY,
} from '../../../engine/platforms/security-monitoring/simulator/programs/installers.js';
import type { HostState, PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Host } from '../../../engine/terms/inventory.js';
import type { Event } from '../../../engine/terms/event.js';
import type { Ran } from '../../run/bench-hosts.js';
import { runOn } from '../platform-bench.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');

/** The demo's platform, its central components at `central`, with one more host whose agent is at 4.12.0. */
async function bench(playbook: string, role: string, central = '4.14.7') {
  const shippedDir = join(root, 'playbooks');
  const inventory = [join(root, 'tests/demo/inventory.yaml')];
  const loaded = await load({ playbook, inventory, cwd: root, env: {}, shippedDir });
  if (!loaded.ok) throw new Error(loaded.diagnostics.map((d) => d.message).join('\n'));
  const one: Host = {
    name: 'pc',
    address: '10.0.0.99',
    roles: [role],
    groups: [],
    vars: {},
    machine: 'model',
    ssh: {},
  };
  const project = {
    ...loaded.value,
    inventory: { ...loaded.value.inventory, hosts: [...loaded.value.inventory.hosts, one] },
  };
  const state = createPlatformState({ from: central, at: { pc: '4.12.0' }, inventory: project.inventory });
  return { state, pc: hostOf(state), run: (verb: 'plan' | 'apply'): Promise<Ran> => runOn(project, state, verb, {}) };
}

function hostOf(state: PlatformState): HostState {
  const pc = state.hosts['pc'];
  if (pc === undefined) throw new Error('there is no pc');
  return pc;
}

const ended = (events: readonly Event[]) => events.find((e) => e.e === 'run-ended');
const warnings = (events: readonly Event[]): readonly string[] =>
  events.flatMap((e) => (e.e === 'warned' ? [e.text] : []));
const intents = (events: readonly Event[]): number => events.filter((e) => e.e === 'intent').length;

test.each([
  ['Windows', 'agents-windows.yaml', 'windows_agent', WINDOWS_AGENT, 9],
  ['macOS', 'agents-macos.yaml', 'macos_agent', MACOS_AGENT, 7],
] as const)(
  '%s: the installer over what is there, the configuration kept, and nothing the second time',
  async (_, playbook, role, home, changes) => {
    const { pc, run } = await bench(playbook, role);
    const config = `${home}${role === 'macos_agent' ? '/etc' : ''}/platform.conf`;
    const before = textAt(pc, config);
    const first = await run('apply');
    expect(ended(first.events)).toMatchObject({ as: 'done' });
    expect(intents(first.events)).toBe(changes);
    expect(textAt(pc, `${home}/VERSION`)).toBe('v4.14.7\n');
    expect(textAt(pc, config)).toBe(before);
    expect(warnings(first.events)).toEqual([]);
    expect(intents((await run('apply')).events)).toBe(0);
  },
);

const WINDOWS_BACKUP = '/C:/Program Files (x86)/runbook/before-4.14';
const MACOS_BACKUP = '/var/backups/runbook/before-4.14';

test.each([
  ['Windows', 'agents-windows.yaml', 'windows_agent', WINDOWS_AGENT, WINDOWS_BACKUP, 'msiexec', ''],
  ['macOS', 'agents-macos.yaml', 'macos_agent', MACOS_AGENT, MACOS_BACKUP, 'installer', 'etc/'],
] as const)(
  '%s: what the operator keeps is backed up before the installer, for administrators alone, and once',
  async (_, playbook, role, home, to, program, etc) => {
    const { state, pc, run } = await bench(playbook, role);
    const own = [`${etc}client.keys`, `${etc}platform.conf`, `${etc}shared/agent.conf`, 'active-response/bin/ours'];
    const kept = own.map((path) => textAt(pc, `${home}/${path}`));
    state.faults.push({ fault: 'program', host: 'pc', program, exit: 1, stdout: '' });
    expect(ended((await run('apply')).events)).toMatchObject({ as: 'failed' });
    expect(own.map((path) => textAt(pc, `${to}/of-4.12.0/${path}`))).toEqual(kept);
    expect(pc.files[`${to}/of-4.12.0`]?.mode).toBe('0700');
    // What is there is the state before the upgrade: another run leaves it as it is.
    state.faults.length = 0;
    putFile(pc, `${home}/${etc}client.keys`, { text: 'enrolled again\n' }, state.nowMs);
    expect(ended((await run('apply')).events)).toMatchObject({ as: 'done' });
    expect(own.map((path) => textAt(pc, `${to}/of-4.12.0/${path}`))).toEqual(kept);
    expect(
      Object.keys(pc.files).filter((path) => path.startsWith(`${to}/`) && !path.startsWith(`${to}/of-4.12.0`)),
    ).toEqual([]);
  },
);

test.each([
  ['Windows', 'agents-windows.yaml', 'windows_agent', WINDOWS_BACKUP],
  ['macOS', 'agents-macos.yaml', 'macos_agent', MACOS_BACKUP],
] as const)('%s: a backup that was cut in the middle is made again', async (_, playbook, role, to) => {
  const { state, pc, run } = await bench(playbook, role);
  putFile(pc, `${to}/of-4.12.0.part/active-response/bin/ours`, { text: 'half' }, state.nowMs);
  expect(ended((await run('apply')).events)).toMatchObject({ as: 'done' });
  expect(textAt(pc, `${to}/of-4.12.0/active-response/bin/ours`)).toBe('ours\n');
  expect(pc.files[`${to}/of-4.12.0.part`]).toBeUndefined();
});

test('Windows: 3010 is done, and the wanted restart is reported', async () => {
  const { state, pc, run } = await bench('agents-windows.yaml', 'windows_agent');
  putFile(pc, WINDOWS_BUSY, { text: '' }, state.nowMs);
  const ran = await run('apply');
  expect(ended(ran.events)).toMatchObject({ as: 'done' });
  expect(warnings(ran.events)).toEqual([expect.stringMatching(/^Windows wants a restart \(3010\)/)]);
});

test('macOS: the package is of the machine’s own architecture, and its agent is restarted', async () => {
  const { state, pc, run } = await bench('agents-macos.yaml', 'macos_agent');
  putFile(pc, '/System/arch', { text: 'x86_64\n' }, state.nowMs);
  expect(ended((await run('apply')).events)).toMatchObject({ as: 'done' });
  expect(textAt(pc, '/tmp/agent-4.14.7-1.pkg')).toMatch(/ intel64$/);
  expect(textAt(pc, `${MACOS_AGENT}/running`)).toBe('v4.14.7\n');
});

test.each([
  ['agents-windows.yaml', 'windows_agent'],
  ['agents-macos.yaml', 'macos_agent'],
])('%s: never before all central components', async (playbook, role) => {
  const { run } = await bench(playbook, role, '4.13.1');
  const { events } = await run('apply');
  expect(intents(events)).toBe(0);
  expect(JSON.stringify(events)).toContain('agents come after all central components');
});
