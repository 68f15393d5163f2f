import type { Project } from '../../../engine/language/project.js';
import type { ModelSeed } from '../../../engine/platforms/security-monitoring/simulator/create.js';
import { putFile } from '../../../engine/simulator/files.js';
import {
  MACOS_AGENT,
  WINDOWS_AGENT,
  WINDOWS_BUSY,
} from '../../../engine/platforms/security-monitoring/simulator/programs/installers.js';
import type { Host } from '../../../engine/terms/inventory.js';
import {
  actsLike,
  deepEqual,
  done,
  equal,
  hostOf,
  match,
  ok,
  pointsOfNoReturn,
  refused,
  stopped,
  textOf,
} from '../look.js';
import { remove } from '../ours.js';
import { slow, slowReader } from '../slow.js';
import { scenario, whole, type Scenario } from '../scenario.js';
import type { Platform, Stage } from '../stage.js';
import { killedAtEach } from './killed.js';

/** The demo's platform, its central components at the target but for `at`, with a second dashboard and two hosts whose agents are at 4.12.0. */
function platform(
  stage: Stage,
  role: string,
  at: Readonly<Record<string, string>> = {},
  seed: Partial<ModelSeed> = {},
): Promise<Platform> {
  const one: Host = {
    name: 'pc',
    address: '10.0.0.99',
    roles: [role],
    groups: [],
    vars: {},
    machine: 'model',
    ssh: {},
  };
  const two: Host = { ...one, name: 'pc-2', address: '10.0.0.98' };
  const dashboard: Host = { ...one, name: 'dashboard-2', address: '10.0.0.32', roles: ['dashboard'] };
  const change = (project: Project): Project => ({
    ...project,
    inventory: { ...project.inventory, hosts: [...project.inventory.hosts, dashboard, one, two] },
  });
  return stage.platform({ from: '4.14.7', at: { pc: '4.12.0', 'pc-2': '4.12.0', ...at }, ...seed }, change);
}

const SYSTEMS = [
  ['Windows', 'agents-windows.yaml', 'windows_agent', WINDOWS_AGENT],
  ['macOS', 'agents-macos.yaml', 'macos_agent', MACOS_AGENT],
] as const;
/** On macOS, where the directory `etc` has it, also below a backup. */
const configOf = (home: string): string => `${home}${home.startsWith('/C:') ? '' : '/etc'}/platform.conf`;
const backupOf = (home: string): string =>
  home === MACOS_AGENT
    ? '/var/backups/runbook/before-4.14/of-4.12.0'
    : '/C:/Program Files (x86)/runbook/before-4.14/of-4.12.0';

export const installers: readonly Scenario[] = SYSTEMS.flatMap(([name, playbook, role, home]) => [
  whole(
    `${name} agents: the installer over what is there, the configuration kept, and nothing the second time`,
    async (stage) => {
      const p = await platform(stage, role);
      const before = textOf(p.state, 'pc', configOf(home));
      const ran = await p.run(playbook, { actor: slow, reader: slowReader });
      done(ran);
      deepEqual(pointsOfNoReturn(ran), [`Upgrade ${name} agents`]);
      // The central components are looked at once, not by each of a thousand hosts.
      equal(ran.events.filter((e) => e.e === 'settled' && /^Central components/.test(e.name)).length, 1);
      for (const host of ['pc', 'pc-2']) {
        equal(textOf(p.state, host, `${home}/VERSION`), 'v4.14.7\n');
        equal(textOf(p.state, host, configOf(home)), before);
        if (name === 'macOS') equal(textOf(p.state, host, `${home}/running`), 'v4.14.7\n');
        const kept = backupOf(home);
        equal(hostOf(p.state, host).files[kept]?.mode, '0700');
        for (const path of ['client.keys', 'platform.conf', 'shared/agent.conf'])
          ok(textOf(p.state, host, configOf(kept).replace('platform.conf', path)) !== undefined, path);
        equal(textOf(p.state, host, `${kept}/active-response/bin/ours`), 'ours\n');
      }
      if (name === 'Windows') match(textOf(p.state, 'pc', '/C:/Windows/Temp/agent-4.14.7.log') ?? '', /is returning 0/);
      // An upgraded host does not need the installer again.
      for (const host of ['pc', 'pc-2']) remove(p.state, host, /\.(msi|pkg)$/);
      deepEqual([ran.warned, (await p.run(playbook, { name: 'again' })).acts], ['', []]);
    },
  ),
  scenario(`${name} agents: a run that is to stop completes the agent at hand, and begins no other`, async (stage) => {
    const p = await platform(stage, role);
    let begun = false;
    const ran = await p.run(playbook, {
      options: { forks: 1 },
      stopAtSafePoint: () => begun,
      before: (act) => {
        begun ||= /^pc: .*(mkdir|install -d)/.test(act);
      },
    });
    equal(ran.end, 'interrupted');
    equal(textOf(p.state, 'pc', `${home}/VERSION`), 'v4.14.7\n');
    deepEqual(
      ran.acts.filter((act) => act.startsWith('pc-2: ')),
      [],
    );
    if (name === 'macOS') equal(textOf(p.state, 'pc', `${home}/running`), 'v4.14.7\n');
    done(await p.run(playbook, { verb: 'resume', past: ran.recorded }));
  }),
  scenario(`${name} agents: neither one at the target nor one whose backup is there is backed up`, async (stage) => {
    const p = await platform(stage, role, { pc: '4.14.7' });
    const kept = configOf(backupOf(home));
    putFile(hostOf(p.state, 'pc-2'), backupOf(home), { type: 'directory', mode: '0700' }, 1);
    putFile(hostOf(p.state, 'pc-2'), kept, { text: 'of the first run' }, 1);
    const ran = await p.run(playbook);
    done(ran);
    equal(textOf(p.state, 'pc-2', `${home}/VERSION`), 'v4.14.7\n');
    equal(textOf(p.state, 'pc-2', kept), 'of the first run');
    deepEqual(actsLike(ran, /before-4\.14/), []);
  }),
  scenario(`${name} agents: never beside a central component of another version`, async (stage) => {
    for (const host of ['indexer-2', 'server-2', 'dashboard-2'])
      refused(
        await (await platform(stage, role, { [host]: '4.13.1' })).run(playbook),
        /agents come after all central components/,
      );
  }),
  scenario(
    `${name} agents: another file instead of the installer is refused, and one failed host stops no other`,
    async (stage) => {
      const p = await platform(stage, role);
      putFile(p.state.hosts['pc-2'] as never, '/System/arch', { text: 'x86_64\n' }, p.state.nowMs);
      for (const path of Object.keys(p.state.downloads).filter((one) =>
        new RegExp(`${role.replace('_agent', '')}.*(msi|pkg)$`).test(one),
      )) {
        const other = p.clone();
        other.state.faults.push({
          fault: 'download',
          path,
          status: 200,
          body: 'PK an archive',
          contentType: 'application/zip',
        });
        stopped(await other.run(playbook), /does not start/);
      }
      const failing = await platform(stage, role);
      const program = name === 'Windows' ? 'msiexec' : 'installer';
      failing.state.faults.push({ fault: 'program', host: 'pc', program, exit: 1, stdout: '' });
      equal((await failing.run(playbook, { options: { forks: 1 } })).end, 'failed');
      equal(textOf(failing.state, 'pc-2', `${home}/VERSION`), 'v4.14.7\n');
      const q = await platform(stage, role);
      q.state.faults.push({ fault: 'unreachable', host: 'pc' });
      equal((await q.run(playbook)).end, 'unreachable');
      equal(textOf(q.state, 'pc-2', `${home}/VERSION`), 'v4.14.7\n');
    },
  ),
  scenario(
    `${name} agents: the upgrade reports those that the API does not upgrade, with their playbook, and contacts none`,
    async (stage) => {
      const remoteAgents = [{ name: 'pc', version: '4.12.0' }];
      const p = await platform(stage, role, {}, { remoteAgents });
      for (const host of ['pc', 'pc-2']) p.state.faults.push({ fault: 'unreachable', host });
      const ran = await p.run('agents.yaml');
      done(ran);
      equal(p.state.management.agents.find((a) => a.name === 'pc')?.version, '4.14.7');
      const told = `does not upgrade 1 of 2 ${name} hosts: pc-2 \\(not registered\\).*runbook apply ${playbook}`;
      match(ran.warned, new RegExp(told));
      match((await p.plan('agents.yaml', { name: 'again' })).warned, new RegExp(told));
      const none = await (await stage.platform({ from: '4.14.7', remoteAgents })).run('agents.yaml');
      deepEqual([none.end, /does not upgrade/.test(none.warned)], ['done', false]);
      const all = await platform(
        stage,
        role,
        {},
        { remoteAgents: [...remoteAgents, { name: 'pc-2', version: '4.14.7' }] },
      );
      equal(/does not upgrade/.test((await all.run('agents.yaml')).warned), false);
    },
  ),
  scenario(
    `${name} agents: an installer that alters the configuration, or leaves the version, is reported`,
    async (stage) => {
      const p = await platform(stage, role);
      const changed = await p.run(playbook, {
        before: (act, state) => {
          if (/pc: .*(msiexec|installer -pkg)/.test(act))
            putFile(state.hosts['pc'] as never, configOf(home), { text: 'altered' }, 1);
        },
      });
      stopped(changed, /the installer changed the agent's configuration/);
      const q = await platform(stage, role);
      const program = name === 'Windows' ? 'msiexec' : 'installer';
      q.state.faults.push({ fault: 'program', host: 'pc', program, exit: 0, stdout: '' });
      match((await q.run(playbook)).why, /ended well, but what `unless` asks is still not so/);
    },
  ),
]).concat([
  scenario('Windows agents: 3010 is a success, and the restart that it asks for is reported', async (stage) => {
    const p = await platform(stage, 'windows_agent');
    putFile(p.state.hosts['pc'] as never, WINDOWS_BUSY, { text: '' }, p.state.nowMs);
    const ran = await p.run('agents-windows.yaml');
    done(ran);
    match(ran.warned, /Windows wants a restart \(3010\)/);
  }),
  scenario('Windows agents: a run that was killed while an agent was backed up goes on by itself', async (stage) => {
    const p = await platform(stage, 'windows_agent');
    await killedAtEach(p, 'agents-windows.yaml', [/pc: .*mkdir/, /pc: .*robocopy/, /pc: .*move/]);
    equal(textOf(p.state, 'pc', `${backupOf(WINDOWS_AGENT)}/active-response/bin/ours`), 'ours\n');
  }),
  scenario(
    'macOS agents: a run that was killed while an agent was backed up or restarted goes on by itself',
    async (stage) => {
      const p = await platform(stage, 'macos_agent');
      await killedAtEach(p, 'agents-macos.yaml', [/pc: .*ditto/, /pc: .*mv/, /pc: .*platform-control restart/]);
      equal(textOf(p.state, 'pc', `${MACOS_AGENT}/running`), 'v4.14.7\n');
    },
  ),
  scenario('macOS agents: each gets the package of its own architecture', async (stage) => {
    const p = await platform(stage, 'macos_agent');
    putFile(p.state.hosts['pc'] as never, '/System/arch', { text: 'x86_64\n' }, p.state.nowMs);
    done(await p.run('agents-macos.yaml'));
    for (const [host, architecture] of [
      ['pc', 'intel64'],
      ['pc-2', 'arm64'],
    ] as const)
      match(textOf(p.state, host, '/tmp/agent-4.14.7-1.pkg') ?? '', new RegExp(` ${architecture}$`));
    equal(textOf(p.state, 'pc', `${MACOS_AGENT}/running`), 'v4.14.7\n');
  }),
]);
