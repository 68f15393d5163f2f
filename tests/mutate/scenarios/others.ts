import { createIndex } from '../../../engine/platforms/security-monitoring/simulator/documents.js';
import { putFile } from '../../../engine/simulator/files.js';
import { stopService } from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import { shardsOf } from '../../../engine/platforms/security-monitoring/simulator/shards.js';
import type { JsonObject } from '../../../engine/terms/json.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import {
  actsLike,
  allocation,
  deepEqual,
  done,
  down,
  equal,
  hostOf,
  hostsOf,
  inOrder,
  match,
  ok,
  pointsOfNoReturn,
  notRestored,
  refused,
  stopped,
  textOf,
  unitOf,
} from '../look.js';
import { shaped } from '../../playbooks/platform-shapes.js';
import { backUp, after, edit, enableRepository, remove } from '../ours.js';
import { about, scenario, whole, type Scenario } from '../scenario.js';
import { each } from '../slow.js';
import type { Platform, Stage } from '../stage.js';
import { killedAfter, stoppedAt } from './killed.js';
import { everyPackage, held, repositoriesOff } from './prepare.js';

const CONFIG = '/etc/platform-dashboard/dashboard.yml';
const KEY = '/etc/platform-dashboard/certs/dashboard-key.pem';
const API_CONFIG = '/usr/share/platform-dashboard/data/platform/config/platform.yml';
const NOTE = '/var/lib/runbook/pending/saved-objects';
const CENTRAL = {
  'indexer-1': '4.14.7',
  'indexer-2': '4.14.7',
  'indexer-3': '4.14.7',
  'server-1': '4.14.7',
  'server-2': '4.14.7',
  'dashboard-1': '4.14.7',
};
const without = (host: string): Record<string, string> => ({ ...CENTRAL, [host]: '4.12.0' });

function runs(state: PlatformState, host: string, unit: string, enabled = true): void {
  const entry = hostOf(state, host).services[unit];
  const { active, needsReload, runs } = entry ?? {};
  deepEqual([host, active, needsReload, runs, !enabled || entry?.enabled], [host, 'active', false, '4.14.7-1', true]);
}

/** The dashboards' part after the servers' one. */
const ready = (stage: Stage): Promise<Platform> => after('server', stage);

export const dashboard: readonly Scenario[] = [
  whole('dashboards: upgraded with their configuration kept, and waited for', async (stage) => {
    const p = await ready(stage);
    const before = textOf(p.state, 'dashboard-1', CONFIG);
    const modes: unknown[] = [];
    const ran = await p.run('dashboard.yaml', {
      before: (act, state) => {
        if (/install/.test(act))
          modes.push(hostOf(state, 'dashboard-1').files['/var/lib/runbook/pending/upgrade-of-dashboard']?.mode);
      },
    });
    done(ran);
    deepEqual(modes, ['0600']);
    runs(p.state, 'dashboard-1', 'platform-dashboard');
    equal(hostOf(p.state, 'dashboard-1').packages['platform-dashboard']?.version, '4.14.7-1');
    equal(textOf(p.state, 'dashboard-1', `${CONFIG}.bak`), before);
    // What the package's script appended is kept, and nothing else changed.
    equal(textOf(p.state, 'dashboard-1', CONFIG), `${before ?? ''}opensearch_security.cookie.secure: true\n`);
    inOrder(ran, /copy .*dashboard\.yml\.bak/, /install/);
    const service = hostOf(p.state, 'dashboard-1').services['platform-dashboard'];
    ok((service?.readyAtMs ?? Infinity) <= p.state.nowMs, 'it does not answer yet');
    const again = await p.run('dashboard.yaml', { name: 'again' });
    deepEqual([again.end, again.acts], ['done', []]);
    Object.assign(hostOf(p.state, 'dashboard-1').packages['platform-dashboard'] ?? {}, { changedAtMs: p.state.nowMs });
    const fresh = await p.run('dashboard.yaml', { name: 'fresh' });
    done(fresh);
    equal(actsLike(fresh, /restart platform-dashboard|start platform-dashboard/).length > 0, true);
  }),
  scenario('dashboards: an upgraded configuration is not backed up, and new settings are reported', async (stage) => {
    const p = await ready(stage);
    const upgraded = await after('dashboard', stage);
    remove(upgraded.state, 'dashboard-1', /dashboard\.yml\.bak$/);
    const { packages } = hostOf(upgraded.state, 'dashboard-1');
    Object.assign(packages['platform-dashboard'] ?? {}, { changedAtMs: upgraded.state.nowMs });
    done(await upgraded.run('dashboard.yaml'));
    equal(textOf(upgraded.state, 'dashboard-1', `${CONFIG}.bak`), undefined);
    const ran = await p.run('dashboard.yaml', {
      on: ({ event }, state) => {
        if (event.e === 'effect' && event.task.step.endsWith('/Upgrade the package'))
          putFile(hostOf(state, 'dashboard-1'), `${CONFIG}.dpkg-dist`, { text: 'a.new.setting: 1\n' }, state.nowMs);
      },
    });
    done(ran);
    match(ran.warned, /dashboard\.yml was kept[\s\S]*a\.new\.setting: 1/);
  }),
  about(
    ['invariants', 'condition', 'roles'],
    'servers and dashboards: none is taken while the indexers are red or one is away',
    async (stage) => {
      for (const [made, playbook, unit] of [
        ['indexer', 'server.yaml', 'platform-manager'],
        ['server', 'dashboard.yaml', 'platform-dashboard'],
      ] as const)
        for (const harm of ['red', 'away']) {
          const p = await after(made, stage);
          if (harm === 'away') stopService(p.state, hostOf(p.state, 'indexer-3'), 'platform-indexer');
          else
            for (const copy of shardsOf(p.state.cluster)[0]?.copies ?? [])
              Object.assign(copy, { state: 'UNASSIGNED', host: null, sinceMs: p.state.nowMs });
          const ran = await p.run(playbook);
          equal(ran.end === 'done', false);
          deepEqual(actsLike(ran, new RegExp(`stop ${unit}|install`)), []);
        }
    },
  ),
  scenario('dashboards: one whose run was lost before its version record was removed is finished', async (stage) => {
    const p = await ready(stage);
    const record = '/var/lib/runbook/pending/upgrade-of-dashboard';
    // The package's own script has started it.
    await p.run('dashboard.yaml', killedAfter(/dashboard-1: apt-get .*platform-dashboard/));
    ok(textOf(p.state, 'dashboard-1', record) !== undefined, 'there is no record');
    done(await p.run('dashboard.yaml', { name: 'next' }));
    equal(textOf(p.state, 'dashboard-1', record), undefined);
    runs(p.state, 'dashboard-1', 'platform-dashboard');
  }),
  scenario('dashboards from 4.7 get the default route, later ones keep theirs', async (stage) => {
    for (const [from, route] of [
      ['4.7.5', '/app/platform-home'],
      ['4.9.2', '/app/platform'],
    ] as const) {
      const p = await stage.platform({ at: { ...CENTRAL, 'dashboard-1': from } });
      edit(p.state, 'dashboard-1', CONFIG, (text) => text.replace('/app/platform-home', '/app/platform'));
      enableRepository(p.state, 'dashboard-1');
      backUp(p.state, 'dashboard-1', '/etc/platform-dashboard', from);
      done(await p.run('dashboard.yaml'));
      const routes = (textOf(p.state, 'dashboard-1', CONFIG) ?? '').match(/^uiSettings\.overrides\.defaultRoute: .*/gm);
      deepEqual(
        routes?.map((line) => line.replaceAll('"', '')),
        [`uiSettings.overrides.defaultRoute: ${route}`],
      );
      runs(p.state, 'dashboard-1', 'platform-dashboard');
    }
  }),
  scenario('dashboards: nothing is done beside an indexer or a server of another version', async (stage) => {
    for (const host of ['indexer-2', 'server-2'])
      refused(
        await (await stage.platform({ at: { ...without(host), 'dashboard-1': '4.12.0' } })).run('dashboard.yaml'),
        /dashboards come after all indexers and servers/,
      );
  }),
  scenario('dashboards: a package that no repository offers is refused with everything running', async (stage) => {
    const p = await stage.platform({ at: without('dashboard-1') });
    backUp(p.state, 'dashboard-1', '/etc/platform-dashboard', '4.12.0');
    refused(await p.run('dashboard.yaml'), /platform-dashboard 4\.14\.7-1/);
  }),
  ...[
    [KEY, 'dashboard-key'],
    ['/etc/platform-dashboard/certs/dashboard.pem', 'dashboard.pem'],
  ].flatMap(([path = '', what = '']) => [
    scenario(`dashboards: no ${what} is reported before the package, and before the start`, async (stage) => {
      const p = await ready(stage);
      const entry = hostOf(p.state, 'dashboard-1').files[path];
      Reflect.deleteProperty(hostOf(p.state, 'dashboard-1').files, path);
      refused(await p.run('dashboard.yaml'), /there is no (key|certificate)/);
      Object.assign(hostOf(p.state, 'dashboard-1').files, { [path]: entry });
      const ran = await p.run('dashboard.yaml', {
        name: 'next',
        on: ({ event }, state) => {
          if (
            event.e === 'effect' &&
            hostOf(state, 'dashboard-1').packages['platform-dashboard']?.version === '4.14.7-1'
          )
            Reflect.deleteProperty(hostOf(state, 'dashboard-1').files, path);
        },
      });
      stopped(ran, /there is no (key|certificate)/);
      deepEqual(actsLike(ran, /start platform-dashboard/), []);
    }),
  ]),
  scenario('dashboards: a key that the dashboard cannot read is reported', async (stage) => {
    const p = await ready(stage);
    Object.assign(hostOf(p.state, 'dashboard-1').files[KEY] ?? {}, { owner: 'root', mode: '0400' });
    refused(await p.run('dashboard.yaml'), /read/);
  }),
  scenario('dashboards: of two only the one that does not run what is installed is taken again', async (stage) => {
    const p = await stage.platform(
      { from: '4.14.7' },
      shaped({ d1: 'dashboard', d2: 'dashboard', s: 'server master', i: 'indexer' }),
    );
    Object.assign(hostOf(p.state, 'd1').packages['platform-dashboard'] ?? {}, { changedAtMs: p.state.nowMs });
    for (const { name } of hostsOf(p.state, 'dashboard')) enableRepository(p.state, name);
    const ran = await p.run('dashboard.yaml');
    done(ran);
    deepEqual(actsLike(ran, /^d2: (?!directory)/), []);
    equal(actsLike(ran, /^d1: systemctl (re)?start/).length, 1);
    equal(ran.warned, '');
  }),
  scenario('dashboards: a target that was changed back while one was upgraded beyond it is refused', async (stage) => {
    const p = await stage.platform({ at: { ...CENTRAL, 'dashboard-1': '4.14.8' } });
    enableRepository(p.state, 'dashboard-1');
    putFile(
      hostOf(p.state, 'dashboard-1'),
      '/var/lib/runbook/pending/upgrade-of-dashboard',
      { text: '4.14.7-1 4.14.7-1 4.14.8-1\n' },
      1,
    );
    refused(await p.plan('dashboard.yaml'), /newer than 4\.14\.7/);
  }),
  scenario('dashboards: one that does not answer in time fails the run', async (stage) => {
    const p = await ready(stage);
    const ran = await p.run('dashboard.yaml', {
      on: (_, state) => {
        const unit = hostOf(state, 'dashboard-1').services['platform-dashboard'];
        if (unit?.runs === '4.14.7-1') unit.readyAtMs = state.nowMs + 3_600_000;
      },
    });
    stopped(ran, /dashboard is not ready/);
  }),
];

export const savedObjects: readonly Scenario[] = [
  whole('saved objects: what a migration lost is imported, once, and nothing is overwritten', async (stage) => {
    const p = await after('dashboard', stage);
    p.state.savedObjects.splice(0, p.state.savedObjects.length, {
      type: 'dashboard',
      id: 'ours',
      attributes: '{"title":"Newer"}',
    });
    done(await p.run('saved-objects.yaml'));
    deepEqual(p.state.savedObjects.map((o) => `${o.tenant ?? 'global'} ${o.id}`).sort(), [
      'admin_tenant root',
      'global alerts',
      'global ours',
    ]);
    match(JSON.stringify(p.state.savedObjects), /Newer/);
    equal(textOf(p.state, 'dashboard-1', NOTE), undefined);
    p.state.savedObjects.splice(0);
    const again = await p.run('saved-objects.yaml', { name: 'again' });
    deepEqual([again.acts, p.state.savedObjects], [[], []]);
  }),
  scenario(
    'saved objects: an operator who imports them is asked, and nothing is done where they are not wanted',
    async (stage) => {
      const p = await after('dashboard', stage);
      const no = await p.clone().run('saved-objects.yaml', { vars: { saved_objects: 'manual' }, answer: 'no' });
      match(no.asked, /Import the saved objects/);
      equal(no.end === 'done', false);
      const yes = p.clone();
      done(await yes.run('saved-objects.yaml', { vars: { saved_objects: 'manual' }, answer: 'yes' }));
      equal(textOf(yes.state, 'dashboard-1', NOTE), undefined);
      const none = await p.run('saved-objects.yaml', { vars: { saved_objects: 'none' } });
      deepEqual([none.end, none.acts, none.asked], ['done', [], '']);
    },
  ),
  scenario('saved objects: an import that the dashboard cannot take yet is tried again', async (stage) => {
    const p = await after('dashboard', stage);
    p.state.savedObjects.splice(0);
    let refusals = 0;
    const busy = each((action, real) => {
      if (refusals > 0 || action.do !== 'request' || !/_import/.test(action.request.path)) return real();
      refusals += 1;
      return Promise.resolve({ is: 'answered', status: 500, body: 'the index is not ready yet' });
    });
    done(await p.run('saved-objects.yaml', { actor: busy }));
    equal(refusals, 1);
    equal(p.state.savedObjects.length > 0, true);
  }),
  scenario('saved objects: of two dashboards the first one says that an import is due', async (stage) => {
    const { state } = await after('dashboard', stage);
    const p = await stage.platform(
      { at: { ...CENTRAL, 'dashboard-2': '4.14.7' } },
      shaped({ 'dashboard-1': 'dashboard', 'dashboard-2': 'dashboard', s: 'server master', i: 'indexer' }),
    );
    const { files } = hostOf(p.state, 'dashboard-1');
    for (const [path, file] of Object.entries(hostOf(state, 'dashboard-1').files))
      if (path === NOTE || path.includes('/before-4.14')) files[path] = file;
    p.state.savedObjects.splice(0);
    done(await p.run('saved-objects.yaml'));
    equal(p.state.savedObjects.length > 0, true);
    equal(textOf(p.state, 'dashboard-1', NOTE), undefined);
  }),
];

const central = (stage: Stage): Promise<Platform> => after('saved-objects', stage);

/** Agents that only the management API knows. */
const FAR = [1, 2, 3, 4, 5, 6].map((n) => ({
  name: `far-${n}`,
  version: n === 3 ? '4.10.0' : '4.12.0',
  ...(n === 2 ? { groups: ['web'] } : {}),
}));
const BEFORE = '/var/backups/runbook/before-4.14';
export const agents: readonly Scenario[] = [
  scenario('agents: alone, each keeps what a rollback needs, readable by root alone', async (stage) => {
    for (const rpmHosts of [[], ['linux-1']]) {
      const p = await stage.platform({ from: '4.14.7', at: { 'linux-1': '4.12.0' }, rpmHosts });
      const config = textOf(p.state, 'linux-1', '/var/platform/etc/platform.conf');
      done(await p.run('agents.yaml'));
      const { files } = hostOf(p.state, 'linux-1');
      equal(files[`${BEFORE}/4.12.0/var/platform/etc/platform.conf`]?.text, config);
      equal(files[`${BEFORE}/previous-version-of-agent`]?.text, '4.12.0-1');
      equal(p.state.hosts['linux-1']?.packages['platform-agent']?.version, '4.14.7-1');
      deepEqual([files[BEFORE]?.mode, files[`${BEFORE}/previous-version-of-agent`]?.mode], ['0700', '0600']);
      equal(
        Object.keys(files).filter((path) => /packages\/platform-agent.4\.12\.0-1.*(deb|rpm)$/.test(path)).length,
        1,
      );
      deepEqual(
        Object.keys(hostOf(p.state, 'linux-2').files).filter((path) => path.startsWith(BEFORE)),
        [],
      );
    }
  }),
  whole(
    'agents: those of the inventory by their package, with the repository on only meanwhile; the others through the API',
    async (stage) => {
      const p = await central(stage);
      const remote = [
        { name: 'far', version: '4.12.0' },
        { name: 'old', version: '4.8.2' },
      ].map((a, i) => ({
        ...(p.state.management.agents.find((x) => x.name === 'linux-1') as object),
        ...a,
        id: `10${i}`,
        ip: '10.9.9.9',
      }));
      p.state.management = { ...p.state.management, agents: [...p.state.management.agents, ...(remote as never[])] };
      const enabled = new Set<string>();
      const ran = await p.run('agents.yaml', {
        on: (_, state) => {
          for (const { name, files, packages } of hostsOf(state, 'agent'))
            if (
              /^deb |^enabled=1/m.test(
                Object.entries(files).find(([path]) => /platform\.(list|repo)$/.test(path))?.[1].text ?? '',
              )
            )
              enabled.add(`${name} ${packages['platform-agent']?.version ?? ''}`);
        },
      });
      done(ran);
      deepEqual(pointsOfNoReturn(ran), ['Upgrade Linux agents']);
      const looked = ran.events.filter((e) => e.e === 'settled' && /^Agents come after/.test(e.name));
      equal(looked.length, 2, 'once in each play');
      for (const name of ['linux-1', 'linux-2']) {
        equal(hostOf(p.state, name).packages['platform-agent']?.version, '4.14.7-1');
        runs(p.state, name, 'platform-agent', false);
      }
      deepEqual([...enabled].filter((e) => e.endsWith('4.12.0-1')).sort(), ['linux-1 4.12.0-1', 'linux-2 4.12.0-1']);
      repositoriesOff(p.state);
      const versions = p.state.management.agents.map(
        ({ name, version }) => `${name} ${version?.replace(/^\D*/, '') ?? ''}`,
      );
      deepEqual(
        versions.filter((one) => /^(far|old) /.test(one)),
        ['far 4.14.7', 'old 4.8.2'],
      );
      match(ran.warned, /old/);
      const again = await p.run('agents.yaml', { name: 'again' });
      deepEqual([again.end, actsLike(again, /install|repo|list|restart/)], ['done', []]);
    },
  ),
  scenario('agents: nothing is done beside a central component of another version', async (stage) => {
    for (const host of ['indexer-2', 'server-2', 'dashboard-1']) {
      // Each of the two plays by itself, as with --limit and with an inventory that has no agents.
      const p = await stage.platform({ at: without(host) });
      for (const limit of [new Set(['linux-1', 'linux-2']), new Set(['server-1'])])
        refused(
          await p.run('agents.yaml', { options: { limit }, name: [...limit].join() }),
          host === 'server-2' ? /does not manage an agent that is newer/ : /agents come after all central components/,
        );
    }
  }),
  scenario(
    'agents: those of the API are chosen by group, version, name and id, and each variable counts',
    async (stage) => {
      const p = await stage.platform({ from: '4.14.7', remoteAgents: FAR });
      const upgradedBy = async (vars: JsonObject): Promise<string> => {
        const one = p.clone();
        await one.run('agents.yaml', { vars });
        return one.state.management.agents
          .flatMap(({ name, version }) =>
            name.startsWith('far') && version === '4.14.7' ? [name.replace('far-', '')] : [],
          )
          .join(' ');
      };
      for (const [vars, names] of [
        [{}, '1 2 3 4 5 6'],
        [{ agents_groups: ['web'] }, '2'],
        [{ agents_versions: ['4.10'] }, '3'],
        [{ agents_names: ['far-4'] }, '4'],
        [{ agents_ids: ['005'] }, '3'],
      ] as const)
        equal(await upgradedBy(vars), names, JSON.stringify(vars));
    },
  ),
  scenario('agents: a canary first, then waves, and an end where too many of one fail', async (stage) => {
    const p = await stage.platform({ from: '4.14.7', remoteAgents: FAR });
    const waves = async (vars: JsonObject, one = p.clone()): Promise<readonly number[]> => {
      const ran = await one.run('agents.yaml', { vars });
      return actsLike(ran, /PUT \/agents\/upgrade/).map(
        (act) => (/agents_list=([\d,%C]+)/.exec(act)?.[1] ?? '').split(/,|%2C/).length,
      );
    };
    deepEqual(await waves({ agents_canary: 1, agents_wave: 2 }), [1, 2, 2, 1]);
    deepEqual(await waves({ agents_canary: 0, agents_wave: 2 }), [2, 2, 2]);
    const failing = p.clone();
    failing.state.management = {
      ...failing.state.management,
      agents: failing.state.management.agents.map((a) => (a.name === 'far-1' ? { ...a, fate: 'error' as const } : a)),
    };
    deepEqual(await waves({ agents_canary: 0, agents_wave: 2, agents_stop_at: '50%' }, failing.clone()), [2]);
    deepEqual(await waves({ agents_canary: 0, agents_wave: 2, agents_stop_at: '60%' }, failing), [2, 2, 2]);
    const byTool = await p.run('agents.yaml', { vars: { agents_method: 'tool', agents_names: ['far-1'] } });
    deepEqual(
      actsLike(byTool, /PUT|agent_upgrade/).map((act) => act.replace(/^.*\/(agent_upgrade -a \d+).*$/, '$1')),
      ['agent_upgrade -a 003'],
    );
  }),
  scenario('agents: those of a large platform are upgraded five first, then a thousand at a time', async (stage) => {
    const many = Array.from({ length: 1010 }, (_, n) => ({ name: `far-${n}`, version: '4.12.0' }));
    const p = await stage.platform({ from: '4.14.7', remoteAgents: many });
    const planned = await p.plan('agents.yaml');
    match(
      planned.events.map((e) => (e.e === 'checked' ? (e.change?.summary ?? '') : '')).join('\n'),
      /1010 agents → 4\.14\.7 in 3 waves \(5, 1000, 5\)/,
    );
  }),
  scenario('agents: one that fails stops no other, and its repository is off again', async (stage) => {
    const p = await central(stage);
    p.state.faults.push({ fault: 'start-fails', host: 'linux-1', unit: 'platform-agent' });
    const ran = await p.run('agents.yaml');
    equal(ran.end, 'failed');
    runs(p.state, 'linux-2', 'platform-agent', false);
    repositoriesOff(p.state);
    deepEqual(notRestored(ran), []);
    p.state.faults.length = 0;
    done(await p.run('agents.yaml', { verb: 'resume', past: ran.recorded }));
    runs(p.state, 'linux-1', 'platform-agent', false);
  }),
  scenario('agents: one whose process is older than its package is started anew', async (stage) => {
    const p = await after('agents', stage);
    const host = hostOf(p.state, 'linux-1');
    Object.assign(host.packages['platform-agent'] ?? {}, { changedAtMs: p.state.nowMs });
    const ran = await p.run('agents.yaml', { name: 'next' });
    done(ran);
    // What it has now is no backup of the version before.
    deepEqual(actsLike(ran, /before-4/), []);
    ok(
      (host.services['platform-agent']?.startedAtMs ?? 0) >= (host.packages['platform-agent']?.changedAtMs ?? Infinity),
      'it was not started',
    );
  }),
  whole('agents: a run ends without those that cannot be upgraded, and a later one upgrades them', async (stage) => {
    const fate = (how: 'no-package' | 'updated') =>
      FAR.map((agent, i) => ({ ...agent, version: '4.12.0', fate: i === 0 ? ('updated' as const) : how }));
    const p = await stage.platform({ from: '4.12.0', remoteAgents: fate('no-package') });
    const failed = await p.run('upgrade-4.14.yaml', { vars: { agents_canary: 0, agents_wave: 3 } });
    stopped(failed, /2 of 3 agents of wave 1 failed.*3 agents not begun.*resume -e agents_failed=warning/s);
    equal(held(p.state).length > 0, true);
    const ended = await p.run('upgrade-4.14.yaml', {
      verb: 'resume',
      past: failed.recorded,
      vars: { agents_canary: 0, agents_wave: 3, agents_failed: 'warning' },
    });
    done(ended);
    deepEqual([held(p.state), down(p.state), actsLike(ended, /agents\/upgrade\?/)], [[], [], []]);
    match(ended.warned, /2 agents not upgraded[\s\S]*3 agents left as they are: .*not begun/);
    // The verification ran: it counts them.
    match(ended.warned, /5 of \d+ agents are below 4\.14\.7/);
    const { management } = p.state;
    p.state.management = {
      ...management,
      agents: management.agents.map((a) =>
        a.name === 'far-6' ? { ...a, status: 'disconnected' } : { ...a, fate: 'updated' },
      ),
    };
    const later = await p.run('agents.yaml', { name: 'later' });
    done(later);
    match(later.warned, /1 of \d+ agents is below 4\.14\.7: far-6/);
  }),
  scenario('agents: a package index that cannot be had is asked for again', async (stage) => {
    const p = await central(stage);
    p.state.faults.push({ fault: 'download', path: '/4.x/apt/', status: 503, body: '', times: 1 });
    let asked = 0;
    const ran = await p.run('agents.yaml', {
      before: (act, state) => {
        if (/apt-get update|makecache/.test(act)) asked += 1;
        if (asked > 2) state.faults.length = 0;
      },
    });
    done(ran);
  }),
];

export const verify: readonly Scenario[] = [
  whole(
    'verify: a platform at the target is in order, its events flow, its packages are free, and its repositories off',
    async (stage) => {
      const p = await after('agents', stage);
      for (const { name, family } of Object.values(p.state.hosts))
        edit(
          p.state,
          name,
          family === 'deb' ? '/etc/apt/sources.list.d/platform.list' : '/etc/yum.repos.d/platform.repo',
          (text) => text.replace('#deb', 'deb').replace('enabled=0', 'enabled=1'),
        );
      deepEqual(held(p.state), everyPackage(p.state));
      for (const [host, unit] of [
        ['indexer-2', 'platform-indexer'],
        ['server-2', 'platform-manager'],
        ['server-2', 'filebeat'],
        ['dashboard-1', 'platform-dashboard'],
        ['linux-1', 'platform-agent'],
      ] as const)
        Object.assign(hostOf(p.state, host).services[unit] ?? {}, { enabled: false });
      const ran = await p.run('verify.yaml');
      done(ran);
      deepEqual(down(p.state), []);
      for (const host of Object.values(p.state.hosts))
        for (const [unit, { enabled }] of Object.entries(host.services))
          ok(enabled, `${unit} on ${host.name} is not enabled`);
      repositoriesOff(p.state);
      deepEqual(held(p.state), ['server-1 filebeat']);
      for (const { name, family } of Object.values(p.state.hosts))
        if (family === 'deb')
          ok(actsLike(ran, new RegExp(`^${name}: apt-get update`)).length > 0, `what apt of ${name} knows`);
      const again = await p.run('verify.yaml', { name: 'again' });
      deepEqual([again.end, again.acts], ['done', []]);
    },
  ),
  ...(
    [
      [
        'an indexer that is not at the target',
        (s) => ((hostOf(s, 'indexer-2').packages['platform-indexer'] as { version: string }).version = '4.13.1-1'),
        /installed\.indexer is 4\.13\.1-1, not 4\.14\.7/,
      ],
      [
        'an indexer whose process is older than its package',
        stale('indexer-2', 'platform-indexer'),
        /needs_restart\.indexer/,
      ],
      [
        'a manager that is not at the target',
        (s) => ((hostOf(s, 'server-2').packages['platform-manager'] as { version: string }).version = '4.13.1-1'),
        /installed\.manager is 4\.13\.1-1, not 4\.14\.7/,
      ],
      [
        'a manager whose process is older than its package',
        stale('server-2', 'platform-manager'),
        /needs_restart\.manager/,
      ],
      [
        'a shipper that is not at its version',
        (s) => ((hostOf(s, 'server-2').packages['filebeat'] as { version: string }).version = '7.10.2-1'),
        /installed\.shipper is 7\.10\.2-1, not 7\.10\.2-2/,
      ],
      ['a shipper whose process is older than its package', stale('server-2', 'filebeat'), /needs_restart\.shipper/],
      [
        'a dashboard that is not at the target',
        (s) => ((hostOf(s, 'dashboard-1').packages['platform-dashboard'] as { version: string }).version = '4.13.1-1'),
        /installed\.dashboard is 4\.13\.1-1, not 4\.14\.7/,
      ],
      [
        'a dashboard whose process is older than its package',
        stale('dashboard-1', 'platform-dashboard'),
        /needs_restart\.dashboard/,
      ],
      [
        'an agent that is not at the target',
        (s) => ((hostOf(s, 'linux-2').packages['platform-agent'] as { version: string }).version = '4.13.1-1'),
        /installed\.agent is 4\.13\.1-1, not 4\.14\.7/,
      ],
      ['an agent whose process is older than its package', stale('linux-2', 'platform-agent'), /needs_restart\.agent/],
      [
        'a pipeline that is not that of the file',
        (s) => {
          for (const key of Object.keys(s.cluster.pipelines)) s.cluster.pipelines[key] = '{}';
        },
        /does not have the pipeline or the template/,
      ],
      [
        'a template that is not that of the file',
        (s) => {
          for (const key of Object.keys(s.cluster.templates)) s.cluster.templates[key] = '{"mappings":{}}';
        },
        /does not have the pipeline or the template/,
      ],
      [
        'a cluster with a shard that is nowhere',
        (s) => {
          s.cluster.persistent['cluster.routing.allocation.enable'] = 'primaries';
          const copy = Object.values(s.cluster.indices)
            .flatMap((i) => i.shards.flatMap((x) => x.copies))
            .find((c) => !c.primary);
          Object.assign(copy ?? {}, { host: null, state: 'UNASSIGNED' });
        },
        /yellow/,
      ],
      [
        'daemons that died',
        (s) =>
          void s.faults.push({
            fault: 'program',
            host: 'server-2',
            program: 'platform-control',
            exit: 1,
            stdout: 'platform-analysisd not running...\n',
          }),
        /a daemon of the manager does not run on server-2.*analysisd/,
      ],
      [
        'a dashboard that does not answer',
        (s) =>
          Object.assign(hostOf(s, 'dashboard-1').services['platform-dashboard'] ?? {}, {
            readyAtMs: s.nowMs + 3_600_000,
          }),
        /the dashboard is not ready/,
      ],
    ] as readonly (readonly [string, (state: PlatformState) => unknown, RegExp])[]
  ).map(([name, alter, why]) =>
    scenario(`verify: ${name} is reported`, async (stage) => {
      const p = await after('agents', stage);
      alter(p.state);
      stopped(await p.run('verify.yaml'), why);
    }),
  ),
  scenario('verify: an agent that fails stops no other, and packages are freed all the same', async (stage) => {
    const p = await after('agents', stage);
    (hostOf(p.state, 'linux-1').packages['platform-agent'] as { version: string }).version = '4.13.1-1';
    const ran = await p.run('verify.yaml');
    equal(ran.end, 'failed');
    deepEqual(
      held(p.state).filter((one) => !one.startsWith('linux-1')),
      ['server-1 filebeat'],
    );
  }),
  scenario(
    'verify: a dashboard that was upgraded by hand and opens no page of its version is a warning',
    async (stage) => {
      const p = await after('agents', stage);
      for (const [route, warned] of [
        ['', true],
        ['uiSettings.overrides.defaultRoute: /app/platform\n', true],
        ['uiSettings:\n  overrides:\n    defaultRoute: /app/dashboards\n', false],
      ] as const) {
        edit(p.state, 'dashboard-1', CONFIG, (text) =>
          text.replace(/^uiSettings(?:\.overrides.*\n|:\n(?: .*\n)+)/m, '').concat(route),
        );
        const ran = await p.run('verify.yaml');
        done(ran);
        equal(/defaultRoute .*names no page of this version/.test(ran.warned), warned);
        equal(/"hint":"set it to \/app\/platform-home/.test(JSON.stringify(ran.events)), warned);
      }
    },
  ),
  scenario(
    "verify: a dashboard that cannot use the management API is a warning with the dashboard's answer",
    async (stage) => {
      const alter: readonly (readonly [RegExp, (text: string) => string])[] = [
        [/default: 401 3002 - .*status code 401/, (text) => text.replace('"username":"', '"username":"former-')],
        [/default: the connection is refused/, (text) => text.replace(/https:..[\d.]+/, 'https://192.0.2.1')],
        [/configured with no management API/, () => 'hosts: []\n'],
      ];
      for (const [why, change] of alter) {
        const p = await after('agents', stage);
        edit(p.state, 'dashboard-1', API_CONFIG, change);
        const ran = await p.run('verify.yaml');
        done(ran);
        match(ran.warned, why);
        match(JSON.stringify(ran.events.filter((e) => e.e === 'warned')), /"hint":"[^"]*config\/platform\.yml/);
      }
      const p = await after('agents', stage);
      equal(/management API:/.test((await p.run('verify.yaml')).warned), false);
    },
  ),
  scenario('verify: what ML Commons lost is reported by its name', async (stage) => {
    // Whatever host the inventory names first.
    const p = (await after('agents', stage)).told((project) => ({
      ...project,
      inventory: {
        ...project.inventory,
        hosts: project.inventory.hosts.toSorted(
          (a, b) => Number(/^indexer/.test(a.name)) - Number(/^indexer/.test(b.name)),
        ),
      },
    }));
    p.state.cluster.mlCommons?.models.pop();
    match((await p.run('verify.yaml')).warned, /the recorded model "ours" \(m1\) is gone/);
  }),
  scenario('verify: agents below the target are reported, over all pages', async (stage) => {
    const p = await after('agents', stage);
    const like = p.state.management.agents.find((a) => a.name === 'linux-1') as object;
    p.state.management = {
      ...p.state.management,
      agents: [...p.state.management.agents, { ...like, id: '900', name: 'far', version: '4.12.0' } as never],
    };
    match((await p.run('verify.yaml')).warned, /far/);
  }),
];

const RECORD = '/var/lib/runbook/pending/upgrade-of-manager';
const REPLICAS = '/var/lib/runbook/pending/accepted-replicas';

export const verifyMore: readonly Scenario[] = [
  scenario(
    'verify: a cluster that is about to be green is waited for, daemons that come up, and a fitting exit code',
    async (stage) => {
      const p = await after('agents', stage);
      createIndex(p.state, 'wide', { shards: 1, replicas: 3 });
      putFile(hostOf(p.state, 'indexer-2'), REPLICAS, { text: 'replica of wide 0\n' }, 1);
      const [copy] = createIndex(p.state, 'new', { shards: 1, replicas: 1 }).shards[0]?.copies.slice(1) ?? [];
      Object.assign(copy ?? {}, { host: null, state: 'UNASSIGNED' });
      p.state.timers.push({ atMs: p.state.nowMs + 4_000, due: 'allocate' });
      const control = { fault: 'program', host: 'server-2', program: 'platform-control' } as const;
      p.state.faults.push(
        { ...control, exit: 1, stdout: 'platform-analysisd not running...\n', times: 2 },
        { ...control, exit: 0, stdout: 'platform-analysisd is running...\n', times: 20 },
      );
      done(await p.run('verify.yaml'));
      equal(copy?.state, 'STARTED');
    },
  ),
  scenario('verify: agents that return are waited for, and where none does, that is no success', async (stage) => {
    const p = await after('agents', stage);
    const all = (status: 'active' | 'disconnected', state: PlatformState): void => {
      const agents = state.management.agents.map((a) => (a.id === '000' ? a : { ...a, status }));
      state.management = { ...state.management, agents };
    };
    all('disconnected', p.state);
    const never = p.clone();
    const startMs = never.state.nowMs;
    stopped(await never.run('verify.yaml'), /none of \d agents is active: 001 linux-1 \(v4\.14\.7\)/);
    ok(never.state.nowMs - startMs < 1_200_000);
    done(await p.clone().run('verify.yaml', { vars: { no_active_agents: 'warning' } }));
    const fromMs = p.state.nowMs;
    done(
      await p.run('verify.yaml', {
        on: ({ event }, state) => {
          if (event.e === 'waiting' && state.nowMs > fromMs + 240_000) all('active', state);
        },
      }),
    );
  }),
  scenario('verify: the pipeline and the template are waited for, but not for long', async (stage) => {
    for (const kind of ['pipelines', 'templates'] as const) {
      const p = await after('agents', stage);
      const { cluster } = p.state;
      const kept = { ...cluster[kind] };
      for (const name of Object.keys(kept)) Reflect.deleteProperty(cluster[kind], name);
      const never = p.clone();
      const startMs = never.state.nowMs;
      stopped(await never.run('verify.yaml'), /does not have the pipeline or the template/);
      ok(never.state.nowMs - startMs < 300_000);
      const fromMs = p.state.nowMs;
      done(
        await p.run('verify.yaml', {
          on: ({ event }, state) => {
            if (event.e === 'waiting' && state.nowMs > fromMs + 20_000) Object.assign(state.cluster[kind], kept);
          },
        }),
      );
    }
  }),
  scenario(
    'verify: replicas that were not accepted, or a node that is missing though all shards are placed, are reported',
    async (stage) => {
      const wide = await after('agents', stage);
      createIndex(wide.state, 'wide', { shards: 1, replicas: 3 });
      stopped(await wide.run('verify.yaml'), /replica can be on no node/);
      const p = await after('agents', stage);
      for (const { shards } of Object.values(p.state.cluster.indices))
        for (const shard of shards) {
          shard.copies.splice(1);
          Object.assign(shard.copies[0] ?? {}, { host: 'indexer-1' });
        }
      Object.assign(p.state.cluster.nodes['indexer-3'] ?? {}, { joined: false });
      stopped(await p.run('verify.yaml'), /2 of 3 nodes are in the cluster/);
    },
  ),
  scenario('verify: an event is made where a manager was upgraded, or a shipper alone', async (stage) => {
    const p = await after('agents', stage);
    putFile(hostOf(p.state, 'server-2'), RECORD, { text: '4.12.0-1 4.14.7-1\n' }, 1);
    const cut = await p.run('verify.yaml', killedAfter(/logger/));
    deepEqual([cut.end, actsLike(cut, /logger/)], ['interrupted', ['server-2: logger -t runbook']]);
    done(await p.run('verify.yaml', { verb: 'resume', past: cut.recorded }));
    const shipper = await stage.platform({ from: '4.14.7' });
    Object.assign(hostOf(shipper.state, 'server-2').packages['filebeat'] ?? {}, { version: '7.10.2-1' });
    const whole = await shipper.run('upgrade-4.14.yaml', { name: 'shipper' });
    done(whole);
    ok(actsLike(whole, /server-2: logger -t runbook/).length === 1);
  }),
  scenario('verify: a shipper from which nothing arrives is reported', async (stage) => {
    const p = await after('agents', stage);
    const unit = unitOf(p.state, 'server-2', 'filebeat');
    unit.startedAtMs = p.state.nowMs + 7_200_000;
    stopped(await p.run('verify.yaml'), /no event that server-2 made since its shipper started/);
  }),
  scenario('verify: an event that arrives after twelve minutes is waited for', async (stage) => {
    const p = await after('agents', stage);
    unitOf(p.state, 'server-2', 'filebeat').startedAtMs = p.state.nowMs + 720_000;
    done(await p.run('verify.yaml'));
  }),
  scenario('verify: without a repository only its entry is disabled', async (stage) => {
    const p = await after('agents', stage);
    edit(p.state, 'server-1', '/etc/apt/sources.list.d/platform.list', (text) => text.replace('#deb', 'deb'));
    const online = p.clone();
    const cut = await online.run('verify.yaml', killedAfter(/server-1: apt-get update/));
    equal(cut.end, 'interrupted');
    done(await online.run('verify.yaml', { verb: 'resume', past: cut.recorded }));
    const ran = await p.run('verify.yaml', { vars: { offline_packages: '/srv/packages' } });
    done(ran);
    repositoriesOff(p.state);
    deepEqual(actsLike(ran, /apt-get update/), []);
  }),
  scenario('verify: the first agents that are active are read, and all are counted', async (stage) => {
    const p = await after('agents', stage);
    const { management } = p.state;
    const more = management.agents.slice(0, 1).flatMap((a) => FAR.map(({ name }, i) => ({ ...a, id: `01${i}`, name })));
    p.state.management = { ...management, agents: [...management.agents, ...more] };
    const ran = await p.run('verify.yaml');
    const values = ran.events.flatMap((e) =>
      e.e === 'settled' && /first active agents|^Count all agents/.test(e.name) ? [JSON.stringify(e.value)] : [],
    );
    equal(values.length, 2);
    const [first = '', all = ''] = values;
    deepEqual([first.match(/"status":"active"/g)?.length, /"total":8\b/.test(all)], [5, true]);
  }),
];

function stale(host: string, name: string) {
  return (state: PlatformState): void => {
    Object.assign(hostOf(state, host).packages[name] ?? {}, { changedAtMs: state.nowMs + 1 });
  };
}

export const small: readonly Scenario[] = [
  whole(
    'allow-allocation.yaml lets all shards move again, once an operator agreed, and waits for green',
    async (stage) => {
      const p = await stage.platform({ from: '4.14.7' });
      p.state.cluster.persistent['cluster.routing.allocation.enable'] = 'primaries';
      p.state.cluster.transient['cluster.routing.allocation.enable'] = 'none';
      for (const copy of Object.values(p.state.cluster.indices).flatMap((i) => i.shards.flatMap((s) => s.copies)))
        if (!copy.primary) Object.assign(copy, { host: null, state: 'UNASSIGNED', sinceMs: p.state.nowMs });
      const no = await p.run('allow-allocation.yaml', { answer: 'no' });
      equal(allocation(p.state), 'primaries');
      match(no.asked, /while an indexer is being upgraded/);
      const yes = await p.run('allow-allocation.yaml', { answer: 'yes', name: 'next' });
      done(yes);
      deepEqual([actsLike(yes, /PUT/).length, yes.asked.split('\n').length], [1, 1]);
      deepEqual(
        [allocation(p.state), p.state.cluster.transient['cluster.routing.allocation.enable'] ?? null],
        ['all', null],
      );
      deepEqual(
        Object.values(p.state.cluster.indices)
          .flatMap((i) => i.shards.flatMap((s) => s.copies))
          .filter((c) => c.state !== 'STARTED'),
        [],
      );
    },
  ),
  scenario(
    'allow-allocation.yaml does not wait for replicas that were accepted, and says which others will never be placed',
    async (stage) => {
      for (const accepted of [true, false]) {
        const p = await stage.platform({ from: '4.14.7' });
        createIndex(p.state, 'lonely', { shards: 1, replicas: 3 });
        if (accepted)
          putFile(hostOf(p.state, 'indexer-2'), '/var/lib/runbook/pending/accepted-replicas', { text: 'lonely\n' }, 1);
        const ran = await p.run('allow-allocation.yaml', { answer: 'yes' });
        if (accepted) done(ran);
        else stopped(ran, /1 replica can be on no node/);
      }
    },
  ),
  whole('restart-dashboard.yaml restarts each dashboard once an operator agreed', async (stage) => {
    const p = await stage.platform({ from: '4.14.7' });
    const unit = unitOf(p.state, 'dashboard-1', 'platform-dashboard');
    const { starts } = unit;
    await p.run('restart-dashboard.yaml', { answer: 'no' });
    equal(unit.starts, starts);
    const ran = await p.run('restart-dashboard.yaml', { answer: 'yes', name: 'next' });
    done(ran);
    equal(unit.starts, starts + 1);
    match(ran.asked, /Clear your browser's cache/);
    ok(unit.readyAtMs <= p.state.nowMs, 'it does not answer yet');
  }),
  scenario('restart-dashboard.yaml starts the dashboard again when the run is stopped in between', async (stage) => {
    const p = await stage.platform({ from: '4.14.7' });
    await stoppedAt(p, 'restart-dashboard.yaml', /systemctl stop/, { answer: 'yes' });
    deepEqual(down(p.state), []);
  }),
  scenario(
    'restart-dashboard.yaml leaves a dashboard without its certificate running, and gives one back that fails',
    async (stage) => {
      const p = await stage.platform({ from: '4.14.7' });
      const entry = hostOf(p.state, 'dashboard-1').files[KEY];
      Reflect.deleteProperty(hostOf(p.state, 'dashboard-1').files, KEY);
      refused(await p.run('restart-dashboard.yaml', { answer: 'yes' }), /there is no key/);
      Object.assign(hostOf(p.state, 'dashboard-1').files, { [KEY]: { ...entry, owner: 'root', mode: '0400' } });
      refused(await p.run('restart-dashboard.yaml', { answer: 'yes', name: 'b' }), /read/);
      Object.assign(hostOf(p.state, 'dashboard-1').files, { [KEY]: entry });
      const cut = await p.run('restart-dashboard.yaml', {
        answer: 'yes',
        name: 'c',
        on: (_, state) => {
          const unit = hostOf(state, 'dashboard-1').services['platform-dashboard'];
          if ((unit?.starts ?? 0) > 1) Object.assign(unit ?? {}, { readyAtMs: state.nowMs + 3_600_000 });
        },
      });
      stopped(cut, /the dashboard is not ready/);
      deepEqual(down(p.state), []);
    },
  ),
  whole('end-holds.yaml frees what prepare.yaml held, on every host, though one fails', async (stage) => {
    const p = await after('prepare', stage);
    // A later release unlocks what an earlier one has locked: both have the record in one place.
    ok(textOf(p.state, 'linux-1', '/var/lib/runbook-holds') !== undefined, 'there is no record');
    p.state.faults.push({ fault: 'unreachable', host: 'linux-1' });
    await p.run('end-holds.yaml');
    deepEqual([...held(p.state)].sort(), ['linux-1 platform-agent', 'server-1 filebeat']);
    p.state.faults.length = 0;
    done(await p.run('end-holds.yaml', { name: 'next' }));
    deepEqual(held(p.state), ['server-1 filebeat']);
    deepEqual(
      Object.values(p.state.hosts).filter((h) => h.files['/var/lib/runbook-holds'] !== undefined),
      [],
    );
  }),
];
