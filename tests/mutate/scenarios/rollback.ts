import { addDocument, createIndex } from '../../../engine/platforms/security-monitoring/simulator/documents.js';
import { putFile } from '../../../engine/simulator/files.js';
import { advance, stopService } from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import type { HostState, PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import {
  actsLike,
  allocation,
  deepEqual,
  done,
  doesNotMatch,
  down,
  equal,
  hostOf,
  hostsOf,
  inOrder,
  match,
  notRestored,
  ok,
  refused,
  stopped,
  textOf,
  unitOf,
} from '../look.js';
import { alerts } from '../../playbooks/alerts.js';
import { edit, outputRefusedOnce, stoppedAfter, upgraded, withAgents } from '../ours.js';
import { about, scenario, whole, type Scenario } from '../scenario.js';
import { slow, slowReader } from '../slow.js';
import type { Options, Platform, Stage, Told } from '../stage.js';
import { held, repositoriesOff } from './prepare.js';

export const WHOLE = 'rollback.yaml';
export const MIDNIGHT = Date.parse('2026-11-22T00:01:00Z');
const TOMORROW = 'platform-alerts-4.x-2026.11.22';
const OLD = { indexer: '4.12.0-1', manager: '4.12.0-1', dashboard: '4.12.0-1', shipper: '7.10.2-1' };
export const to = (more: Options = {}): Options => ({
  name: 'back',
  answer: 'yes',
  ...more,
  vars: { rollback_to: '4.12.0', rollback_packages: OLD, ...more.vars },
});
export const central = (state: PlatformState): readonly string[] =>
  [
    ...new Set(
      Object.values(state.hosts).flatMap((h) =>
        h.roles.includes('agent') ? [] : Object.entries(h.packages).map(([n, p]) => `${n} ${p.version}`),
      ),
    ),
  ].sort();
export const BEFORE = [
  'filebeat 7.10.2-1',
  'platform-dashboard 4.12.0-1',
  'platform-indexer 4.12.0-1',
  'platform-manager 4.12.0-1',
];
const CONFIGS = [
  ['indexer-2', '/etc/platform-indexer/jvm.options'],
  ['server-1', '/var/platform/etc/platform.conf'],
  ['server-2', '/etc/filebeat/platform-template.json'],
  ['dashboard-1', '/etc/platform-dashboard/dashboard.yml'],
] as const;

/** The platform is what it was before the upgrade, and runs. */
export function isBack(state: PlatformState): void {
  deepEqual(central(state), BEFORE);
  deepEqual([allocation(state), state.cluster.transient, down(state)], ['all', {}, []]);
  deepEqual(
    Object.values(state.cluster.nodes).map((n) => `${String(n.joined)} ${n.version}`),
    Object.keys(state.cluster.nodes).map(() => 'true 2.19.1'),
  );
  for (const host of Object.values(state.hosts)) {
    if (host.roles.includes('agent')) continue;
    for (const [unit, { enabled, needsReload, runs }] of Object.entries(host.services))
      deepEqual([unit, enabled, needsReload, runs], [unit, true, false, unit === 'filebeat' ? '7.10.2-1' : '4.12.0-1']);
  }
  doesNotMatch(textOf(state, 'server-1', '/var/platform/etc/platform.conf') ?? '', /malicious-ioc/);
  match(textOf(state, 'indexer-1', '/etc/platform-indexer/jvm.options') ?? '', /-Xms8g[\s\S]*-Dours\.region=eu/);
  doesNotMatch(textOf(state, 'indexer-1', '/etc/platform-indexer/jvm.options') ?? '', /incubator/);
  if (hostOf(state, 'server-1').files['/usr/share/filebeat/module/platform/module.yml'] !== undefined)
    match(JSON.stringify(state.cluster.pipelines), /module 0\.4/);
  match(JSON.stringify(state.cluster.templates), /4\.12\.0/);
  repositoriesOff(state);
  deepEqual(held(state), []);
}

/** As an operator might find it: nothing enabled, unit files edited, and the configurations altered since the upgrade. */
export function used(p: Platform): void {
  for (const host of Object.values(p.state.hosts))
    for (const unit of Object.values(host.services)) {
      unit.enabled = host.roles.includes('agent');
      unit.needsReload = true;
    }
  for (const [host, path] of CONFIGS)
    putFile(hostOf(p.state, host), path, { text: `${textOf(p.state, host, path) ?? ''}\n` }, p.state.nowMs);
}

/** Hosts of RPMs that were asked for their index while they might still have an old one. */
const missing =
  (ran: Told) =>
  ({ name, family }: HostState): readonly string[] => {
    const acts = actsLike(ran, new RegExp(`^${name}: .*(expire-cache|makecache)`));
    return family === 'deb' || /expire-cache.*makecache/.test(acts.join(' ')) ? [] : [name];
  };

const refusing = (
  name: string,
  alter: (p: Platform) => void,
  why: RegExp,
  options: Options = {},
  playbook = WHOLE,
): Scenario =>
  scenario(`rollback: ${name} is refused before the first change`, async (stage) => {
    const p = await upgraded(stage);
    alter(p);
    const ran = await p.run(playbook, to(options));
    refused(ran, why);
    // Each reason once, not by every host.
    const reasons = ran.why.split('\n');
    equal(new Set(reasons).size, reasons.length);
  });
const nothing = (): void => undefined;
const newer =
  (role: string, name: string) =>
  ({ state }: Platform): void => {
    for (const host of hostsOf(state, role)) Object.assign(host.packages[name] ?? {}, { version: '4.12.0-1' });
  };

export const PREVIOUS = '/var/backups/runbook/before-4.14/previous-version-of-agent';
const AGENT = '/var/platform/etc/platform.conf';
const AGENTS = ['linux-1', 'linux-2'];
/** The agents went back, run, and nothing more is known of their upgrade. */
export function agentsAreBack(state: PlatformState): void {
  for (const name of AGENTS) {
    const host = hostOf(state, name);
    const unit = unitOf(state, name, 'platform-agent');
    deepEqual(
      [host.packages['platform-agent']?.version, unit.active, unit.runs, unit.needsReload, PREVIOUS in host.files],
      ['4.12.0-1', 'active', '4.12.0-1', false, false],
    );
    doesNotMatch(textOf(state, name, AGENT) ?? '', /newer/);
  }
}
/** An upgrade with its agents, whose configurations were altered since. */
export async function newAgents(stage: Stage, seed: Parameters<typeof withAgents>[1] = {}): Promise<Platform> {
  const p = (await withAgents(stage, seed)).clone();
  for (const name of AGENTS) {
    edit(p.state, name, AGENT, (text) => `${text}<!-- newer -->\n`);
    unitOf(p.state, name, 'platform-agent').needsReload = true;
  }
  return p;
}
/** Old packages that neither an upgrade nor a package manager kept. */
export const nowhere = (state: PlatformState, hosts: readonly string[], like = /platform-agent/): void => {
  for (const name of hosts)
    for (const path of Object.keys(hostOf(state, name).files))
      if (like.test(path) && /\.(deb|rpm)(\.sha256)?$/.test(path))
        Reflect.deleteProperty(hostOf(state, name).files, path);
};

/** A repository of others in the same file. */
const others = (rpm: boolean): string =>
  rpm
    ? '\n[others]\nname=Others\nbaseurl=https://others.example.com/yum/\nenabled=0\n'
    : '#deb https://others.example.com/apt stable main\n';
/** An older system, which has yum and no dnf. */
function onlyYum(state: PlatformState, name: string): void {
  const { files } = hostOf(state, name);
  Reflect.deleteProperty(files, '/usr/bin/dnf');
  putFile(hostOf(state, name), '/usr/bin/yum', { text: '' }, 1);
}

const agentScenarios: readonly Scenario[] = [
  scenario(
    'rollback: agents of the inventory go back before anything else, with their configurations',
    async (stage) => {
      for (const rpmHosts of [[], AGENTS]) {
        const p = await newAgents(stage, { rpmHosts });
        for (const name of Object.keys(p.state.repository)) p.state.repository[name] = [];
        const ran = await p.run(
          WHOLE,
          to({
            before: (act, state) => {
              if (/^linux.* (install|downgrade) /.test(act))
                ok(down(state).includes(`platform-agent on ${act.slice(0, 7)}`), 'the agent runs');
            },
          }),
        );
        done(ran);
        isBack(p.state);
        agentsAreBack(p.state);
        inOrder(ran, /^linux-1: .* (install|downgrade) /, /^(dashboard|server|indexer)-\d: systemctl stop/);
        for (const name of AGENTS)
          match(textOf(p.state, name, `/var/backups/runbook/before-4.14/left-behind${AGENT}`) ?? '', /newer/);
        deepEqual(actsLike(ran, /^linux.*(apt-get update|makecache)/), []);
        const again = await p.run(WHOLE, to({ name: 'again' }));
        deepEqual([again.end, again.acts], ['done', []]);
      }
    },
  ),
  ...[false, true].map((rpm) =>
    scenario(
      `rollback: an agent package that was not kept comes from the repository (${rpm ? 'RPM' : 'DEB'})`,
      async (stage) => {
        const p = await newAgents(stage, rpm ? { rpmHosts: AGENTS } : {});
        nowhere(p.state, AGENTS);
        const list = rpm ? '/etc/yum.repos.d/platform.repo' : '/etc/apt/sources.list.d/platform.list';
        edit(p.state, 'linux-1', list, (text) => text + others(rpm));
        if (rpm) onlyYum(p.state, 'linux-2');
        const seen: (string | undefined)[] = [];
        const ran = await p.run(
          WHOLE,
          to({
            before: (act, state) => {
              if (/^linux-1: .*download-?only/.test(act)) seen.push(textOf(state, 'linux-1', list));
            },
          }),
        );
        done(ran);
        // Of other repositories none is enabled or disabled.
        match(seen.join(''), /^(deb .*|enabled=1)$/m);
        for (const text of [...seen, textOf(p.state, 'linux-1', list)]) ok(text?.endsWith(others(rpm)), text);
        deepEqual(
          AGENTS.flatMap((name) => missing(ran)(hostOf(p.state, name))),
          [],
        );
        // Fetched while the agent runs.
        inOrder(
          { ...ran, acts: actsLike(ran, /^linux-1: .*(apt-get update|makecache|download-?only|stop platform-agent)/) },
          /apt-get update|makecache/,
          /download-?only/,
          /stop platform-agent/,
        );
        agentsAreBack(p.state);
        repositoriesOff(p.state);
      },
    ),
  ),
  ...(
    [
      [
        'has no package to go back to',
        (p) => (nowhere(p.state, ['linux-1']), (p.state.repository['platform-agent'] = ['4.14.7-1'])),
        /no enabled repository offers platform-agent/,
      ],
      [
        'has no backup',
        (p) =>
          Reflect.deleteProperty(hostOf(p.state, 'linux-1').files, `/var/backups/runbook/before-4.14/4.12.0${AGENT}`),
        /holds no \/var\/platform\/etc/,
      ],
      [
        'does not report its version',
        (p) => p.state.faults.push({ fault: 'unreachable', host: 'linux-1' }),
        /newer than 4\.12\.0: 001 linux-1/,
      ],
      [
        'came from a newer version',
        (p) => putFile(hostOf(p.state, 'linux-1'), PREVIOUS, { text: '4.13.0-1' }, 1),
        /previous version 4\.13\.0-1 is newer than/,
      ],
    ] as readonly (readonly [string, (p: Platform) => unknown, RegExp])[]
  ).map(([what, alter, why]) =>
    scenario(`rollback: an agent that ${what} keeps running, and the servers stay as they are`, async (stage) => {
      const p = await newAgents(stage);
      alter(p);
      const versions = central(p.state);
      const ran = await p.run(WHOLE, to());
      stopped(ran, why);
      deepEqual(
        [central(p.state), down(p.state), actsLike(ran, /^(dashboard|server|indexer)-\d: systemctl/)],
        [versions, [], []],
      );
      equal(unitOf(p.state, 'linux-1', 'platform-agent').runs, '4.14.7-1');
      equal(unitOf(p.state, 'linux-2', 'platform-agent').runs, '4.12.0-1');
      repositoriesOff(p.state);
    }),
  ),
  scenario('rollback: agents newer than the servers may stay, once that is said', async (stage) => {
    const p = await newAgents(stage, { remoteAgents: [{ name: 'far', version: '4.12.0' }] });
    Reflect.deleteProperty(hostOf(p.state, 'linux-1').files, PREVIOUS);
    const ran = await p.run(WHOLE, to({ vars: { newer_agents: 'warning' } }));
    done(ran);
    isBack(p.state);
    match(ran.warned, /1 agent newer than 4\.12\.0: 003 far/);
    match(ran.warned, /no upgrade has recorded its previous version/);
    equal(unitOf(p.state, 'linux-1', 'platform-agent').runs, '4.14.7-1');
  }),
  scenario('rollback: the servers alone take their agents with them; a dashboard takes none', async (stage) => {
    const p = await newAgents(stage);
    done(await p.run('rollback-dashboard.yaml', to({ name: 'dashboard' })));
    equal(unitOf(p.state, 'linux-1', 'platform-agent').runs, '4.14.7-1');
    done(await p.run('rollback-server.yaml', to({ name: 'server' })));
    agentsAreBack(p.state);
  }),
  scenario('rollback: an upgrade that ended before its agents leaves them alone', async (stage) => {
    const p = await stoppedAfter(stage, 2);
    const ran = await p.run(WHOLE, to());
    done(ran);
    deepEqual(actsLike(ran, /^linux.*(systemctl|install)/), []);
  }),
];

/** An upgraded platform whose next day has its index already: by an older engine, for one that the newer creates would end the rollback. */
async function beforeMidnight(stage: Stage): Promise<Platform> {
  const p = await upgraded(stage);
  createIndex(p.state, TOMORROW, { shards: 1, replicas: 1 });
  const { createdVersion } = Object.values(p.state.cluster.indices)[0] ?? {};
  Object.assign(p.state.cluster.indices[TOMORROW] ?? {}, { createdVersion });
  return p;
}
/** The log is rotated once a manager is started. */
const midnight: NonNullable<Options['on']> = ({ event }, state) => {
  if (event.e === 'settled' && event.name === 'Start the manager') advance(state, MIDNIGHT);
};

export const rollback: readonly Scenario[] = [
  whole(
    'rollback: dashboards, servers and indexers go back in this order, with their configurations, data and services',
    async (stage) => {
      const p = await upgraded(stage);
      used(p);
      const documents = Object.values(p.state.cluster.indices).flatMap((i) => Object.keys(i.documents));
      const { elected } = p.state.cluster;
      const left = CONFIGS.map(([host, path]) => textOf(p.state, host, path));
      const keys = '/var/platform/etc/client.keys';
      putFile(
        hostOf(p.state, 'server-1'),
        keys,
        { text: `${textOf(p.state, 'server-1', keys) ?? ''}900 new any 00ff\n` },
        p.state.nowMs,
      );
      p.state.cluster.transient['cluster.routing.allocation.enable'] = 'all';
      const during: string[] = [];
      const ran = await p.run(
        WHOLE,
        to({
          before: (act, state) => {
            if (/: systemctl stop platform-indexer$/.test(act))
              during.push([allocation(state), ...Object.keys(state.cluster.transient), ...down(state)].join(' '));
            const installed = / install .*(platform-(?:manager|dashboard|indexer)|filebeat)/.exec(act)?.[1] ?? '';
            if (installed !== '')
              ok(down(state).includes(`${installed} on ${act.slice(0, act.indexOf(':'))}`), `${installed} runs`);
          },
        }),
      );
      done(ran);
      isBack(p.state);
      equal(ran.asked.split('\n').filter((question) => question.includes('override-version')).length, 1);
      const installs = actsLike(ran, / install /).map(
        (act) => /platform-[a-z]+|filebeat/.exec(act.replace(/^\S+ /, ''))?.[0],
      );
      deepEqual([...new Set(installs)], ['platform-dashboard', 'platform-manager', 'filebeat', 'platform-indexer']);
      deepEqual(
        actsLike(ran, /: systemctl stop platform-indexer$/)
          .map((act) => act.slice(0, 9))
          .at(-1),
        elected,
      );
      deepEqual(
        during,
        Array.from(
          { length: 3 },
          () => 'primaries filebeat on server-1 filebeat on server-2 platform-dashboard on dashboard-1',
        ),
      );
      inOrder(
        { ...ran, acts: actsLike(ran, /primaries|_flush|stop platform-indexer$|"all"/) },
        /primaries/,
        /_flush/,
        /stop platform-indexer/,
        /"all"/,
      );
      deepEqual(
        CONFIGS.map(([host, path]) => textOf(p.state, host, `/var/backups/runbook/before-4.14/left-behind${path}`)),
        left,
      );
      match(textOf(p.state, 'server-1', keys) ?? '', /900 new any/);
      match(ran.warned, /client\.keys is left as it is/);
      const found = Object.values(p.state.cluster.indices).flatMap((i) => Object.keys(i.documents));
      deepEqual(
        documents.filter((id) => !found.includes(id)),
        [],
      );
      equal(p.state.management.version, '4.12.0');
      for (const asked of [/_cluster\/settings .*"primaries"/, /_flush/, /_cluster\/settings .*"all"/])
        equal(actsLike(ran, asked).length, 1, `${String(asked)}: the cluster is asked once`);
      inOrder(ran, /server-2: .*install .*platform-manager/, /server-1: .*install .*platform-manager/);
      for (const name of ['server-1', 'server-2'])
        inOrder(
          { ...ran, acts: actsLike(ran, new RegExp(`^${name}: `)) },
          /install .*filebeat/,
          /setup --pipelines/,
          /setup --index-management -E setup\.template\.overwrite=true/,
          /test output/,
        );
      const again = await p.run(WHOLE, to({ name: 'again' }));
      deepEqual([again.end, again.acts], ['done', []]);
    },
  ),
  scenario('rollback: on RPM hosts too, with repositories gone and caches cleaned', async (stage) => {
    const p = await upgraded(stage, { rpmHosts: ['indexer-2', 'server-1', 'dashboard-1'] });
    used(p);
    for (const name of Object.keys(p.state.repository)) p.state.repository[name] = [];
    for (const host of Object.values(p.state.hosts))
      for (const path of Object.keys(host.files))
        if (/^\/var\/cache\/.*\.(deb|rpm)$/.test(path)) Reflect.deleteProperty(host.files, path);
    const ran = await p.run(WHOLE, to({ actor: slow, reader: slowReader }));
    done(ran);
    isBack(p.state);
    deepEqual(actsLike(ran, /apt-get update|makecache/), []);
  }),
  ...(
    [
      ['indexer', 'indexer'],
      ['server', 'manager'],
      ['server', 'filebeat'],
      ['dashboard', 'dashboard'],
    ] as const
  ).flatMap(([role, name]) =>
    [false, true].map((rpm) =>
      scenario(
        `rollback: a ${name} that was not archived comes from the repository (${rpm ? 'RPM' : 'DEB'})`,
        async (stage) => {
          const p = await upgraded(stage, rpm ? { rpmHosts: ['indexer-2', 'server-1', 'dashboard-1'] } : {});
          if (rpm) onlyYum(p.state, 'server-1');
          for (const host of hostsOf(p.state, role))
            for (const path of Object.keys(host.files))
              if (path.includes(name) && /\.(deb|rpm)(\.sha256)?$/.test(path) && /4\.12\.0|7\.10\.2-1/.test(path))
                Reflect.deleteProperty(host.files, path);
          const ran = await p.run(WHOLE, to());
          done(ran);
          isBack(p.state);
          // Fetched while everything runs.
          inOrder(
            { ...ran, acts: actsLike(ran, /apt-get update|makecache|download-?only|systemctl stop/) },
            /apt-get update|makecache/,
            /download-?only/,
            /systemctl stop/,
          );
          deepEqual(hostsOf(p.state, role).flatMap(missing(ran)), []);
          deepEqual(
            actsLike(ran, /update|makecache/).filter(
              (act) => !hostsOf(p.state, role).some((host) => act.startsWith(`${host.name}:`)),
            ),
            [],
          );
        },
      ),
    ),
  ),
  ...(
    [
      ['indexer-2', 'platform-indexer'],
      ['server-2', 'platform-manager'],
      ['server-2', 'filebeat'],
      ['dashboard-1', 'platform-dashboard'],
    ] as const
  ).map(([host, name]) =>
    refusingAfter(
      `an old ${name} that is nowhere`,
      (p) => {
        p.state.repository[name] = [name === 'filebeat' ? '7.10.2-2' : '4.14.7-1'];
        for (const path of Object.keys(hostOf(p.state, host).files))
          if (path.includes(name) && /\.deb/.test(path)) Reflect.deleteProperty(hostOf(p.state, host).files, path);
      },
      new RegExp(`no enabled repository offers ${name}`),
    ),
  ),
  ...(
    [
      ['indexer-2', '/etc/platform-indexer'],
      ['server-2', '/var/platform/etc'],
      ['server-2', '/etc/filebeat'],
      ['dashboard-1', '/etc/platform-dashboard/dashboard.yml'],
    ] as const
  ).map(([host, path]) =>
    refusingAfter(
      `a ${path} that was not kept`,
      (p) => {
        for (const file of Object.keys(hostOf(p.state, host).files))
          if (file.startsWith(`/var/backups/runbook/before-4.14/4.12.0${path}`))
            Reflect.deleteProperty(hostOf(p.state, host).files, file);
      },
      /backup|kept|before-4\.14/,
    ),
  ),
  refusing('no version to go back to', nothing, /must have three numbers, .+; given is ""/, {
    vars: { rollback_to: '', rollback_packages: { indexer: '', manager: '', dashboard: '', shipper: '' } },
  }),
  refusing('a version below the floor', nothing, /downgrade to 4\.11 or earlier is impossible/, {
    vars: {
      rollback_to: '4.11.9',
      rollback_packages: { indexer: '4.11.9', manager: '4.11.9', dashboard: '4.11.9', shipper: '' },
    },
  }),
  ...(['indexer', 'manager', 'dashboard'] as const).map((one) =>
    refusing(`an upgrade that came from several versions (${one})`, nothing, /came from several versions/, {
      vars: { rollback_packages: { ...OLD, [one]: '4.13.1-1' } },
    }),
  ),
  ...(
    [
      ['indexer', 'indexer-2', 'platform-indexer'],
      ['manager', 'server-2', 'platform-manager'],
      ['dashboard', 'dashboard-1', 'platform-dashboard'],
    ] as const
  ).map(([what, host, name]) =>
    refusing(
      `a ${what} that is older than that`,
      ({ state }) => Object.assign(hostOf(state, host).packages[name] ?? {}, { version: '4.11.0-1' }),
      new RegExp(`a component is older than 4.12.0 .*${host}: .*4.11.0-1`),
    ),
  ),
  refusing(
    'an agent that is newer by its package, with no record of its previous version',
    ({ state }) => {
      Object.assign(hostOf(state, 'linux-2').packages['platform-agent'] ?? {}, { version: '4.14.7-1' });
      Reflect.deleteProperty(hostOf(state, 'linux-2').files, PREVIOUS);
    },
    /the agent is newer than 4\.12\.0, and no upgrade has recorded/,
  ),
  ...agentScenarios,
  refusing(
    'an agent that is newer as the API knows it',
    ({ state }) => {
      const like = state.management.agents.find((a) => a.name === 'linux-1') as object;
      state.management = {
        ...state.management,
        agents: [...state.management.agents, { ...like, id: '900', name: 'far', version: '4.14.7' } as never],
      };
    },
    /newer than 4\.12\.0: .*far/,
  ),
  scenario('rollback: with the manager stopped an operator is asked about agents', async (stage) => {
    const p = await upgraded(stage);
    stopService(p.state, hostOf(p.state, 'server-1'), 'platform-manager');
    const no = await p.run(WHOLE, to({ answer: '', name: 'no' }));
    match(no.asked, /Confirm that no other agents have been upgraded/);
    // No answer is a no.
    match(no.why, /answered "no"/);
    equal(no.end, 'refused');
  }),
  refusing('the newer engine that an operator does not want to override', nothing, /answered "no"/, { answer: 'no' }),
  scenario('rollback: the answer may be given beforehand', async (stage) => {
    const p = await upgraded(stage);
    const ran = await p.run(WHOLE, { ...to({ vars: { override_version: true } }), answer: 'no' });
    done(ran);
    isBack(p.state);
    equal(ran.asked, '');
  }),
  refusing(
    'an index that only the newer engine reads',
    ({ state }) => {
      createIndex(state, 'empty', { shards: 1, replicas: 1 });
      addDocument(state, 'platform-alerts-4.x-2026.11.23', { rule: 1 });
    },
    /1 index was created by a newer engine than 2\.19\.1.*: platform-alerts-4\.x-2026\.11\.23 .*would be lost/,
  ),
  refusing(
    'an empty index of the newer engine that an operator does not want to delete',
    ({ state }) => void createIndex(state, 'empty', { shards: 1, replicas: 1 }),
    /answered "no"/,
    { answer: 'no', vars: { override_version: true } },
  ),
  scenario(
    'rollback: an empty index of the newer engine is deleted once that is confirmed, and no other',
    async (stage) => {
      const p = await upgraded(stage);
      const before = Object.keys(p.state.cluster.indices);
      for (const name of ['empty', 'empty-too']) createIndex(p.state, name, { shards: 2, replicas: 1 });
      const ran = await p.run(WHOLE, to({ vars: { override_version: true }, answer: 'yes' }));
      done(ran);
      isBack(p.state);
      match(ran.asked, /these indices are deleted: empty, empty-too\. The newer engine created them/);
      deepEqual(
        Object.keys(p.state.cluster.indices).filter((name) => !/2026\.11\.2\d$/.test(name)),
        before.filter((name) => !/2026\.11\.2\d$/.test(name)),
      );
      // Before the first node stops, and after what writes has.
      const acts = actsLike(ran, /POST \/_aliases|systemctl stop platform-(indexer|dashboard)|stop filebeat/);
      match(acts.join('\n'), /filebeat[^]*POST \/_aliases[^]*stop platform-indexer/);
      equal(actsLike(ran, /POST \/_aliases/).length, 1);
    },
  ),
  scenario('rollback: the deletion of empty indices may be answered beforehand', async (stage) => {
    const p = await upgraded(stage);
    // Where there is none, no question is asked.
    equal((await p.clone().plan(WHOLE, to({ vars: { override_version: true } }))).asked, '');
    createIndex(p.state, 'empty', { shards: 1, replicas: 1 });
    const ran = await p.run(WHOLE, {
      ...to({ vars: { override_version: true, delete_empty_indices: true } }),
      answer: 'no',
    });
    done(ran);
    equal(ran.asked, '');
    equal(p.state.cluster.indices['empty'], undefined);
  }),
  scenario('rollback: an index that was written after it was found empty is not deleted', async (stage) => {
    const p = await upgraded(stage);
    createIndex(p.state, 'empty', { shards: 1, replicas: 1 });
    const ran = await p.run(
      WHOLE,
      to({
        vars: { override_version: true, delete_empty_indices: true },
        before: (act, state) => {
          if (/^server-1: .* stop .*filebeat/.test(act)) addDocument(state, 'empty', { rule: 1 });
        },
      }),
    );
    stopped(ran, /empty is not empty any more, or cannot be asked: nothing was deleted/);
    ok(p.state.cluster.indices['empty'] !== undefined);
    deepEqual(actsLike(ran, /stop platform-indexer/), []);
  }),
  ...(
    [
      ['does not run', 1, 'could not find java\n', /could not find java/],
      ['knows no override', 0, 'Commands: repurpose\n', /does not say "override-version.*Commands: repurpose/],
    ] as const
  ).map(([what, exit, stdout, why]) =>
    refusing(
      `the engine’s tool that ${what}`,
      ({ state }) =>
        void state.faults.push({ fault: 'program', host: 'indexer-2', program: 'opensearch-node', exit, stdout }),
      why,
    ),
  ),
  refusing(
    'servers alone beside newer dashboards',
    nothing,
    /servers at 4\.12\.0 beside dashboards that are not/,
    {},
    'rollback-server.yaml',
  ),
  refusing(
    'indexers alone beside newer dashboards',
    newer('server', 'platform-manager'),
    /indexers at 4\.12\.0 beside dashboards that are not/,
    {},
    'rollback-indexer.yaml',
  ),
  refusing(
    'indexers alone beside newer servers',
    newer('dashboard', 'platform-dashboard'),
    /indexers at 4\.12\.0 beside servers that are not/,
    {},
    'rollback-indexer.yaml',
  ),
  scenario(
    'rollback: a component alone goes back once the mix that it leaves was agreed to; in serial order all are back',
    async (stage) => {
      const p = await upgraded(stage);
      for (const [component, asks] of [
        ['dashboard', /Dashboards would be at 4\.12\.0/],
        ['server', /Servers would be at 4\.12\.0/],
        ['indexer', /override-version/],
      ] as const) {
        const versions = central(p.state);
        const no = await p.run(`rollback-${component}.yaml`, to({ answer: 'no', name: `no ${component}` }));
        match(no.asked, asks);
        deepEqual(central(p.state), versions);
        done(await p.run(`rollback-${component}.yaml`, to({ name: component })));
      }
      isBack(p.state);
    },
  ),
  scenario(
    'rollback: of an upgrade that stopped after the second indexer, the shippers and dashboards stopped',
    async (stage) => {
      const p = await stoppedAfter(stage, 2);
      const stops = Object.entries(p.state.hosts).map(([, h]) => h.services['platform-manager']?.starts);
      const ran = await p.run(WHOLE, to());
      done(ran);
      isBack(p.state);
      equal(actsLike(ran, /override-version$/).length, 2);
      deepEqual(
        Object.entries(p.state.hosts).map(([, h]) => h.services['platform-manager']?.starts),
        stops,
      );
      const again = await p.run(WHOLE, to({ name: 'again' }));
      deepEqual([again.end, again.acts], ['done', []]);
    },
  ),
  scenario(
    'rollback: a node that never started its new version comes back first, without an override',
    async (stage) => {
      const p = await failedStart(stage);
      const ran = await p.run(WHOLE, to({ answer: 'no' }));
      done(ran);
      isBack(p.state);
      equal(actsLike(ran, /override-version$/).length, 0);
      equal(actsLike(ran, /start platform-indexer/)[0]?.slice(0, 9), 'indexer-2');
      ok(
        textOf(
          p.state,
          'indexer-2',
          '/var/backups/runbook/before-4.14/left-behind/etc/platform-indexer/jvm.options',
        ) !== undefined,
      );
    },
  ),
  scenario('rollback: a node that fails again leaves shards and writers as they wait for it', async (stage) => {
    const p = await failedStart(stage);
    p.state.faults.push({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' });
    const failed = await p.run(WHOLE, to());
    equal(failed.end, 'failed');
    deepEqual(
      [allocation(p.state), [...down(p.state)].sort()],
      [
        'primaries',
        [
          'filebeat on server-1',
          'filebeat on server-2',
          'platform-dashboard on dashboard-1',
          'platform-indexer on indexer-2',
        ],
      ],
    );
    p.state.faults.length = 0;
    done(await p.run(WHOLE, to({ verb: 'resume', past: failed.recorded })));
    isBack(p.state);
  }),
  ...(
    [
      ['server-2', 'platform-manager', /manager/],
      ['indexer-2', 'platform-indexer', /indexer/],
      ['dashboard-1', 'platform-dashboard', /dashboard/],
    ] as const
  ).map(([host, unit, why]) =>
    scenario(
      `rollback: a ${unit} that does not start is the last that is touched, and a resume ends well`,
      async (stage) => {
        const p = await upgraded(stage);
        p.state.faults.push({ fault: 'start-fails', host, unit });
        const failed = await p.run(WHOLE, to());
        stopped(failed, why);
        if (unit === 'platform-manager') deepEqual(actsLike(failed, /stop platform-indexer/), []);
        // Nothing writes to, or shows, what goes back, also where it stays so for the night.
        if (unit !== 'platform-dashboard') {
          deepEqual(actsLike(failed, /start (filebeat|platform-dashboard)/), []);
          ok(notRestored(failed).includes('Stop the shipper'));
        }
        p.state.faults.length = 0;
        done(await p.run(WHOLE, to({ verb: 'resume', past: failed.recorded })));
        isBack(p.state);
      },
    ),
  ),
  scenario(
    'rollback: shippers and dashboards are stopped once, before the first goes back, and start after the last',
    async (stage) => {
      const p = await upgraded(stage);
      const ran = await p.run(WHOLE, to());
      done(ran);
      const services = actsLike(ran, /systemctl (stop|start) /).map((act) => act.replace(/^(\S+): systemctl /, '$1 '));
      const of = (verb: string): readonly string[] =>
        ['server-1', 'server-2', 'dashboard-1'].map(
          (host) => `${host} ${verb} ${host === 'dashboard-1' ? 'platform-dashboard' : 'filebeat'}`,
        );
      const central = services.filter((act) => !act.startsWith('linux-'));
      deepEqual([central.slice(0, 3), central.slice(-3)], [of('stop'), of('start')]);
      deepEqual(
        central.slice(3, -3).filter((act) => /filebeat|dashboard/.test(act)),
        [],
      );
    },
  ),
  scenario('rollback: a manager configuration that fails its own test stops before the start', async (stage) => {
    const p = await upgraded(stage);
    edit(p.state, 'server-2', `/var/backups/runbook/before-4.14/4.12.0${AGENT}`, (text) =>
      text.replace('</platform_config>', ''),
    );
    const failed = await p.run(WHOLE, to());
    stopped(failed, /platform-analysisd -t ended with status 1/);
    ok(down(p.state).includes('platform-manager on server-2'));
    // The test only reads, so a resume repeats it and asks about nothing.
    deepEqual(actsLike(failed, /platform-analysisd|server-2: systemctl start/), []);
  }),
  about(
    ['ship'],
    'rollback: alerts that are rotated while a shipper is stopped are shipped from what was kept',
    async (stage) => {
      const p = await beforeMidnight(stage);
      const ran = await p.run(WHOLE, to({ on: midnight }));
      done(ran);
      isBack(p.state);
      deepEqual(
        actsLike(ran, / run --once/).map((act) => act.slice(0, 8)),
        ['server-1', 'server-2'],
      );
      const { written, found } = alerts(p.state);
      deepEqual(found, written);
    },
  ),
  scenario(
    'rollback: rotated alerts that cannot be shipped at first are shipped at the next attempt',
    async (stage) => {
      const p = await beforeMidnight(stage);
      const ran = await p.run(WHOLE, to({ ...outputRefusedOnce(/: systemctl stop platform-indexer$/), on: midnight }));
      done(ran);
      // After the set-up, refused, and asked again.
      equal(actsLike(ran, /^server-2: .*test output/).length, 3);
      const { written, found } = alerts(p.state);
      deepEqual(found, written);
    },
  ),
  scenario('rollback: a shipper that does not reach the indexer fails the run', async (stage) => {
    const p = await upgraded(stage);
    stopped(
      await p.run(
        WHOLE,
        to({
          before: (act, state) => {
            if (/server-2: .*test output/.test(act))
              state.faults.push({
                fault: 'program',
                host: 'server-2',
                program: 'filebeat',
                exit: 0,
                stdout: 'ERROR\n',
              });
          },
        }),
      ),
      /talk to server/,
    );
  }),
  scenario(
    'rollback: aliases that the newer dashboard moved are pointed back while no dashboard runs',
    async (stage) => {
      const p = await stage.after(['upgrade-4.14.yaml'], 'aliases', async () => {
        const made = await stage.platform({ from: '4.14.6', newFormFrom: '4.14.7' });
        done(await made.run('upgrade-4.14.yaml'));
        return made;
      });
      for (const agent of hostsOf(p.state, 'agent'))
        for (const entry of Object.values(agent.packages)) entry.version = '4.14.6-1';
      p.state.management = {
        ...p.state.management,
        agents: p.state.management.agents.map((a) => (a.id === '000' ? a : { ...a, version: '4.14.6' })),
      };
      equal(p.state.cluster.aliases['.kibana'], '.kibana_2');
      const gone = p.clone();
      Reflect.deleteProperty(gone.state.cluster.indices, '.kibana_1');
      const vars = {
        rollback_to: '4.14.6',
        rollback_packages: { indexer: '4.14.6-1', manager: '4.14.6-1', dashboard: '4.14.6-1', shipper: '7.10.2-1' },
      };
      const asked = await gone.run(WHOLE, to({ vars, answer: 'no' }));
      match(asked.asked, /the previous index no longer exists/);
      equal(asked.end, 'refused');
      let running = true;
      const ran = await p.run(
        WHOLE,
        to({
          vars,
          before: (act, state) => {
            if (/_aliases/.test(act)) running = !down(state).includes('platform-dashboard on dashboard-1');
          },
        }),
      );
      done(ran);
      deepEqual([p.state.cluster.aliases['.kibana'], running, down(p.state)], ['.kibana_1', false, []]);
      // From now on it is the older dashboard that moves them.
      p.state.cluster.aliases['.kibana'] = '.kibana_2';
      const again = await p.run(WHOLE, to({ vars, name: 'again' }));
      deepEqual([again.end, again.acts, p.state.cluster.aliases['.kibana']], ['done', [], '.kibana_2']);
    },
  ),
];

/** An upgrade that failed at the start of its first node. */
export function failedStart(stage: Stage): Promise<Platform> {
  return stage.after(['upgrade-4.14.yaml'], 'failed start', async () => {
    const p = await stage.platform();
    p.state.faults.push({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' });
    equal((await p.run('upgrade-4.14.yaml')).end, 'failed');
    p.state.faults.length = 0;
    return p;
  });
}

/** Told with everything still running; a repository may have been enabled and disabled again by then. */
function refusingAfter(name: string, alter: (p: Platform) => void, why: RegExp): Scenario {
  return scenario(`rollback: ${name} is reported with everything still running`, async (stage) => {
    const p = await upgraded(stage);
    alter(p);
    const ran = await p.run(WHOLE, to());
    stopped(ran, why);
    deepEqual([down(p.state), actsLike(ran, /systemctl/)], [[], []]);
    repositoriesOff(p.state);
  });
}
