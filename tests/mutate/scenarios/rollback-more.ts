import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIndex } from '../../../engine/platforms/security-monitoring/simulator/documents.js';
import { putFile } from '../../../engine/simulator/files.js';
import {
  advance,
  startService,
  stopService,
} from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Actor } from '../../../engine/terms/machine.js';
import { keyOf } from '../../../engine/terms/subject.js';
import { Crash } from '../../run/bench-hosts.js';
import { offlineFolder, type Packed } from '../../playbooks/upgrade/offline-folder.js';
import {
  actsLike,
  deepEqual,
  done,
  doesNotMatch,
  down,
  equal,
  hostOf,
  hostsOf,
  match,
  ok,
  notRestored,
  refused,
  stopped,
  textOf,
  unitOf,
} from '../look.js';
import { edit, once, pathsOf, remove, stoppedAfter, twoDashboards, upgraded } from '../ours.js';
import { scenario, type Scenario } from '../scenario.js';
import { lineOf, type Options, type Platform, type Stage } from '../stage.js';
import { stoppedAt } from './killed.js';
import {
  agentsAreBack,
  BEFORE,
  central,
  failedStart,
  isBack,
  newAgents,
  nowhere,
  PREVIOUS,
  to,
  used,
  WHOLE,
} from './rollback.js';

/** An upgrade that ended before its first stop: everything has the old version, with its backups and packages. */
const prepared = (stage: Stage): Promise<Platform> =>
  stage.after(['upgrade-4.14.yaml'], 'prepared for a rollback', async () => {
    const p = await stage.platform();
    let last = false;
    const cut = await p.run('upgrade-4.14.yaml', {
      stopping: () => last,
      before: (act) => {
        last ||= /dashboard-aliases\.json/.test(act);
      },
    });
    equal(cut.end, 'interrupted');
    return p;
  });

const NEWER = '\n# newer\n';
const CONFIGS = {
  'platform-indexer': '/etc/platform-indexer/jvm.options',
  'platform-manager': '/var/platform/etc/platform.conf',
  filebeat: '/etc/filebeat/filebeat.yml',
  'platform-dashboard': '/etc/platform-dashboard/dashboard.yml',
} as const;
type Unit = keyof typeof CONFIGS;

/** A dashboard that was upgraded, with the backup of its configuration. */
function newDashboard(state: PlatformState, name: string): void {
  const host = hostOf(state, name);
  const config = CONFIGS['platform-dashboard'];
  Object.assign(host.packages['platform-dashboard'] ?? {}, { version: '4.14.7-1' });
  putFile(host, `/var/backups/runbook/before-4.14/4.12.0${config}`, { text: host.files[config]?.text ?? '' }, 1);
}

/** A host that has part of an upgrade, or of a rollback; and what brings it back. */
const leftBehind = (
  what: string,
  host: string,
  unit: Unit,
  alter: (state: PlatformState) => void,
  expected: { readonly starts: number; readonly restored?: true; readonly installed?: RegExp },
): Scenario =>
  scenario(`rollback: ${what} is all that is brought back`, async (stage) => {
    const p = await prepared(stage);
    alter(p.state);
    const starts = unitOf(p.state, host, unit).starts;
    const ran = await p.run(WHOLE, to());
    done(ran);
    isBack(p.state);
    equal(unitOf(p.state, host, unit).starts - starts, expected.starts);
    deepEqual(
      actsLike(ran, / install /).filter((act) => expected.installed?.test(act) !== true),
      [],
    );
    if (expected.installed !== undefined) match(actsLike(ran, / install /).join('\n'), expected.installed);
    equal(/newer/.test(hostOf(p.state, host).files[CONFIGS[unit]]?.text ?? ''), false);
    // Hosts of one role go back together, and the cluster is protected meanwhile.
    const together = unit === 'platform-indexer' ? /^(indexer|server|dashboard)-/ : new RegExp(`^${host.slice(0, 5)}`);
    deepEqual(
      actsLike(ran, /systemctl stop/).filter((act) => !together.test(act)),
      [],
    );
    const again = await p.run(WHOLE, to({ name: 'again' }));
    deepEqual([again.end, again.acts], ['done', []]);
  });

const stop =
  (host: string, unit: Unit) =>
  (state: PlatformState): void => {
    stopService(state, hostOf(state, host), unit);
  };
/** It runs on, but what it runs was replaced since. */
const replaced =
  (host: string, unit: Unit) =>
  (state: PlatformState): void => {
    Object.assign(hostOf(state, host).packages[unit] ?? {}, { changedAtMs: state.nowMs });
  };
const edited =
  (host: string, unit: Unit) =>
  (state: PlatformState): void => {
    edit(state, host, CONFIGS[unit], (text) => text + NEWER);
  };
/** Its package was upgraded, and never started: the data are of the older engine. */
const upgradedNotStarted = (state: PlatformState): void =>
  void Object.assign(hostOf(state, 'indexer-2').packages['platform-indexer'] ?? {}, { version: '4.14.7-1' });
const both =
  (...each: readonly ((state: PlatformState) => void)[]) =>
  (state: PlatformState): void => {
    for (const one of each) one(state);
  };

const partial: readonly Scenario[] = [
  scenario('rollback: of an upgrade that ended before its first stop has nothing to do', async (stage) => {
    const p = await prepared(stage);
    nowhere(p.state, Object.keys(p.state.hosts), /platform-|filebeat/);
    const ran = await p.run(WHOLE, to({ answer: 'no' }));
    done(ran);
    deepEqual([actsLike(ran, /systemctl|install|apt-get/), ran.asked], [[], '']);
    isBack(p.state);
  }),
  leftBehind(
    'a manager that an upgrade stopped',
    'server-2',
    'platform-manager',
    stop('server-2', 'platform-manager'),
    {
      starts: 1,
    },
  ),
  leftBehind(
    'a stopped manager with the newer configuration',
    'server-2',
    'platform-manager',
    both(stop('server-2', 'platform-manager'), edited('server-2', 'platform-manager')),
    { starts: 1 },
  ),
  leftBehind(
    'a manager that does not run its package',
    'server-2',
    'platform-manager',
    replaced('server-2', 'platform-manager'),
    { starts: 1 },
  ),
  leftBehind('a shipper that does not run its package', 'server-1', 'filebeat', replaced('server-1', 'filebeat'), {
    starts: 1,
  }),
  leftBehind(
    'a shipper of the newer revision beside a manager that is back',
    'server-2',
    'filebeat',
    (state) => {
      Object.assign(hostOf(state, 'server-2').packages['filebeat'] ?? {}, { version: '7.10.2-2' });
      nowhere(state, ['server-1', 'server-2'], /platform-|filebeat/);
    },
    { starts: 1, installed: /^server-2: .*filebeat/ },
  ),
  scenario('rollback: a shipper that was started while its package was installed is stopped again', async (stage) => {
    const p = await prepared(stage);
    Object.assign(hostOf(p.state, 'server-2').packages['filebeat'] ?? {}, { version: '7.10.2-2' });
    const on: Options['on'] = ({ event }) => {
      if (event.e === 'effect' && event.task.step.endsWith('/Install the previous shipper package'))
        Object.assign(unitOf(p.state, 'server-2', 'filebeat'), {
          ...{ active: 'active', processes: 1, runs: '7.10.2-2', startedAtMs: p.state.nowMs - 60_000 },
        });
    };
    done(await p.run(WHOLE, to({ on })));
    isBack(p.state);
  }),
  leftBehind(
    'a stopped dashboard with the newer configuration',
    'dashboard-1',
    'platform-dashboard',
    both(stop('dashboard-1', 'platform-dashboard'), edited('dashboard-1', 'platform-dashboard')),
    { starts: 1 },
  ),
  leftBehind(
    'a dashboard that does not run its package',
    'dashboard-1',
    'platform-dashboard',
    replaced('dashboard-1', 'platform-dashboard'),
    { starts: 1 },
  ),
  leftBehind(
    'an indexer that does not run its package',
    'indexer-2',
    'platform-indexer',
    both(replaced('indexer-2', 'platform-indexer'), edited('indexer-2', 'platform-indexer')),
    { starts: 1 },
  ),
];

/** What may be done twice: it is tried again after a failure, and once more after a controller that died in the middle of it. */
const TWICE = /apt-get update|makecache|_flush|override-version$|setup --\w+|test output/;

/** Each of these fails at first, on each host; then the controller dies once it was done, for each of these once. */
function unlucky(): { readonly actor: (real: Actor) => Actor; readonly died: ReadonlySet<string> } {
  const failed = new Set<string>();
  const died = new Set<string>();
  const actor = (real: Actor): Actor => {
    let dead = false;
    return {
      ...real,
      async perform(on, action, context) {
        if (dead) throw new Crash();
        const [what] = TWICE.exec(lineOf(action)) ?? [];
        if (what === undefined) return real.perform(on, action, context);
        const here = `${keyOf(on)} ${what}`;
        if (!failed.has(here) && !what.startsWith('override')) {
          failed.add(here);
          return action.do === 'request'
            ? { is: 'answered', status: 503, body: '{}' }
            : { is: 'ended', exit: 7, stdout: '', stderr: 'not now' };
        }
        const outcome = await real.perform(on, action, context);
        if (died.has(what)) return outcome;
        died.add(what);
        dead = true;
        throw new Crash();
      },
    };
  };
  return { actor, died };
}

const luck: readonly Scenario[] = [
  scenario(
    'rollback: what fails at first, and a controller that dies again and again, do not end it',
    async (stage) => {
      const p = await newAgents(stage, { rpmHosts: ['indexer-3', 'server-2', 'linux-2'] });
      nowhere(p.state, Object.keys(p.state.hosts), /platform-|filebeat/);
      const { actor, died } = unlucky();
      let ran = await p.run(WHOLE, to({ actor }));
      let cuts = 0;
      for (; ran.end === 'interrupted' && cuts < 12; cuts += 1)
        ran = await p.run(WHOLE, to({ actor, verb: 'resume', past: ran.recorded }));
      equal(ran.end, 'done');
      deepEqual([died.size, notRestored(ran)], [7, []]);
      isBack(p.state);
      agentsAreBack(p.state);
    },
  ),
];

/** Configurations of the previous version. */
const KEPT = /^\/var\/backups\/runbook\/before-4\.14\/4\.12\.0\//;

const alone: readonly Scenario[] = [
  scenario('rollback: of one component asks and fetches nothing for the others', async (stage) => {
    const p = await newAgents(stage, { remoteAgents: [{ name: 'far', version: '4.14.7' }] });
    nowhere(
      p.state,
      ['dashboard-1', 'server-1', 'server-2', 'indexer-1', 'indexer-2', 'indexer-3'],
      /platform-|filebeat/,
    );
    for (const [host, name] of [
      ['indexer-2', 'platform-indexer'],
      ['server-2', 'platform-manager'],
    ] as const) {
      const older = p.clone();
      Object.assign(hostOf(older.state, host).packages[name] ?? {}, { version: '4.11.0-1' });
      equal((await older.plan('rollback-dashboard.yaml', to())).why, '');
    }
    const dashboard = await p.run('rollback-dashboard.yaml', to({ name: 'dashboard' }));
    done(dashboard);
    deepEqual(actsLike(dashboard, /^(indexer|server|linux)/), []);
    const agents = p.state.management.agents;
    refused(await p.run('rollback-server.yaml', to({ name: 'early' })), /newer than 4\.12\.0: \S+ far/);
    p.state.management = { ...p.state.management, agents: agents.filter(({ name }) => name !== 'far') };
    const server = await p.run('rollback-server.yaml', to({ name: 'server' }));
    done(server);
    deepEqual(actsLike(server, /^(indexer|dashboard)/), []);
    // What is newer now is too late for a question: the servers are old.
    p.state.management = { ...p.state.management, agents };
    const indexer = await p.run('rollback-indexer.yaml', to({ name: 'indexer' }));
    done(indexer);
    const rest = await p.run(WHOLE, to({ name: 'rest' }));
    done(rest);
    deepEqual([rest.asked, rest.warned, actsLike(rest, /systemctl|install/)], ['', '', []]);
    isBack(p.state);
    agentsAreBack(p.state);
  }),
  scenario('rollback: of the dashboard alone needs no backup of the others', async (stage) => {
    const p = await upgraded(stage);
    for (const { name } of [...hostsOf(p.state, 'indexer'), ...hostsOf(p.state, 'server')]) remove(p.state, name, KEPT);
    done(await p.run('rollback-dashboard.yaml', to()));
    equal(unitOf(p.state, 'dashboard-1', 'platform-dashboard').runs, '4.12.0-1');
  }),
  ...(
    [
      ['indexer', 'indexer-3', 'platform-indexer'],
      ['server', 'server-1', 'platform-manager'],
      ['dashboard', 'dashboard-1', 'platform-dashboard'],
    ] as const
  ).map(([component, host, name]) =>
    scenario(`rollback: of the ${component} alone is refused where one is older`, async (stage) => {
      const p = await upgraded(stage);
      Object.assign(hostOf(p.state, host).packages[name] ?? {}, { version: '4.11.0-1' });
      refused(
        await p.run(`rollback-${component}.yaml`, to()),
        new RegExp(`is older than 4.12.0 .*${host}: .*4.11.0-1`),
      );
    }),
  ),
  ...(
    [
      ['server', ['dashboard']],
      ['indexer', ['dashboard', 'server']],
    ] as const
  ).map(([component, later]) =>
    scenario(
      `rollback: of the ${component} alone is refused before any package or backup of what must go first is looked for`,
      async (stage) => {
        const p = await upgraded(stage);
        const hosts = later.flatMap((role) => hostsOf(p.state, role).map(({ name }) => name));
        nowhere(p.state, hosts, /platform-|filebeat/);
        for (const host of hosts) remove(p.state, host, KEPT);
        for (const name of Object.keys(p.state.repository)) p.state.repository[name] = [];
        refused(await p.run(`rollback-${component}.yaml`, to()), /beside dashboards that are not/);
      },
    ),
  ),
];

const MIXES = [
  ['dashboard', [], /^$/],
  ['dashboard', ['indexer'], /Dashboards would be at 4\.12\.0/],
  ['dashboard', ['server'], /Dashboards would be at 4\.12\.0/],
  ['server', [], /^$/],
  ['server', ['indexer'], /Servers would be at 4\.12\.0/],
] as const;

const mixes: readonly Scenario[] = [
  scenario('rollback: of one component asks about the mix only where others stay newer', async (stage) => {
    for (const [component, others, asks] of MIXES) {
      const p = await prepared(stage);
      for (const role of [component, ...others])
        for (const host of hostsOf(p.state, role)) {
          const entry = host.packages[role === 'server' ? 'platform-manager' : `platform-${role}`];
          if (entry !== undefined) entry.version = '4.14.7-1';
        }
      const planned = await p.plan(`rollback-${component}.yaml`, to({ vars: { override_version: true } }));
      match(planned.asked, asks);
      equal(planned.asked.split('\n').length, 1);
      const ran = await p.run(`rollback-${component}.yaml`, to({ answer: 'no' }));
      equal(ran.end, others.length === 0 ? 'done' : 'refused');
    }
  }),
  scenario(
    'rollback: of two dashboards both stop before the aliases that the first one recorded are restored',
    async (stage) => {
      const p = await stage.platform({ from: '4.14.6', newFormFrom: '4.14.7' }, twoDashboards);
      done(await p.run('upgrade-4.14.yaml'));
      equal(p.state.cluster.aliases['.kibana'], '.kibana_2');
      const packages = { indexer: '4.14.6-1', manager: '4.14.6-1', dashboard: '4.14.6-1', shipper: '7.10.2-1' };
      let stopped: readonly string[] = [];
      const ran = await p.run(
        'rollback-dashboard.yaml',
        to({
          vars: { rollback_to: '4.14.6', rollback_packages: packages },
          before: (act, state) => {
            if (/_aliases/.test(act)) stopped = down(state);
          },
        }),
      );
      done(ran);
      deepEqual(stopped, ['platform-dashboard on dashboard-1', 'platform-dashboard on dashboard-2']);
      equal(p.state.cluster.aliases['.kibana'], '.kibana_1');
      doesNotMatch(ran.warned, /was not recorded/);
    },
  ),
  scenario('rollback: of dashboards alone takes them one at a time where no alias moved', async (stage) => {
    const p = await stage.platform({}, twoDashboards);
    for (const { name } of hostsOf(p.state, 'dashboard')) newDashboard(p.state, name);
    let most = 0;
    const on: Options['on'] = (_, state) => {
      most = Math.max(most, down(state).length);
    };
    const ran = await p.run('rollback-dashboard.yaml', to({ on }));
    done(ran);
    const stops = actsLike(ran, /systemctl (stop|start) platform-dashboard/).map((act) =>
      act.replace(/:.* (\w+) \S+$/, ' $1'),
    );
    deepEqual(stops, ['dashboard-1 stop', 'dashboard-1 start', 'dashboard-2 stop', 'dashboard-2 start']);
    equal(most, 1);
    for (const host of ['dashboard-1', 'dashboard-2']) {
      equal(unitOf(p.state, host, 'platform-dashboard').runs, '4.12.0-1');
      equal(unitOf(p.state, host, 'platform-dashboard').enabled, true);
    }
  }),
  scenario(
    'rollback: a server or dashboard that is back already is left as it is beside one that is not',
    async (stage) => {
      const both = [
        ['dashboard', 'platform-dashboard', 'rollback-dashboard.yaml', 0],
        ['dashboard', 'platform-dashboard', WHOLE, 1], // stopped with all others, and started
        ['server', 'platform-manager', WHOLE, 0],
      ] as const;
      for (const [role, unit, playbook, more] of both) {
        const p = await stage.platform({}, twoDashboards);
        done(await p.run('prepare.yaml'));
        Object.assign(hostOf(p.state, `${role}-2`).packages[unit] ?? {}, { version: '4.14.7-1' });
        // As the operator went on with it since.
        edited(`${role}-1`, unit)(p.state);
        const { starts } = unitOf(p.state, `${role}-1`, unit);
        done(await p.run(playbook, to()));
        deepEqual([central(p.state), down(p.state)], [BEFORE, []]);
        equal(unitOf(p.state, `${role}-2`, unit).runs, '4.12.0-1');
        equal(unitOf(p.state, `${role}-1`, unit).starts, starts + more);
        match(textOf(p.state, `${role}-1`, CONFIGS[unit]) ?? '', /newer/);
      }
    },
  ),
  scenario(
    'rollback: a server whose manager was left stopped is gone through beside one that is not back',
    async (stage) => {
      const p = await prepared(stage);
      Object.assign(hostOf(p.state, 'server-2').packages['platform-manager'] ?? {}, { version: '4.14.7-1' });
      stop('server-1', 'platform-manager')(p.state);
      const module = '/usr/share/filebeat/module/platform/module.yml';
      edit(p.state, 'server-1', module, () => 'newer\n');
      done(await p.run(WHOLE, to()));
      isBack(p.state);
      doesNotMatch(textOf(p.state, 'server-1', module) ?? '', /newer/);
    },
  ),
  scenario('rollback: of two dashboards asks about the mix where only one is back', async (stage) => {
    const p = await stage.platform({}, twoDashboards);
    for (const { name } of hostsOf(p.state, 'dashboard')) newDashboard(p.state, name);
    Object.assign(hostOf(p.state, 'dashboard-1').packages['platform-dashboard'] ?? {}, { version: '4.12.0-1' });
    Object.assign(hostOf(p.state, 'indexer-1').packages['platform-indexer'] ?? {}, { version: '4.14.7-1' });
    const planned = await p.plan('rollback-dashboard.yaml', to({ vars: { override_version: true } }));
    match(planned.asked, /Dashboards would be at 4\.12\.0/);
    equal(planned.asked.split('\n').length, 1);
    done(await p.run('rollback-dashboard.yaml', to({ name: 'one of two' })));
    equal(hostOf(p.state, 'dashboard-2').packages['platform-dashboard']?.version, '4.12.0-1');
    const again = await p.run('rollback-dashboard.yaml', to({ name: 'again', answer: 'no' }));
    deepEqual([again.end, actsLike(again, /systemctl|install/)], ['done', []]);
  }),
  scenario(
    'rollback: of each component alone stops what it has to once, starts it again, and enables it',
    async (stage) => {
      const p = await upgraded(stage);
      const units = [
        ['server-1', 'filebeat'],
        ['server-2', 'filebeat'],
        ['dashboard-1', 'platform-dashboard'],
      ] as const;
      const expected = {
        dashboard: ['platform-dashboard'],
        server: ['filebeat', 'filebeat'],
        indexer: ['filebeat', 'filebeat', 'platform-dashboard'],
      };
      for (const [component, those] of Object.entries(expected)) {
        for (const [host, unit] of units) Object.assign(unitOf(p.state, host, unit), { enabled: false });
        const ran = await p.run(`rollback-${component}.yaml`, to({ name: component }));
        done(ran);
        const acts = actsLike(ran, /systemctl (stop|start) (filebeat|platform-)|install .*platform-/);
        const services = acts.map((act) => / (\w+ \S+)$/.exec(act)?.[1]);
        deepEqual(
          services.slice(0, those.length),
          those.map((unit) => `stop ${unit}`),
        );
        deepEqual(
          services.slice(-those.length),
          those.map((unit) => `start ${unit}`),
        );
        for (const [host, unit] of units) equal(unitOf(p.state, host, unit).enabled, those.includes(unit));
      }
      isBack(p.state);
    },
  ),
  scenario(
    'rollback: a dashboard that does not stop ends it before the first change, and shippers run again',
    async (stage) => {
      const p = await upgraded(stage);
      const ran = await p.run(WHOLE, to({ actor: idle(/systemctl stop platform-dashboard/) }));
      stopped(ran, /platform-dashboard/);
      deepEqual([down(p.state), actsLike(ran, /^(indexer|server|dashboard).*install/)], [[], []]);
    },
  ),
  scenario('rollback: limited to what later components stand upon touches none of it', async (stage) => {
    for (const role of ['server', 'indexer']) {
      const p = await upgraded(stage);
      const limit = new Set(hostsOf(p.state, role).map(({ name }) => name));
      const ran = await p.run(WHOLE, to({ options: { limit } }));
      stopped(ran, /beside (dashboards|servers) that are not/);
      deepEqual([down(p.state), actsLike(ran, / install .*platform-/)], [[], []]);
    }
  }),
  scenario('rollback: of a component that is back does nothing, whatever the others are', async (stage) => {
    const p = await prepared(stage);
    for (const host of hostsOf(p.state, 'dashboard'))
      Object.assign(host.packages['platform-dashboard'] ?? {}, { version: '4.14.7-1' });
    const server = await p.run('rollback-server.yaml', to({ name: 'server', answer: 'no' }));
    deepEqual([server.end, actsLike(server, /systemctl|install|apt-get/)], ['done', []]);
    const indexer = await p.run('rollback-indexer.yaml', to({ name: 'indexer', answer: 'no' }));
    deepEqual([indexer.end, actsLike(indexer, /systemctl|install|apt-get/)], ['done', []]);
  }),
];

const agents: readonly Scenario[] = [
  scenario(
    'rollback: an agent that its upgrade did not come to is not touched, but for the record of it',
    async (stage) => {
      const p = await upgraded(stage);
      putFile(hostOf(p.state, 'linux-1'), PREVIOUS, { text: '4.12.0-1' }, 1);
      nowhere(p.state, ['linux-1']);
      const { starts } = unitOf(p.state, 'linux-1', 'platform-agent');
      const ran = await p.run(WHOLE, to());
      done(ran);
      deepEqual(actsLike(ran, /^linux-2/), []);
      deepEqual(actsLike(ran, /^linux-1.*(systemctl|install|apt-get|copy|write)/), []);
      equal(unitOf(p.state, 'linux-1', 'platform-agent').starts, starts);
      equal(PREVIOUS in hostOf(p.state, 'linux-1').files, false);
    },
  ),
  scenario(
    'rollback: with the manager stopped the agents go back, and the API is not asked about them',
    async (stage) => {
      const p = await newAgents(stage);
      stopService(p.state, hostOf(p.state, 'server-1'), 'platform-manager');
      done(await p.run(WHOLE, to({ answer: 'yes' })));
      isBack(p.state);
      agentsAreBack(p.state);
    },
  ),
  scenario('rollback: an agent that did not start is finished by another rollback', async (stage) => {
    const p = await newAgents(stage);
    p.state.faults.push({ fault: 'start-fails', host: 'linux-1', unit: 'platform-agent' });
    stopped(await p.run(WHOLE, to()), /platform-agent/);
    p.state.faults.length = 0;
    done(await p.run(WHOLE, to({ name: 'another' })));
    isBack(p.state);
    agentsAreBack(p.state);
  }),
  scenario('rollback: an agent that is back does not need its archived package', async (stage) => {
    const p = await newAgents(stage);
    await stoppedAt(p, WHOLE, /linux-1: systemctl start platform-agent/, to());
    for (const path of pathsOf(p.state, 'linux-1', /before-4\.14\/packages\/.*\.deb$/))
      edit(p.state, 'linux-1', path, () => 'damaged');
    done(await p.run(WHOLE, to({ name: 'another' })));
    agentsAreBack(p.state);
  }),
  scenario('rollback: agents that may stay newer stay as they are, or go as far back as they can', async (stage) => {
    const p = await newAgents(stage);
    Reflect.deleteProperty(hostOf(p.state, 'linux-1').files, PREVIOUS);
    stopService(p.state, hostOf(p.state, 'linux-1'), 'platform-agent');
    putFile(hostOf(p.state, 'linux-2'), PREVIOUS, { text: '4.13.0-1' }, 1);
    const config = '/var/platform/etc/platform.conf';
    const kept = hostOf(p.state, 'linux-2').files[`/var/backups/runbook/before-4.14/4.12.0${config}`];
    putFile(
      hostOf(p.state, 'linux-2'),
      `/var/backups/runbook/before-4.14/4.13.0${config}`,
      { text: kept?.text ?? '' },
      1,
    );
    p.state.repository['platform-agent'] = ['4.13.0-1', '4.14.7-1'];
    const ran = await p.run(WHOLE, to({ vars: { newer_agents: 'warning' } }));
    done(ran);
    match(ran.warned, /previous version 4\.13\.0-1 is newer than 4\.12\.0/);
    deepEqual(actsLike(ran, /^linux-1/), []);
    equal(hostOf(p.state, 'linux-2').packages['platform-agent']?.version, '4.13.0-1');
    deepEqual(down(p.state), ['platform-agent on linux-1']);
    deepEqual(central(p.state), BEFORE);
  }),
];

/** A platform with one indexer. */
const single = (stage: Stage): Promise<Platform> =>
  stage.platform({}, (project) => {
    const { inventory } = project;
    const { indexer } = inventory.endpoints;
    return {
      ...project,
      inventory: {
        ...inventory,
        hosts: inventory.hosts.filter(({ name }) => !/indexer-[23]/.test(name)),
        endpoints: {
          ...inventory.endpoints,
          ...(indexer === undefined ? {} : { indexer: { ...indexer, urls: indexer.urls.slice(0, 1) } }),
        },
      },
    };
  });

const interrupted: readonly Scenario[] = [
  scenario(
    'rollback: a single indexer that did not start comes back first, with no cluster to be asked',
    async (stage) => {
      const p = await single(stage);
      p.state.faults.push({ fault: 'start-fails', host: 'indexer-1', unit: 'platform-indexer' });
      equal((await p.run('upgrade-4.14.yaml', { answer: 'yes' })).end, 'failed');
      p.state.faults.length = 0;
      const ran = await p.run(WHOLE, to());
      done(ran);
      isBack(p.state);
      deepEqual(actsLike(ran, /override-version$/), []);
    },
  ),
  scenario(
    'rollback: what an interrupted upgrade stopped and recorded is started, and its records are removed',
    async (stage) => {
      const p = await stoppedAfter(stage, 2);
      for (const host of hostsOf(p.state, 'server')) {
        stopService(p.state, host, 'platform-manager');
        host.services['platform-manager'] = { ...unitOf(p.state, host.name, 'platform-manager'), enabled: false };
      }
      for (const role of ['indexer', 'server', 'dashboard'])
        for (const host of hostsOf(p.state, role))
          putFile(
            host,
            `/var/lib/runbook/pending/upgrade-of-${role === 'server' ? 'manager' : role}`,
            { text: '4.12.0-1 4.14.7' },
            1,
          );
      done(await p.run(WHOLE, to()));
      isBack(p.state);
      const records = Object.values(p.state.hosts).flatMap((h) =>
        Object.keys(h.files).filter((path) => path.includes('/upgrade-of-')),
      );
      deepEqual(records, []);
    },
  ),
];

const OLD: readonly Packed[] = (['deb', 'rpm'] as const).flatMap((family) => [
  ...['indexer', 'manager', 'dashboard', 'agent'].map((name) => ({
    name: `platform-${name}`,
    version: '4.12.0-1',
    family,
  })),
  { name: 'filebeat', version: '7.10.2-1', family },
]);

const offline: readonly Scenario[] = [
  scenario(
    'rollback: packages come from the folder of the controller, and no repository is enabled or asked',
    async (stage) => {
      const p = await newAgents(stage, { rpmHosts: ['indexer-3', 'server-2', 'linux-2'] });
      nowhere(p.state, Object.keys(p.state.hosts), /platform-|filebeat/);
      for (const name of Object.keys(p.state.repository)) p.state.repository[name] = [];
      const folder = mkdtempSync(join(tmpdir(), 'runbook-mutate-'));
      try {
        offlineFolder(folder, OLD);
        const there = p.told(({ inventory, ...project }) => ({
          ...project,
          inventory: { ...inventory, platform: { ...inventory.platform, offline_packages: folder } },
        }));
        const ran = await there.run(WHOLE, to());
        done(ran);
        isBack(p.state);
        agentsAreBack(p.state);
        deepEqual(actsLike(ran, /apt-get update|makecache|expire-cache|platform\.(list|repo)/), []);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  ),
];

const KEY = '/etc/platform-dashboard/certs/dashboard-key.pem';
const runsOld = (state: PlatformState, host: string, unit: Unit): boolean =>
  unitOf(state, host, unit).active === 'active' && unitOf(state, host, unit).runs === '4.12.0-1';
/** From the start of its old version on it answers nothing for an hour. */
const silent =
  (host: string, unit: Unit): NonNullable<Options['on']> =>
  (_, state) => {
    if (runsOld(state, host, unit)) unitOf(state, host, unit).readyAtMs = state.nowMs + 3_600_000;
  };
/** The program ends well, and what it was to do is not done. */
const idle =
  (like: RegExp) =>
  (real: Actor): Actor => ({
    ...real,
    perform: (on, action, context) =>
      like.test(lineOf(action))
        ? Promise.resolve({ is: 'ended', exit: 0, stdout: '', stderr: '' })
        : real.perform(on, action, context),
  });

/** The node never joins; then it is as is said. */
const instead =
  (as: Partial<PlatformState['cluster']['nodes'][string]>) =>
  (state: PlatformState): void => {
    state.timers = state.timers.filter((timer) => timer.due !== 'node');
    Object.assign(state.cluster.nodes['indexer-2'] ?? {}, as);
  };

/** Each ends the rollback there: what would be next is not touched. */
const FAILURES: readonly (readonly [string, (state: PlatformState) => void, Options, RegExp, RegExp])[] = [
  [
    'a dashboard that does not answer',
    () => undefined,
    { on: silent('dashboard-1', 'platform-dashboard') },
    /dashboard is not ready/,
    /^never/,
  ],
  [
    'a key that the dashboard cannot read',
    (state) => void Object.assign(hostOf(state, 'dashboard-1').files[KEY] ?? {}, { owner: 'root', mode: '0400' }),
    {},
    /cannot read|may not read|read/,
    /start platform-dashboard/,
  ],
  [
    'a management API that does not answer',
    () => undefined,
    { on: silent('server-1', 'platform-manager') },
    /management API does not answer as 4\.12\.0/,
    /^indexer.*systemctl/,
  ],
  [
    'an index template that the indexer does not take',
    () => undefined,
    { actor: idle(/setup --index-management/) },
    /does not have the pipeline or the template/,
    /^server-1.*systemctl stop platform-manager/,
  ],
  [
    'a node that forms a cluster of its own',
    () => undefined,
    once(/^indexer-2: .* install /, (state) => void state.faults.push({ fault: 'own-cluster', host: 'indexer-2' })),
    /cluster/,
    /^never/,
  ],
  [
    'a replica that no node can take',
    (state) => {
      createIndex(state, 'wide', { shards: 1, replicas: 3 });
      const { createdVersion } = Object.values(state.cluster.indices)[0] ?? {};
      Object.assign(state.cluster.indices['wide'] ?? {}, { createdVersion });
    },
    {},
    /1 replica can be on no node/,
    /^never/,
  ],
];

/** Services that their packages start, before their configurations are restored. */
const STARTED = [
  ['server-1', '/var/platform/etc/platform.conf', 'platform-manager'],
  ['server-2', '/etc/filebeat/platform-template.json', 'filebeat'],
  ['dashboard-1', '/etc/platform-dashboard/dashboard.yml', 'platform-dashboard'],
] as const;

const others: readonly Scenario[] = [
  scenario(
    'rollback: a service that its package starts runs with its restored configuration, a shipper and a dashboard at the end',
    async (stage) => {
      const p = await upgraded(stage);
      used(p);
      const ran = await p.run(
        WHOLE,
        to({
          before: (act, state) => {
            for (const [host, path, unit] of STARTED)
              if (act.startsWith(`${host}: copy /var/backups/runbook/before-4.14/4.12.0`) && act.endsWith(path)) {
                Object.assign(unitOf(state, host, unit), { active: 'active', startedAtMs: state.nowMs - 1 });
              }
          },
        }),
      );
      done(ran);
      isBack(p.state);
      const of = (host: string, unit: string) =>
        actsLike(ran, new RegExp(`^${host}: systemctl (?!enable)\\w+ ${unit}$`));
      equal(of('server-1', 'platform-manager').at(-1), 'server-1: systemctl restart platform-manager');
      for (const [host, , unit] of STARTED.slice(1))
        deepEqual(
          of(host, unit),
          ['stop', 'stop', 'start'].map((verb) => `${host}: systemctl ${verb} ${unit}`),
        );
    },
  ),
  ...(
    [
      ['Restore the indexer configuration', edited('indexer-2', 'platform-indexer'), 1],
      ['Install the previous indexer package', upgradedNotStarted, -1],
    ] as const
  ).map(([step, alter, afterPackageMs]) =>
    scenario(`rollback: an indexer that runs since before "${step}" is restarted`, async (stage) => {
      const p = await prepared(stage);
      both(replaced('indexer-2', 'platform-indexer'), alter)(p.state);
      const ran = await p.run(
        WHOLE,
        to({
          on: ({ event: e }, state) => {
            if (e.e !== 'effect' || !e.task.step.endsWith(`/${step}`)) return;
            const { changedAtMs } = hostOf(state, 'indexer-2').packages['platform-indexer'] ?? { changedAtMs: 0 };
            const since = { active: 'active', startedAtMs: changedAtMs + afterPackageMs };
            Object.assign(unitOf(state, 'indexer-2', 'platform-indexer'), since);
          },
        }),
      );
      done(ran);
      isBack(p.state);
      equal(actsLike(ran, /^indexer-2: systemctl restart platform-indexer$/).length, 1);
    }),
  ),
  scenario(
    'rollback: a stopped node whose data are of the newer engine is overridden once that is confirmed',
    async (stage) => {
      const p = await stoppedAfter(stage, 1);
      // The other nodes run the previous version, and report nothing newer.
      startService(p.state, hostOf(p.state, 'indexer-3'), 'platform-indexer');
      stop('indexer-2', 'platform-indexer')(p.state);
      advance(p.state, 120_000);
      const denied = await p.clone().run(WHOLE, to({ answer: 'no' }));
      stopped(denied, /answered "no"/);
      match(denied.asked, /Confirm override-version on indexer-2/);
      deepEqual(actsLike(denied, /override-version$|^indexer-2: systemctl start/), []);
      const late = p.clone();
      const made = await late.run(
        WHOLE,
        to({
          on: ({ event }, { cluster }) => {
            if (event.e !== 'host-chosen' || event.host !== 'indexer-2') return;
            for (const index of Object.values(cluster.indices)) Object.assign(index, { createdVersion: '999999999' });
          },
        }),
      );
      stopped(made, /newer engine than 2\.19\.1/);
      // No operator is asked to accept a risk that the run does not take.
      doesNotMatch(made.asked, /Confirm override-version/);
      deepEqual(actsLike(made, /override-version$|^indexer-2: systemctl start/), []);
      const ran = await p.run(WHOLE, to());
      done(ran);
      isBack(p.state);
      equal(actsLike(ran, /^indexer-2: .*override-version$/).length, 1);
    },
  ),
  scenario('rollback: an override that did nothing is noticed before the previous engine starts', async (stage) => {
    const p = await upgraded(stage);
    const actor = (real: Actor): Actor => ({
      ...real,
      perform: (on, action, context) =>
        /override-version$/.test(lineOf(action))
          ? Promise.resolve({ is: 'ended', exit: 0, stdout: 'Successfully overwrote', stderr: '' })
          : real.perform(on, action, context),
    });
    const ran = await p.run(WHOLE, to({ actor }));
    stopped(ran, /the old engine would not start on the data/);
    deepEqual(actsLike(ran, /systemctl start platform-indexer/), []);
  }),
  scenario('rollback: to a release alone takes any revision of it, and leaves the shipper as it is', async (stage) => {
    const p = await upgraded(stage);
    const ran = await p.run(WHOLE, { name: 'back', answer: 'yes', vars: { rollback_to: '4.12.0' } });
    done(ran);
    deepEqual(central(p.state), ['filebeat 7.10.2-2', ...BEFORE.slice(1)]);
    deepEqual([actsLike(ran, / install .*filebeat/), down(p.state)], [[], []]);
  }),
  scenario('rollback: a module of the shipper that no upgrade kept stays', async (stage) => {
    const p = await upgraded(stage);
    const { files } = hostOf(p.state, 'server-2');
    const kept = Object.keys(files).filter((path) => path.includes('/4.12.0/usr/share/filebeat/module/'));
    ok(kept.length > 0, 'an upgrade keeps it');
    for (const path of kept) Reflect.deleteProperty(files, path);
    const ran = await p.run(WHOLE, to());
    done(ran);
    deepEqual(central(p.state), BEFORE);
    deepEqual(actsLike(ran, /^server-2: .* \/usr\/share\/filebeat\/module/), []);
  }),
];

/** What becomes of a node once it was started with its old version, in place of its coming back. */
const RETURNS: readonly (readonly [string, (state: PlatformState) => void])[] = [
  ['a node that is not back', instead({ joined: false })],
  ['a node that runs its newer version', instead({ joined: true })],
  ['another node that went away', (s) => Object.assign(s.cluster.nodes['indexer-3'] ?? {}, { joined: false })],
  [
    'a unit that ended again',
    (s) => Object.assign(hostOf(s, 'indexer-2').services['platform-indexer'] ?? {}, { active: 'failed' }),
  ],
  ['a unit that was stopped again by hand', (s) => void stopService(s, hostOf(s, 'indexer-2'), 'platform-indexer')],
];

const returns: readonly Scenario[] = RETURNS.map(([what, alter]) =>
  scenario(`rollback: the next indexer waits for ${what}`, async (stage) => {
    const p = await upgraded(stage);
    let begun = false;
    let altered = false;
    const ran = await p.run(
      WHOLE,
      to({
        before: (act) => {
          begun ||= /^indexer-2: systemctl start platform-indexer/.test(act);
        },
        on: ({ event }, state) => {
          if (!begun || altered || event.e !== 'settled') return;
          altered = true;
          alter(state);
        },
      }),
    );
    stopped(ran, /is not back in the cluster/);
    if (what.startsWith('a unit')) doesNotMatch(ran.why, /waited 600 s/);
    equal(
      actsLike(ran, /: systemctl stop platform-indexer$/)
        .at(-1)
        ?.slice(0, 9),
      'indexer-2',
    );
  }),
);

const failures: readonly Scenario[] = [
  ...(
    [
      ['was upgraded', upgraded],
      ['was down', failedStart],
    ] as const
  ).map(([what, make]) =>
    scenario(
      `rollback: a node that ${what} and is back late is waited for, as long as the inventory wants`,
      async (stage) => {
        const p = await make(stage);
        let begun = false;
        let late = false;
        const ran = await p.run(
          WHOLE,
          to({
            vars: { rejoin_limit: '30m' },
            before: (act) => {
              begun ||= /^indexer-2: systemctl start platform-indexer/.test(act);
            },
            on: ({ event }, state) => {
              if (!begun || late || event.e !== 'settled') return;
              late = true;
              state.timers = state.timers.map((timer) =>
                timer.due === 'node' ? { ...timer, atMs: timer.atMs + 900_000 } : timer,
              );
            },
          }),
        );
        done(ran);
        isBack(p.state);
      },
    ),
  ),
  ...FAILURES.map(([what, alter, options, why, untouched]) =>
    scenario(`rollback: ${what} stops it there`, async (stage) => {
      const p = await upgraded(stage);
      alter(p.state);
      const ran = await p.run(WHOLE, to(options));
      stopped(ran, why);
      deepEqual(actsLike(ran, untouched), []);
      // One node at a time is away.
      ok(down(p.state).filter((unit) => unit.startsWith('platform-indexer')).length <= 1, down(p.state).join());
    }),
  ),
  scenario('rollback: an index that the newer engine makes meanwhile stops it before the next node', async (stage) => {
    const p = await upgraded(stage);
    createIndex(p.state, 'meanwhile', { shards: 1, replicas: 1 });
    const index = p.state.cluster.indices['meanwhile'];
    Reflect.deleteProperty(p.state.cluster.indices, 'meanwhile');
    const ran = await p.run(
      WHOLE,
      to({
        on: ({ event }, { cluster }) => {
          const back = Object.values(cluster.nodes).filter(({ version }) => version === '2.19.1');
          if (event.e === 'host-chosen' && back.length === 1 && index !== undefined)
            cluster.indices['meanwhile'] ??= index;
        },
      }),
    );
    stopped(ran, /newer engine than 2\.19\.1/);
    equal(actsLike(ran, /: systemctl stop platform-indexer$/).length, 1);
  }),
  scenario('rollback: a node that left after all were rolled back is missed', async (stage) => {
    const p = await upgraded(stage);
    done(await p.run(WHOLE, to()));
    Object.assign(p.state.cluster.nodes['indexer-3'] ?? {}, { joined: false });
    stopped(await p.run(WHOLE, to({ name: 'again' })), /a node is missing, or has another version/);
  }),
  scenario('rollback: replicas that were accepted before the upgrade are no reason to wait', async (stage) => {
    const p = await upgraded(stage);
    FAILURES.at(-1)?.[1](p.state);
    putFile(
      hostOf(p.state, 'indexer-2'),
      '/var/lib/runbook/pending/accepted-replicas',
      { text: 'replica of wide 0\n' },
      1,
    );
    done(await p.run(WHOLE, to()));
    isBack(p.state);
  }),
  scenario(
    'rollback: an index that the newer engine makes while a node is down stops it before that node starts',
    async (stage) => {
      const p = await upgraded(stage);
      const ran = await p.run(
        WHOLE,
        to({
          before: (act, state) => {
            if (/^indexer-\d: .* install .*platform-indexer/.test(act))
              createIndex(state, 'meanwhile', { shards: 1, replicas: 1 });
          },
        }),
      );
      stopped(ran, /1 index was created by a newer engine than 2\.19\.1, .*: meanwhile \(/);
      equal(actsLike(ran, /: systemctl stop platform-indexer$/).length, 1);
      deepEqual(actsLike(ran, /override-version|systemctl start platform-indexer/), []);
    },
  ),
  scenario('rollback: shards without another copy are named before their node stops', async (stage) => {
    const p = await upgraded(stage);
    createIndex(p.state, 'single', { shards: 3, replicas: 0 });
    const { createdVersion } = Object.values(p.state.cluster.indices)[0] ?? {};
    Object.assign(p.state.cluster.indices['single'] ?? {}, { createdVersion });
    const ran = await p.run(WHOLE, to());
    done(ran);
    match(ran.warned, /single/);
    isBack(p.state);
  }),
];

export const rollbackMore: readonly Scenario[] = [
  ...partial,
  ...luck,
  ...alone,
  ...mixes,
  ...agents,
  ...interrupted,
  ...offline,
  ...failures,
  ...returns,
  ...others,
];
