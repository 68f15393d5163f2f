import { describe, expect, test } from '@jest/globals';
import type { Project } from '../../../engine/language/project.js';
import type { ModelSeed } from '../../../engine/platforms/security-monitoring/simulator/create.js';
import { WINDOWS_AGENT } from '../../../engine/platforms/security-monitoring/simulator/programs/installers.js';
import { textAt } from '../../../engine/simulator/files.js';
import type { Host } from '../../../engine/terms/inventory.js';
import { platform } from '../platform-bench.js';
import { endOf, hostOf, warningsOf } from '../platform-looks.js';

const machine = { groups: [], vars: {}, machine: 'model', ssh: {} } as const;
const HOSTS: readonly Host[] = [
  { ...machine, name: 'pc-1', address: '10.0.0.91', roles: ['windows_agent'] },
  { ...machine, name: 'pc-2', address: '10.0.0.92', roles: ['windows_agent'] },
  { ...machine, name: 'mac-1', address: '10.0.0.93', roles: ['macos_agent'] },
];
/** The demo's platform with Windows and macOS hosts, of which the management API knows those in `remoteAgents`. */
const found = (seed: Partial<ModelSeed> = {}) =>
  platform(seed, (project: Project) => ({
    ...project,
    inventory: { ...project.inventory, hosts: [...project.inventory.hosts, ...HOSTS] },
  }));
const versionsIn = (state: { management: { agents: readonly { name: string; version: string | null }[] } }) =>
  Object.fromEntries(state.management.agents.map(({ name, version }) => [name, version]));

describe('Windows and macOS hosts in the upgrade (§9.7)', () => {
  test('the plan says which of them need their installer, and by which command', async () => {
    const { run } = await found({ remoteAgents: [{ name: 'pc-1', version: '4.12.0' }] });
    const planned = await run('plan');
    expect(endOf(planned)).toEqual(['done']);
    const told = warningsOf(planned).join('\n');
    expect(told).toMatch(
      /does not upgrade 1 of 2 Windows hosts: pc-2 \(not registered\).*runbook apply agents-windows\.yaml/,
    );
    expect(told).toMatch(
      /does not upgrade 1 of 1 macOS hosts: mac-1 \(not registered\).*runbook apply agents-macos\.yaml/,
    );
    expect(told).not.toMatch(/pc-1 \(/);
  });

  test('those that the API knows are upgraded through it, the others are left to an operator', async () => {
    const { run, state } = await found({
      remoteAgents: [
        { name: 'pc-1', version: '4.12.0' },
        { name: 'pc-2', version: '4.12.0' },
        { name: 'mac-1', version: '4.12.0' },
      ],
    });
    const agents = state.management.agents.map((a) =>
      a.name === 'pc-2' ? { ...a, status: 'disconnected' as const } : a,
    );
    state.management = { ...state.management, agents };
    const ran = await run('apply');
    expect(endOf(ran)).toEqual(['done']);
    expect(versionsIn(state)).toMatchObject({ 'pc-1': '4.14.7', 'pc-2': '4.12.0', 'mac-1': '4.14.7' });
    expect(warningsOf(ran).join('\n')).toMatch(
      /does not upgrade 1 of 2 Windows hosts: pc-2 \(v4\.12\.0, disconnected\)/,
    );
    expect(textAt(hostOf(state, 'pc-2'), `${WINDOWS_AGENT}/VERSION`)).toBe('v4.12.0\n');
  });

  test.each(['reachable', 'unreachable'])(
    '%s ones never refuse the upgrade, and are not contacted by it',
    async (how) => {
      const { run, state } = await found();
      for (const host of how === 'reachable' ? [] : ['pc-1', 'pc-2', 'mac-1'])
        state.faults.push({ fault: 'unreachable', host });
      expect(endOf(await run('plan'))).toEqual(['done']);
      const ran = await run('apply');
      expect(endOf(ran)).toEqual(['done']);
      expect(ran.events.filter((e) => e.e === 'host-lost')).toEqual([]);
      expect(endOf(await run('apply', { name: 'again' }))).toEqual(['done']);
    },
  );
});
