import { describe, expect, test } from '@jest/globals';
import { stopService } from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import { createPlatformState } from '../../../engine/platforms/security-monitoring/simulator/create.js';
import type { Project } from '../../../engine/language/project.js';
import type { HostState, PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Event, Recorded } from '../../../engine/terms/event.js';
import { platform, runOn, shippedProject } from '../platform-bench.js';

/** What would do harm on a bad night, and must not happen. */
const hostOf = (e: Event): string => ('task' in e && 'host' in e.task.on ? e.task.on.host : '');
const acted = (events: readonly Event[], step: string): readonly string[] =>
  events.flatMap((e) => (e.e === 'intent' && e.name === step ? [hostOf(e)] : []));
const endReason = (events: readonly Event[]): string => {
  const end = events.at(-1);
  return end?.e === 'run-ended' ? (end.reason ?? '') : 'it did not end';
};
const isSettled = ({ event }: Recorded, step: string, host: string): boolean =>
  event.e === 'settled' && event.name === step && hostOf(event) === host;
const hostIn = (state: PlatformState, name: string): HostState => {
  const host = state.hosts[name];
  if (host === undefined) throw new Error(`no ${name}`);
  return host;
};
const activity = (state: PlatformState, host: string, unit: string): string | undefined =>
  state.hosts[host]?.services[unit]?.active;

const withRole =
  (host: string, role: string) =>
  (p: Project): Project => ({
    ...p,
    inventory: {
      ...p.inventory,
      hosts: p.inventory.hosts.map((h) => (h.name === host ? { ...h, roles: [...h.roles, role] } : h)),
    },
  });

describe('a host that is lost', () => {
  test('as an agent, and is an indexer too: no node is stopped without what protects the cluster', async () => {
    const { run } = await platform({}, withRole('indexer-1', 'agent'));
    const ran = await run('apply', {
      on: ({ event }, { faults }) => {
        if (event.e === 'play-started' && event.name === 'Back up the configuration of the agents')
          faults.push({ fault: 'unreachable', host: 'indexer-1', times: 1 });
      },
    });
    expect([ran.end, acted(ran.events, 'Stop the indexer')]).toEqual(['unreachable', []]);
    expect(endReason(ran.events)).toMatch(/indexer-1: lost before/);
  });

  test('is named where another host’s step looks at it, and that other one is not called lost', async () => {
    const { run } = await platform();
    const ran = await run('apply', {
      on: ({ event }, { faults }) => {
        if (event.e === 'settled' && event.name === 'Record that they were imported')
          faults.push({ fault: 'unreachable', host: 'dashboard-1' });
      },
    });
    const lost = ran.events.flatMap((e) => (e.e === 'host-lost' ? [e.host] : []));
    expect(lost.filter((host) => host.startsWith('linux') || host.startsWith('server'))).toEqual([]);
    const failed = ran.events.find((e) => e.e === 'settled' && e.name === 'Agents come after all central components');
    expect(failed).toMatchObject({ as: 'failed', reason: expect.stringMatching(/^dashboard-1: /) as unknown });
  });

  test('and central, though this playbook does nothing there: agents are not made newer than a manager that was not read', async () => {
    const project = await shippedProject('agents.yaml');
    const state = createPlatformState({ from: '4.12.0', inventory: project.inventory });
    state.faults.push({ fault: 'unreachable', host: 'server-2' });
    const ran = await runOn(project, state, 'apply', {});
    expect([ran.end, acted(ran.events, 'Upgrade the agent')]).toEqual(['unreachable', []]);
  });
});

describe('a resume', () => {
  test('of a node that was only chosen looks first, as for any: not while another is away', async () => {
    const { run, state } = await platform();
    let stop = false;
    const first = await run('apply', {
      stopping: () => stop,
      on: ({ event }) => (stop ||= event.e === 'host-chosen' && event.play.endsWith('Upgrade each node')),
    });
    stopService(state, hostIn(state, 'indexer-3'), 'platform-indexer');
    const resumed = await run('resume', { past: first.recorded });
    expect([resumed.end, acted(resumed.events, 'Stop the indexer')]).toEqual(['failed', []]);
    expect(endReason(resumed.events)).toContain('All indexers are up and no shards are initializing');
  });

  test('of a stop that failed asks again whether it is due: what was finished by hand is not stopped', async () => {
    const { run, state } = await platform();
    const first = await run('apply', {
      on: (recorded, { faults }) => {
        if (isSettled(recorded, 'Check for indices with a single in-sync copy', 'indexer-2'))
          faults.push({ fault: 'program', host: 'indexer-2', program: 'systemctl', exit: 1, stdout: '' });
      },
    });
    expect(acted(first.events, 'Stop the indexer')).toEqual(['indexer-2']);
    state.faults.length = 0;
    const host = hostIn(state, 'indexer-2');
    const unit = host.services['platform-indexer'];
    Object.assign(host.packages['platform-indexer'] ?? {}, { version: '4.14.7-1' });
    Object.assign(unit ?? {}, { startedAtMs: state.nowMs + 1, runs: '4.14.7-1' });
    const resumed = await run('resume', { past: first.recorded });
    expect(acted(resumed.events.slice(first.events.length), 'Stop the indexer')).not.toContain('indexer-2');
  });
});

describe('a manager', () => {
  test('that was at the target by hand is not started on a configuration that fails its test', async () => {
    const { run, state } = await platform();
    for (const host of ['server-1', 'server-2'])
      Object.assign(hostIn(state, host).packages['platform-manager'] ?? {}, {
        version: '4.14.7-1',
        changedAtMs: state.nowMs,
      });
    state.faults.push({
      fault: 'program',
      host: 'server-2',
      program: '/var/platform/bin/platform-analysisd',
      exit: 1,
      stdout: 'ERROR: bad\n',
    });
    const ran = await run('apply', { answer: 'yes' });
    expect([ran.end, activity(state, 'server-2', 'platform-manager')]).toEqual(['failed', 'inactive']);
  });

  test('that was stopped and not upgraded yet is started again on either server when an operator stops the run', async () => {
    for (const host of ['server-2', 'server-1']) {
      const { run, state } = await platform();
      let stop = false;
      await run('apply', {
        stopping: () => stop,
        on: (recorded) => (stop ||= isSettled(recorded, 'Stop the manager', host)),
      });
      expect([host, activity(state, host, 'platform-manager')]).toEqual([host, 'active']);
    }
  });
});

test('a service that dies between its turn and the verification is found dead', async () => {
  const { run } = await platform();
  const ran = await run('apply', {
    on: (recorded, now) => {
      if (isSettled(recorded, 'Restart the agent', 'linux-1'))
        stopService(now, hostIn(now, 'linux-1'), 'platform-agent');
    },
  });
  const found = ran.events.find(
    (e) => e.e === 'settled' && e.name === 'The agent runs the target version' && hostOf(e) === 'linux-1',
  );
  expect([ran.end, found]).toEqual([
    'failed',
    expect.objectContaining({
      as: 'blocked',
      reason: expect.stringMatching(/^platform-agent on linux-1 does not run 4\.14\.7 \(/),
    }),
  ]);
});

test('a platform whose agents do not come back is no success', async () => {
  const { run } = await platform();
  const ran = await run('apply', {
    on: (recorded, now) => {
      if (!isSettled(recorded, 'Upgrade the active agents', 'server-1')) return;
      const agents = now.management.agents.map((a) => (a.id === '000' ? a : { ...a, status: 'disconnected' as const }));
      now.management = { ...now.management, agents };
    },
  });
  const said = JSON.stringify(ran.events.filter((e) => e.e === 'settled' && e.name === 'An agent is active'));
  expect([ran.end, said]).toEqual([
    'failed',
    expect.stringMatching(/none of \d agents is active: 001 linux-1 \(v4\.14\.7\)/),
  ]);
});

test('a node that is called otherwise than the inventory says is reported before anything is stopped', async () => {
  const { run, state } = await platform();
  Object.assign(state.cluster.nodes['indexer-2'] ?? {}, { name: 'indexer-2.example.com' });
  const ran = await run('apply');
  expect([ran.end, acted(ran.events, 'Stop the indexer')]).toEqual(['refused', []]);
  const told = ran.events.find((e) => e.e === 'settled' && e.as === 'blocked');
  expect(told).toMatchObject({ reason: expect.stringMatching(/another name in the cluster.*indexer-2/) as unknown });
});
