import { putFile } from '../../../engine/simulator/files.js';
import type { Project } from '../../../engine/language/project.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { waiving, wrongWaiver } from '../../../engine/cli/run/waive.js';
import { pushDue } from './indexer.js';
import {
  actsLike,
  deepEqual,
  doesNotMatch,
  done,
  equal,
  hostOf,
  hostsOf,
  match,
  ok,
  refused,
  textOf,
} from '../look.js';
import {
  after,
  edit,
  enableRepository,
  from,
  ours,
  refusesOutput,
  remove,
  stoppedAfter,
  twoDashboards,
  upgraded,
  withAgents,
} from '../ours.js';
import { BEFORE, central, PREVIOUS, to } from './rollback.js';
import { SHAPES, shaped } from '../../playbooks/platform-shapes.js';
import { scenario, type Scenario } from '../scenario.js';
import type { Options, Platform, Stage } from '../stage.js';

/*
 * Rules that no option removes (issue 39, language.md §5): each of these was READY or done while they were steps.
 */

const limited = (...hosts: readonly string[]): Options => ({ options: { limit: new Set(hosts) } });

const aimingAt =
  (target: string) =>
  (project: Project): Project => ({
    ...project,
    inventory: { ...project.inventory, platform: { ...project.inventory.platform, target } },
  });

const ALLOCATION = 'cluster.routing.allocation.enable';
const PUSH = /indexer-security-init\.sh$/;
const PUSH_RECORD = '/var/lib/runbook/pending/security-configuration';
const PACKAGES = { indexer: 'platform-indexer', server: 'platform-manager', dashboard: 'platform-dashboard' } as const;

/** Another version of the component of these hosts, as a person installs it by hand. */
const byHand =
  (version: string, ...hosts: readonly string[]) =>
  (state: PlatformState): void => {
    for (const host of hosts)
      for (const [role, name] of Object.entries(PACKAGES))
        if (host.startsWith(role)) putVersion(state, host, name, version);
  };

const putVersion = (state: PlatformState, host: string, name: string, version: string): void => {
  const found = hostOf(state, host).packages[name];
  if (found === undefined) throw new Error(`${host} has no ${name}`);
  found.version = version;
};

/** The plan says so, and an apply does nothing to a service or a package. */
async function neverBegun(p: Platform, playbook: string, options: Options, why: RegExp): Promise<void> {
  refused(await p.clone().plan(playbook, options), why);
  const ran = await p.run(playbook, options);
  match(ran.why, why);
  deepEqual(
    actsLike(ran, /systemctl (stop|start|restart)|apt-get install|dnf |dpkg -i|POST \/_security|agents\/upgrade/),
    [],
  );
}

const never = (
  name: string,
  make: (stage: Stage) => Promise<Platform>,
  [playbook, options, why]: readonly [string, Options, RegExp],
  change: (project: Project) => Project = (project) => project,
): Scenario =>
  scenario(`requirements: ${name}`, async (stage) => {
    const p = (await make(stage)).clone();
    await neverBegun(
      p.told((project) => change(p.change(project))),
      playbook,
      options,
      why,
    );
  });

/** The plan of this playbook is refused nowhere. */
const allowed = (
  name: string,
  make: (stage: Stage) => Promise<Platform>,
  [playbook, options]: readonly [string, Options],
  change: (project: Project) => Project = (project) => project,
): Scenario =>
  scenario(`requirements: ${name}`, async (stage) => {
    const p = (await make(stage)).clone();
    equal((await p.told((project) => change(p.change(project))).plan(playbook, options)).why, '');
  });

/** From the step on that installs the component, as `--start-at-step` leaves it: no earlier play has asked for anything. */
const fromInstalled =
  (component: string) =>
  (project: Project): Project => {
    const play = project.playbook.plays.find(({ leadsTo }) => leadsTo?.[component] !== undefined);
    return from(`${play?.name ?? ''} / ${play?.leadsTo?.[component]?.name ?? ''}`)(project);
  };

const withoutHosts =
  (...names: readonly string[]) =>
  ({ inventory, ...project }: Project): Project => ({
    ...project,
    inventory: { ...inventory, hosts: inventory.hosts.filter(({ name }) => !names.includes(name)) },
  });

/** Each host is offered this release, too. */
function offering(p: Platform, version: string): Platform {
  const offers = p.clone();
  for (const [name, versions] of Object.entries(offers.state.repository))
    if (name.startsWith('platform-')) versions.push(`${version}-1`);
  for (const host of Object.keys(offers.state.hosts)) enableRepository(offers.state, host);
  return offers;
}

const prepared = (stage: Stage): Promise<Platform> => after('prepare', stage);
const withIndexers = (stage: Stage): Promise<Platform> => after('indexer', stage);

const altered =
  (part: Parameters<typeof after>[0], by: (state: PlatformState) => void) =>
  async (stage: Stage): Promise<Platform> => {
    const p = (await after(part, stage)).clone();
    by(p.state);
    return p;
  };

const later =
  (hours: number) =>
  (state: PlatformState): void => {
    state.nowMs += hours * 3_600_000;
  };

/** As a closed run leaves it: the package is at the target, what comes after it failed. */
const unfinished =
  (host: string) =>
  (state: PlatformState): void => {
    const component = host.replace(/-\d+$/, '').replace('server', 'manager');
    putFile(hostOf(state, host), `/var/lib/runbook/pending/upgrade-of-${component}`, { text: '4.12.0-1\n' }, 1);
  };

export const requirements: readonly Scenario[] = [
  never('one indexer alone is not upgraded', prepared, [
    'indexer.yaml',
    limited('indexer-1'),
    /central components would end at different versions/,
  ]),
  never('no servers while the indexers are old', prepared, ['server.yaml', {}, /servers come after all indexers/]),
  never('the master alone is not upgraded before its workers', withIndexers, [
    'server.yaml',
    limited('server-1'),
    /the master comes after all workers/,
  ]),
  never('no dashboard while the servers are old', withIndexers, [
    'dashboard.yaml',
    limited('dashboard-1'),
    /dashboards come after all indexers and servers/,
  ]),
  never(
    'no agent above its server, wherever the run starts',
    prepared,
    ['upgrade-4.14.yaml', limited('linux-1'), /a server does not manage an agent that is newer/],
    from('Upgrade Linux agents / Enable the repository'),
  ),
  never('no agents through the API while the servers are old', prepared, [
    'agents.yaml',
    limited('server-1'),
    /a server does not manage an agent that is newer/,
  ]),
  scenario('requirements: no server goes below an agent, neither one of the inventory nor another', async (stage) => {
    for (const newer of ['inventory', 'API', 'none'] as const) {
      const p = (await withAgents(stage)).clone();
      done(await p.run('rollback-dashboard.yaml', { ...to(), name: 'dashboards', answer: 'yes' }));
      if (newer !== 'inventory')
        for (const host of hostsOf(p.state, 'agent'))
          for (const agent of Object.values(host.packages)) agent.version = '4.12.0-1';
      const older = p.state.management.agents.map((a) => ({ ...a, version: '4.12.0' }));
      const other = older
        .slice(-1)
        .map((a) => ({ ...a, id: '099', name: 'other', version: newer === 'API' ? '4.14.7' : a.version }));
      p.state.management = { ...p.state.management, agents: [...older, ...other] };
      if (newer === 'none') ok(!(await p.plan('rollback/server.yaml', to())).why.includes('newer'));
      else
        await neverBegun(
          p,
          'rollback/server.yaml',
          to(),
          newer === 'API' ? /newer than 4\.12\.0/ : /beside newer agents/,
        );
    }
  }),
  scenario('requirements: no target of another release line', async (stage) => {
    const plain = await stage.platform();
    done(await plain.run('prepare.yaml', { name: 'prepare' }));
    const p = offering(plain, '4.15.0').told(aimingAt('4.15.0'));
    refused(await p.plan('indexer.yaml'), /is not of release line 4\.14/);
  }),
  never(
    'no target below what is installed, also in the middle of the indexers',
    async (stage) => offering(await stoppedAfter(stage, 1), '4.14.6'),
    ['indexer.yaml', {}, /a component is newer than 4\.14\.6, which is platform\.target/],
    aimingAt('4.14.6'),
  ),
  never('no servers while a push of the security configuration is due', altered('indexer', pushDue), [
    'server.yaml',
    {},
    /servers come after all indexers.*indexer-1/,
  ]),
  never('no servers while the upgrade of an indexer is unfinished', altered('indexer', unfinished('indexer-2')), [
    'server.yaml',
    {},
    /servers come after all indexers.*indexer-2/,
  ]),
  scenario('requirements: neither the master nor a dashboard after a worker whose shipper failed', async (stage) => {
    const p = (await withIndexers(stage)).clone();
    const failed = await p.run('server.yaml', refusesOutput('server-2'));
    match(failed.why, /test output/);
    await neverBegun(p, 'server.yaml', limited('server-1'), /the master comes after all workers.*server-2/);
    await neverBegun(p, 'dashboard.yaml', {}, /dashboards come after all indexers and servers/);
  }),
  scenario('requirements: no dashboard after a master whose shipper failed', async (stage) => {
    const p = (await withIndexers(stage)).clone();
    match((await p.run('server.yaml', refusesOutput('server-1'))).why, /test output/);
    await neverBegun(p, 'dashboard.yaml', {}, /dashboards come after all indexers and servers.*server-1/);
    p.state.faults.length = 0;
    done(await p.run('server.yaml', { name: 'servers to the end' }));
    done(await p.run('dashboard.yaml', { name: 'dashboard after that' }));
  }),
  ...['server', 'dashboard'].map((part) =>
    never(`nothing goes below 4.12: rollback/${part}.yaml`, (stage) => upgraded(stage), [
      `rollback/${part}.yaml`,
      {
        vars: {
          rollback_to: '4.11.2',
          rollback_packages: { indexer: '4.11.2-1', manager: '4.11.2-1', dashboard: '4.11.2-1', shipper: '' },
        },
      },
      /a downgrade to 4\.11 or earlier is impossible/,
    ]),
  ),
  ...(
    [
      ['indexer', 'prepare', 'indexer.yaml'],
      ['manager', 'indexer', 'server.yaml'],
      ['dashboard', 'server', 'dashboard.yaml'],
      ['agent', 'dashboard', 'agents.yaml'],
    ] as const
  ).map(([component, part, playbook]) =>
    never(
      `no ${component} of another release line, wherever the run starts`,
      (stage) => after(part, stage),
      [playbook, {}, /is not of release line 4\.14/],
      (project) => fromInstalled(component)(aimingAt('4.15.0')(project)),
    ),
  ),
  never(
    'no indexer goes below 4.12, wherever the rollback starts',
    async (stage) => {
      const p = (await upgraded(stage)).clone();
      byHand('4.11.2-1', 'server-1', 'server-2', 'dashboard-1')(p.state);
      return p;
    },
    [
      'rollback-indexer.yaml',
      to({
        vars: {
          rollback_to: '4.11.2',
          rollback_packages: { indexer: '4.11.2-1', manager: '4.11.2-1', dashboard: '4.11.2-1', shipper: '' },
        },
      }),
      /a downgrade to 4\.11 or earlier is impossible/,
    ],
    fromInstalled('indexer'),
  ),
  ...(
    [
      ['dashboard', ['server-1', 'server-2']],
      ['server', ['dashboard-1', 'server-2']],
    ] as const
  ).map(([newer, back]) =>
    never(
      `no indexer goes back before a ${newer}, wherever the rollback starts`,
      async (stage) => {
        const p = (await upgraded(stage)).clone();
        byHand('4.12.0-1', ...back)(p.state);
        return p;
      },
      ['rollback-indexer.yaml', to(), /beside newer parts: the order of a rollback is/],
      fromInstalled('indexer'),
    ),
  ),
  never('no server goes back before a dashboard', (stage) => upgraded(stage), [
    'rollback/server.yaml',
    to(),
    /beside newer dashboards: the order of a rollback is/,
  ]),
  ...(
    [
      ['indexers', ['indexer-1', 'indexer-2', 'indexer-3'], 'rollback-indexer.yaml', 'indexer'],
      ['servers', ['server-1', 'server-2'], 'rollback/server.yaml', 'manager'],
    ] as const
  ).map(([what, hosts, playbook, component]) =>
    scenario(`requirements: ${what} that have the previous package only restart beside newer parts`, async (stage) => {
      const p = (await upgraded(stage)).clone();
      byHand('4.12.0-1', ...hosts)(p.state);
      for (const host of hosts)
        for (const entry of Object.values(hostOf(p.state, host).packages)) entry.changedAtMs = p.state.nowMs;
      const atPackage = p.told((project) => fromInstalled(component)(p.change(project)));
      doesNotMatch((await atPackage.plan(playbook, to())).why, /the order of a rollback is/);
    }),
  ),
  scenario('requirements: of two dashboards each counts', async (stage) => {
    const p = await stage.platform({}, twoDashboards);
    const why = async (playbook: string, component: string, options?: Options): Promise<string> =>
      (await p.told((project) => fromInstalled(component)(p.change(project))).plan(playbook, options)).why;
    byHand('4.14.7-1', 'indexer-1', 'indexer-2', 'indexer-3', 'server-1', 'server-2', 'dashboard-1')(p.state);
    match(await why('agents.yaml', 'agent'), /agents come after all central components/);
    match(await why('rollback/server.yaml', 'manager', to()), /beside newer dashboards/);
    byHand('4.12.0-1', 'server-1', 'server-2')(p.state);
    match(await why('rollback-indexer.yaml', 'indexer', to()), /beside newer parts/);
  }),
  scenario('requirements: an agent goes down where it can, also when it stays above its server', async (stage) => {
    const p = (await withAgents(stage)).clone();
    byHand('4.12.0-1', 'server-1', 'server-2')(p.state);
    putFile(hostOf(p.state, 'linux-2'), PREVIOUS, { text: '4.13.0-1' }, 1);
    const atAgents = p.told((project) => fromInstalled('agent')(p.change(project)));
    const planned = await atAgents.plan('rollback.yaml', to({ vars: { newer_agents: 'warning' } }));
    doesNotMatch(planned.why, /a server does not manage an agent/);
  }),
  scenario('requirements: where there is no dashboard and no worker, nothing waits for them', async (stage) => {
    const p = await stage.platform({}, withoutHosts('dashboard-1', 'server-2'));
    done(await p.run('upgrade-4.14.yaml'));
    equal((await p.plan('rollback/server.yaml', to({ vars: { newer_agents: 'warning' } }))).why, '');
    equal(
      (await p.told(withoutHosts('dashboard-1', 'server-1', 'server-2')).plan('rollback-indexer.yaml', to())).why,
      '',
    );
  }),
  ...(
    [
      ['server-1', 'indexer', 'server.yaml'],
      ['dashboard-1', 'server', 'dashboard.yaml'],
      ['server-2', 'prepare', 'indexer.yaml'],
      ['dashboard-1', 'prepare', 'indexer.yaml'],
      ['indexer-1', 'prepare', 'indexer.yaml'],
    ] as const
  ).map(([host, part, playbook]) =>
    scenario(
      `requirements: that ${host} is above the target is why ${playbook} does nothing, not its backup`,
      async (stage) => {
        const p = await altered(part, byHand('4.14.8-1', host))(stage);
        doesNotMatch((await p.plan(playbook)).why, / holds no /);
        await neverBegun(p, playbook, {}, /a component is newer than 4\.14\.7, which is platform\.target/);
      },
    ),
  ),
  ...(['Protect the cluster / Flush the transaction log', 'Upgrade each node / Stop the indexer'] as const).map(
    (step) =>
      never(
        `no target below what is installed, from ${step}`,
        async (stage) => offering(await stoppedAfter(stage, 1), '4.14.6'),
        ['indexer.yaml', {}, /a component is newer than 4\.14\.6, which is platform\.target/],
        (project) => from(step)(aimingAt('4.14.6')(project)),
      ),
  ),
  {
    about: ['requires'],
    ...never(
      'no target below what is installed, from the first server on',
      async (stage) => {
        const p = await stage.platform({ offers: ['4.14.6'] });
        done(await p.told(aimingAt('4.14.6')).run('prepare.yaml', { name: 'prepare' }));
        byHand('4.14.7-1', 'indexer-1', 'indexer-2', 'indexer-3')(p.state);
        return p;
      },
      ['server.yaml', {}, /a component is newer than 4\.14\.6, which is platform\.target/],
      (project) => fromInstalled('manager')(aimingAt('4.14.6')(project)),
    ),
  },
  never('all but one indexer are not upgraded, and no shipper stops for them', prepared, [
    'indexer.yaml',
    limited('indexer-1', 'indexer-3', 'server-1', 'server-2', 'dashboard-1'),
    /central components would end at different versions/,
  ]),
  never(
    'all but one indexer are not upgraded, wherever the run starts',
    prepared,
    [
      'indexer.yaml',
      limited('indexer-1', 'indexer-3', 'server-1', 'server-2', 'dashboard-1'),
      /central components would end at different versions/,
    ],
    fromInstalled('indexer'),
  ),
  never('a worker is not upgraded without the master', withIndexers, [
    'server.yaml',
    limited('server-2', 'dashboard-1'),
    /central components would end at different versions/,
  ]),
  never(
    'one dashboard of two alone is not upgraded',
    async (stage) => {
      const p = await stage.platform({}, twoDashboards);
      byHand('4.14.7-1', 'indexer-1', 'indexer-2', 'indexer-3', 'server-1', 'server-2')(p.state);
      return p;
    },
    ['dashboard.yaml', limited('dashboard-1'), /central components would end at different versions/],
  ),
  scenario('requirements: of all on one host, what stays below 4.12 for now stops nothing', async (stage) => {
    const p = await stage.platform({ from: '4.10.1' }, shaped(SHAPES['everything on one host'] ?? {}));
    const { why } = await p.plan('upgrade-4.14.yaml');
    doesNotMatch(why, /downgrade|release line/);
  }),
  scenario('requirements: of all on one host, an indexer below 4.12 is not why its server waits', async (stage) => {
    const p = await stage.platform({ from: '4.10.1' }, shaped(SHAPES['everything on one host'] ?? {}));
    const atServer = p.told((project) => fromInstalled('manager')(p.change(project)));
    const { why } = await atServer.plan('server.yaml');
    match(why, /servers come after all indexers/);
    doesNotMatch(why, /downgrade|release line/);
  }),
  never('the servers without the dashboards are not upgraded', withIndexers, [
    'server.yaml',
    limited('server-1', 'server-2'),
    /central components would end at different versions/,
  ]),
  allowed('the servers alone are upgraded where the rest is', altered('indexer', byHand('4.14.7-1', 'dashboard-1')), [
    'server.yaml',
    limited('server-1', 'server-2'),
  ]),
  allowed('the dashboards alone are upgraded where the rest is', (stage) => after('server', stage), [
    'dashboard.yaml',
    limited('dashboard-1'),
  ]),
  never(
    'no servers while an indexer is old, wherever the run starts',
    altered('indexer', byHand('4.12.0-1', 'indexer-2')),
    ['server.yaml', {}, /servers come after all indexers/],
    fromInstalled('manager'),
  ),
  scenario('requirements: that an indexer is old is why no server is upgraded, not its backup', async (stage) => {
    const p = (await stoppedAfter(stage, 2)).clone();
    remove(p.state, 'server-1', /^\/var\/backups\/runbook\/before-4\.14\//);
    const { why } = await p.plan('server.yaml');
    match(why, /servers come after all indexers/);
    doesNotMatch(why, / holds no /);
  }),
  ...(['indexer-2', 'server-2', 'dashboard-1'] as const).flatMap((host) => {
    const old = [`an old ${host}`, byHand('4.12.0-1', host)] as const;
    const begun = [`${host}, whose upgrade is unfinished`, unfinished(host)] as const;
    return [old, begun].flatMap(([name, by]) => [
      never(`no agents before ${name}`, altered('dashboard', by), [
        'agents.yaml',
        {},
        new RegExp(
          name === 'an old server-2'
            ? 'does not manage an agent that is newer.*server-2'
            : `agents come after all central components.*${host}`,
        ),
      ]),
      ...(host === 'dashboard-1'
        ? []
        : [
            never(`no dashboard before ${name}`, altered('server', by), [
              'dashboard.yaml',
              {},
              new RegExp(`dashboards come after all indexers and servers.*${host}`),
            ]),
          ]),
    ]);
  }),
  scenario('requirements: what is unfinished keeps no rollback from beginning', async (stage) => {
    const p = (await withAgents(stage)).clone();
    for (const host of ['indexer-1', 'server-2', 'dashboard-1']) unfinished(host)(p.state);
    equal((await p.plan('rollback.yaml', to())).why, '');
  }),
  scenario('requirements: what a person upgraded by hand is finished, not refused', async (stage) => {
    const p = await ours(stage);
    putVersion(p.state, 'server-1', 'platform-manager', '4.14.7-1');
    const planned = await p.plan('indexer.yaml');
    ok(!/servers come after|master comes after/.test(planned.why), planned.why);
  }),
  scenario('requirements: they are asked again when a run is continued', async (stage) => {
    const p = (await withIndexers(stage)).clone();
    let begun = false;
    const cut = await p.run('server.yaml', {
      stopping: () => begun,
      before: (act) => {
        begun ||= /^server-2: .*systemctl stop/.test(act);
      },
    });
    putVersion(p.state, 'indexer-1', 'platform-indexer', '4.12.0-1');
    const resumed = await p.run('server.yaml', { verb: 'resume', past: cut.recorded, name: 'resumed' });
    match(resumed.why, /servers come after all indexers/);
    deepEqual(
      hostsOf(p.state, 'master').map(({ packages }) => packages['platform-manager']?.version),
      ['4.12.0-1'],
    );
  }),
  scenario('requirements: node by node, by waiving: a push and allocation wait for the last node', async (stage) => {
    const p = (await prepared(stage)).clone();
    const waiver = p.told((project) => waiving(p.change(project), ['central_components_included']));
    for (const node of ['indexer-2', 'indexer-3']) {
      const one = await waiver.run('indexer.yaml', { ...limited(node), name: node });
      done(one);
      match(one.warned, /waived: All central components are included/);
      match(one.warned, /shard allocation stays at primaries/);
      deepEqual([p.state.cluster.persistent[ALLOCATION], actsLike(one, PUSH)], ['primaries', []]);
    }
    const planned = await p.plan('upgrade-4.14.yaml');
    deepEqual([planned.end, planned.asked], ['done', '']);
    const rest = await p.run('indexer.yaml', { name: 'the rest' });
    done(rest);
    deepEqual(
      [
        p.state.cluster.persistent[ALLOCATION],
        actsLike(rest, PUSH).length,
        hostsOf(p.state, 'indexer').map(({ name }) => textOf(p.state, name, PUSH_RECORD)),
      ],
      ['all', 1, ['applied\n', undefined, undefined]],
    );
  }),
  scenario('requirements: the order can be waived, but neither target nor release line nor floor', async (stage) => {
    const project = await stage.shipped.project('upgrade-4.14.yaml');
    const waiver = (name: string): string | undefined =>
      wrongWaiver(project, { waive: [name], reason: 'a test', without: undefined });
    for (const name of ['target_not_below_installed', 'in_release_line', 'not_below_4_12', 'no_agent_above_servers'])
      match(waiver(name) ?? '', /cannot be waived/);
    for (const name of ['central_components_included', 'servers_after_indexers', 'agents_after_central'])
      equal(waiver(name), undefined);
  }),
  scenario('requirements: no agent above its server, also where the order is waived', async (stage) => {
    const p = (await prepared(stage)).clone();
    const waiver = p.told((project) => waiving(p.change(project), ['agents_after_central']));
    await neverBegun(waiver, 'agents.yaml', {}, /a server does not manage an agent that is newer/);
  }),
  scenario('requirements: agents alone are upgraded where the rest is', async (stage) => {
    const p = (await after('dashboard', stage)).clone();
    done(await p.run('agents.yaml', { ...limited('linux-1'), name: 'one agent' }));
  }),
  ...(['indexer', 'server', 'dashboard'] as const).map((part) =>
    scenario(`requirements: ${part}.yaml by itself can be rolled back as the whole upgrade can`, async (stage) => {
      const p = (await after(part, stage)).clone();
      done(await p.run('rollback.yaml', to({ name: 'back' })));
      deepEqual(central(p.state), BEFORE);
    }),
  ),
  ...(['indexer', 'server', 'dashboard'] as const).flatMap((part) => {
    const before = { indexer: 'prepare', server: 'indexer', dashboard: 'server' } as const;
    const withoutBackups = altered(before[part], (state) => {
      for (const host of hostsOf(state, part)) remove(state, host.name, /^\/var\/backups\/runbook\/before-4\.14\//);
    });
    const why = /before-4\.14\/4\.12\.0 holds no /;
    const component = part === 'server' ? 'manager' : part;
    return [
      never(`nothing of ${part}.yaml where no rollback could restore its configuration`, withoutBackups, [
        `${part}.yaml`,
        {},
        why,
      ]),
      never(
        `no ${component} without a backup, wherever the run starts`,
        withoutBackups,
        [`${part}.yaml`, {}, why],
        fromInstalled(component),
      ),
    ];
  }),
  ...[(project: Project): Project => project, fromInstalled('indexer')].map((change, i) =>
    never(
      `no indexer where the last snapshot is old${i === 0 ? '' : ', wherever the run starts'}`,
      altered('prepare', later(25)),
      ['indexer.yaml', {}, /before-upgrades has no complete snapshot of the last 1 d/],
      change,
    ),
  ),
  never(
    'no push while an indexer is old, wherever the run starts',
    (stage) => stoppedAfter(stage, 1),
    ['indexer.yaml', {}, /not applied to a cluster of several versions/],
    from('Restore the cluster settings / No users, roles or mappings were lost'),
  ),
  never('no indexer where no snapshot repository is named', prepared, [
    'indexer.yaml',
    { vars: { snapshot_repository: '' } },
    /no snapshot repository is named/,
  ]),
  allowed('no snapshot is needed where none is wanted', altered('prepare', later(25)), [
    'indexer.yaml',
    { vars: { snapshot: 'none' } },
  ]),
  scenario('requirements: an upgrade that is in progress needs no younger snapshot', async (stage) => {
    const p = (await stoppedAfter(stage, 1)).clone();
    later(25)(p.state);
    equal((await p.plan('indexer.yaml')).why, '');
  }),
  scenario('requirements: that previous packages are gone is said before the first indexer', async (stage) => {
    const p = (await prepared(stage)).clone();
    doesNotMatch((await p.plan('indexer.yaml')).warned, /previous packages/);
    remove(p.state, 'server-1', /\/platform-manager[-_]4\.12\.0/);
    match((await p.plan('indexer.yaml')).warned, /previous packages are not on every host/);
  }),
  ...['/var/platform/etc', '/etc/filebeat'].map((path) =>
    never(
      `no server where the backup lacks ${path}`,
      altered('indexer', (state) => remove(state, 'server-2', new RegExp(`before-4\\.14/4\\.12\\.0${path}`))),
      ['server.yaml', {}, new RegExp(`before-4\\.14/4\\.12\\.0 holds no ${path}`)],
    ),
  ),
  scenario('requirements: what the operator changed after the backup stays', async (stage) => {
    const p = (await prepared(stage)).clone();
    const config = '/etc/platform-indexer/opensearch.yml';
    edit(p.state, 'indexer-2', config, (text) => `${text}# ours, since the backup\n`);
    done(await p.run('indexer.yaml', { name: 'after the change' }));
    match(textOf(p.state, 'indexer-2', config) ?? '', /# ours, since the backup\n/);
  }),
];
