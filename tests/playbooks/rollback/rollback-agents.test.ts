import { describe, expect, test } from '@jest/globals';
import type { ModelSeed } from '../../../engine/platforms/security-monitoring/simulator/create.js';
import { putFile, textAt } from '../../../engine/simulator/files.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Action } from '../../../engine/terms/action.js';
import type { JsonObject } from '../../../engine/terms/json.js';
import type { Actor } from '../../../engine/terms/machine.js';
import { crashingAt, type Ran } from '../../run/bench-hosts.js';
import { platform, runOn, shippedProject, type Around } from '../platform-bench.js';
import { actsOf, edit, endOf, hostOf, warningsOf } from '../platform-looks.js';

const rollback_packages = { indexer: '4.12.0-1', manager: '4.12.0-1', dashboard: '4.12.0-1', shipper: '7.10.2-1' };
const CONFIG = '/var/platform/etc/platform.conf';
const AGENTS = ['linux-1', 'linux-2'];

interface Back {
  readonly vars?: JsonObject;
  readonly verb?: 'apply' | 'plan' | 'resume';
  readonly playbook?: string;
}
async function rollback(
  state: PlatformState,
  around: Around = {},
  { vars = {}, verb = 'apply', playbook = 'rollback.yaml' }: Back = {},
): Promise<Ran> {
  const project = await shippedProject(playbook);
  const extraVars = { ...project.extraVars, rollback_to: '4.12.0', rollback_packages, override_version: true, ...vars };
  return runOn({ ...project, extraVars }, state, verb, { name: 'back', ...around });
}

/** A platform after a whole upgrade, its agents with it; each agent's configuration was altered since. */
async function upgraded(seed: Partial<ModelSeed> = {}): Promise<PlatformState> {
  const { run, state } = await platform(seed);
  expect(endOf(await run('apply'))).toEqual(['done']);
  edit(state, AGENTS, CONFIG, (text) => `${text}<!-- new -->\n`);
  return state;
}
const agentOn = (state: PlatformState, name: string): readonly unknown[] => {
  const host = hostOf(state, name);
  const { active, runs } = host.services['platform-agent'] ?? {};
  return [host.packages['platform-agent']?.version, active, runs, textAt(host, CONFIG)?.includes('new')];
};
const BACK = ['4.12.0-1', 'active', '4.12.0-1', false];
const NEW = ['4.14.7-1', 'active', '4.14.7-1', true];
const registered = (state: PlatformState): readonly (string | null)[] => [
  ...new Set(state.management.agents.map(({ version, status }) => `${version ?? ''} ${status}`)),
];
/** Hosts that something was done on. */
const touched = (ran: Ran): readonly string[] =>
  [...new Set(actsOf(ran).map(({ host }) => host))].filter((h) => h !== '').sort();
const clean = (state: PlatformState): void => {
  for (const name of Object.keys(state.repository)) state.repository[name] = [];
  for (const { files } of Object.values(state.hosts))
    for (const path of Object.keys(files))
      if (/^\/var\/cache\/.*\.(?:deb|rpm)$/.test(path)) Reflect.deleteProperty(files, path);
};

describe('agents that an upgrade brought by their package (§9.9, §9.1.3)', () => {
  test('go back before the servers: stopped, installed, restored, started', async () => {
    const state = await upgraded();
    const order: string[] = [];
    const watching = (real: Actor): Actor => ({
      ...real,
      perform(on, action: Action, context) {
        if ('host' in on && /^(linux|server)/.test(on.host)) {
          const words = action.do === 'run' || action.do === 'job' ? action.command.argv.join(' ') : '';
          const what = / install /.test(words) ? 'install' : /^systemctl (stop|start)/.exec(words)?.[1];
          if (action.do === 'copy' && action.from.includes('before-4.14/4.12.0/var/platform/etc'))
            order.push(`${on.host} restore`);
          else if (what !== undefined) order.push(`${on.host} ${what}`);
        }
        return real.perform(on, action, context);
      },
    });
    const ran = await rollback(state, { actor: watching });
    expect(endOf(ran)).toEqual(['done']);
    for (const name of AGENTS) {
      expect(agentOn(state, name)).toEqual(BACK);
      expect(order.filter((line) => line.startsWith(name))).toEqual(
        ['stop', 'install', 'restore', 'start'].map((what) => `${name} ${what}`),
      );
    }
    expect(order.findLastIndex((line) => line.startsWith('linux'))).toBeLessThan(
      order.findIndex((line) => line.startsWith('server')),
    );
    expect(registered(state)).toEqual(['4.12.0 active']);
    expect(touched(await rollback(state, { name: 'again' }))).toEqual([]);
  });

  test('a plan of it is refused by nothing', async () => {
    expect(endOf(await rollback(await upgraded(), {}, { verb: 'plan' }))).toEqual(['done']);
  });

  test('each to the version that it had, from what the upgrade kept', async () => {
    const state = await upgraded({ at: { 'linux-2': '4.9.2' }, rpmHosts: ['linux-2'] });
    clean(state);
    expect(endOf(await rollback(state))).toEqual(['done']);
    expect(agentOn(state, 'linux-1')).toEqual(BACK);
    expect(agentOn(state, 'linux-2')).toEqual(['4.9.2-1', 'active', '4.9.2-1', false]);
  });

  test('go back with the servers alone, too', async () => {
    const state = await upgraded();
    expect(endOf(await rollback(state, { answer: 'yes' }, { playbook: 'rollback-dashboard.yaml' }))).toEqual(['done']);
    expect(agentOn(state, 'linux-1')).toEqual(NEW);
    expect(endOf(await rollback(state, { answer: 'yes', name: 'two' }, { playbook: 'rollback-server.yaml' }))).toEqual([
      'done',
    ]);
    expect(agentOn(state, 'linux-1')).toEqual(BACK);
  });

  test('are left alone where the upgrade did not reach them', async () => {
    const { run, state } = await platform();
    let stop = false;
    await run('apply', {
      stopping: () => stop,
      on: ({ event }) => {
        stop ||= event.e === 'play-ended' && event.play.includes('Upgrade each dashboard');
      },
    });
    const ran = await rollback(state, { answer: 'yes' });
    expect(endOf(ran)).toEqual(['done']);
    expect(actsOf(ran).filter(({ host, name }) => host.startsWith('linux') && name !== 'Unlock the packages')).toEqual(
      [],
    );
  });

  test('keep their own key', async () => {
    const state = await upgraded();
    const keys = '/var/platform/etc/client.keys';
    for (const name of AGENTS)
      putFile(hostOf(state, name), keys, { text: '007 enrolled-again any 00ff\n' }, state.nowMs);
    expect((await rollback(state)).end).toBe('done');
    expect(textAt(hostOf(state, 'linux-1'), keys)).toContain('enrolled-again');
  });

  test.each([3, 6, 9, 12])('the controller dies at effect %d: a resume ends with all of it done', async (nth) => {
    const state = await upgraded();
    const cut = await rollback(state, { actor: crashingAt(nth, 'after') });
    const ran = await rollback(state, { past: cut.recorded }, { verb: 'resume' });
    expect([cut.end, ran.end]).toEqual(['interrupted', 'done']);
    for (const name of AGENTS) expect(agentOn(state, name)).toEqual(BACK);
  });
});

describe('an agent that cannot go back stops the rollback of the servers', () => {
  const central = (state: PlatformState): readonly unknown[] =>
    Object.values(state.hosts).flatMap((h) =>
      h.roles.includes('agent') ? [] : [JSON.stringify([h.packages, h.services])],
    );

  test('its host cannot be reached: the others go back, no central service stops, and a resume goes on', async () => {
    const state = await upgraded();
    const before = central(state);
    state.faults.push({ fault: 'unreachable', host: 'linux-1' });
    const ran = await rollback(state);
    expect(ran.end).toBe('failed');
    expect(endOf(ran).join('\n')).toMatch(/newer than 4\.12\.0: 001 linux-1/);
    expect([central(state), agentOn(state, 'linux-1'), agentOn(state, 'linux-2')]).toEqual([before, NEW, BACK]);
    state.faults.length = 0;
    expect((await rollback(state, { past: ran.recorded }, { verb: 'resume' })).end).toBe('done');
    expect(agentOn(state, 'linux-1')).toEqual(BACK);
  });

  test('its old package is nowhere: it keeps running, and no central service stops', async () => {
    const state = await upgraded();
    clean(state);
    for (const path of Object.keys(hostOf(state, 'linux-1').files))
      if (path.endsWith('.deb')) Reflect.deleteProperty(hostOf(state, 'linux-1').files, path);
    const before = central(state);
    const ran = await rollback(state);
    expect(endOf(ran).join('\n')).toMatch(/no enabled repository offers platform-agent 4\.12\.0-1/);
    expect([ran.end, central(state), agentOn(state, 'linux-1')]).toEqual(['failed', before, NEW]);
  });

  test('only the management API knows it: refused before any change, with what to type', async () => {
    const state = await upgraded({ remoteAgents: [{ name: 'far', version: '4.12.0' }] });
    const ran = await rollback(state);
    expect([ran.end, touched(ran)]).toEqual(['refused', []]);
    expect(endOf(ran).join('\n')).toMatch(
      /1 agent newer than 4\.12\.0: 003 far \(.*4\.14\.7\).*apt-get install --allow-downgrades 'platform-agent=4\.12\.0-\*'.*newer_agents=warning/,
    );
    const without = await rollback(state, { name: 'without' }, { vars: { newer_agents: 'warning' } });
    expect(endOf(without)).toEqual(['done']);
    expect(warningsOf(without).join('\n')).toMatch(/newer than 4\.12\.0: 003 far/);
    for (const name of AGENTS) expect(agentOn(state, name)).toEqual(BACK);
    expect(state.management.version).toBe('4.12.0');
  });
});
