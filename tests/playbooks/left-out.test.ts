import { describe, expect, test } from '@jest/globals';
import type { Project } from '../../engine/language/project.js';
import type { PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import { endView } from '../../engine/report/end/end-view.js';
import { planView } from '../../engine/report/plan/plan-view.js';
import type { Event } from '../../engine/terms/event.js';
import { differences, endState } from './end-state.js';
import { platform } from './platform-bench.js';

const TERMINAL = { color: false, width: 100 };
const changedHosts = (events: readonly Event[]): ReadonlySet<string> =>
  new Set(events.flatMap((e) => (e.e === 'intent' && 'host' in e.task.on ? [e.task.on.host] : [])));
const versionOf = (state: PlatformState, host: string): string | undefined =>
  Object.values(state.hosts[host]?.packages ?? {})[0]?.version;
const away = (host: string) => ({ fault: 'unreachable', host }) as const;

describe('an agent that cannot be reached when the run begins', () => {
  test('is left out: all the others are upgraded, nothing stays behind, and the run says that it is not done', async () => {
    const { run, state } = await platform();
    state.faults.push(away('linux-1'));
    const ran = await run('apply');
    expect([ran.end, versionOf(state, 'linux-1'), versionOf(state, 'linux-2')]).toEqual([
      'unreachable',
      '4.12.0-1',
      '4.14.7-1',
    ]);
    expect(ran.events.at(-1)).toMatchObject({ e: 'run-ended', throughout: true, untouched: [], notRestored: [] });
    const view = endView(ran.recorded, TERMINAL);
    expect(view).toContain('✗ linux-1  unreachable, left out\n');
    expect(view).toMatch(
      /^Completed with failures \(unreachable: 1\): linux-1 could not be reached\. \d+ changed in /m,
    );
    expect(view).toMatch(/runbook resume +repeat on these hosts/);
  });

  test('or on which it may do nothing, is left out too', async () => {
    const { run, state } = await platform();
    state.faults.push({ fault: 'no-sudo', host: 'linux-1' });
    const ran = await run('plan');
    expect(ran.end).toBe('unreachable');
    expect(ran.events).toContainEqual(expect.objectContaining({ e: 'host-lost', host: 'linux-1', leftOut: true }));
    expect(ran.events.at(-1)).toMatchObject({ e: 'run-ended', throughout: true });
  });

  test('is upgraded by a resume once it is back, and nothing else is touched', async () => {
    const uncut = await platform();
    await uncut.run('apply');
    const { run, state } = await platform();
    state.faults.push(away('linux-1'));
    const ran = await run('apply');
    state.faults.length = 0;
    const resumed = await run('resume', { past: ran.recorded });
    expect(resumed.end).toBe('done');
    expect([...changedHosts(resumed.events.slice(ran.events.length))]).toEqual(['linux-1']);
    expect(differences(endState(uncut.state), endState(state))).toEqual([]);
  });

  test('is checked before it is upgraded, though the others were checked long ago', async () => {
    const { run, state } = await platform();
    state.faults.push(away('linux-1'));
    const ran = await run('apply');
    state.faults.length = 0;
    const agent = state.hosts['linux-1']?.packages['platform-agent'];
    if (agent !== undefined) agent.version = '4.15.0-1';
    const resumed = await run('resume', { past: ran.recorded });
    expect(resumed.events.slice(ran.events.length)).toContainEqual(
      expect.objectContaining({
        e: 'settled',
        as: 'blocked',
        reason: expect.stringContaining('installed.agent is 4.15.0-1, not <= 4.14.7'),
      }),
    );
    expect(changedHosts(resumed.events.slice(ran.events.length))).toEqual(new Set());
  });

  test('is named by a plan, which tells of all the others', async () => {
    const { run, state } = await platform();
    state.faults.push(away('linux-1'));
    const planned = await run('plan');
    const view = planView(planned.recorded, { ...TERMINAL, diff: false, verbose: false });
    expect(view).toContain(' ✗ linux-1: left out, unreachable: ');
    expect(view).toMatch(/ {3}linux-2\n[^]*~ platform-agent 4\.12\.0-1 → 4\.14\.7-1/);
  });

  test('no condition over the agents hangs on it', async () => {
    const asked = 'all_hosts.agent.all(h, h.installed.agent <= "4.14.7")';
    const asking = (project: Project): Project => ({
      ...project,
      playbook: {
        ...project.playbook,
        plays: project.playbook.plays.map((play, i) =>
          i === 0
            ? {
                ...play,
                steps: play.steps.map((step, n) =>
                  n === 0 ? { ...step, args: { that: asked, message: 'no' } } : step,
                ),
              }
            : play,
        ),
      },
    });
    const { run, state } = await platform({}, asking);
    state.faults.push(away('linux-2'));
    const planned = await run('plan');
    expect(planned.events).toContainEqual(expect.objectContaining({ e: 'settled', as: 'ok' }));
    expect(planned.events.filter((e) => e.e === 'settled' && e.as === 'unreachable')).toEqual([]);
  });
});

describe('the run cannot do without', () => {
  const refuses = async (gone: readonly string[], change?: (project: Project) => Project): Promise<void> => {
    const { run, state } = await platform({}, change);
    for (const host of gone) state.faults.push(away(host));
    const ran = await run('apply');
    expect([ran.end, [...changedHosts(ran.events)]]).toEqual(['unreachable', []]);
    expect(ran.events.at(-1)).toMatchObject({ reason: expect.stringMatching(/not reachable$/) });
  };
  const alsoA =
    (role: string) =>
    (project: Project): Project => ({
      ...project,
      inventory: {
        ...project.inventory,
        hosts: project.inventory.hosts.map((h) => (h.name === 'linux-1' ? { ...h, roles: [...h.roles, role] } : h)),
      },
    });

  test('a central host', () => refuses(['server-2']));
  test('a central host, though an agent is away too', () => refuses(['linux-1', 'indexer-3']));
  test('all hosts of a site: once for each reason', async () => {
    const { run, state } = await platform();
    for (const host of Object.keys(state.hosts)) state.faults.push(away(host));
    const ran = await run('apply');
    expect(endView(ran.recorded, TERMINAL)).toBe(
      `✗ indexer-1, indexer-2, indexer-3, server-1, server-2, dashboard-1  unreachable
  port 22 cannot be reached (no route)
✗ linux-1, linux-2  unreachable, left out
  port 22 cannot be reached (no route)

Stopped: indexer-1, indexer-2, indexer-3, server-1, server-2, dashboard-1: not reachable. Nothing was changed.`,
    );
  });
  test('an agent that is a dashboard as well', () => refuses(['linux-1'], alsoA('dashboard')));
});
