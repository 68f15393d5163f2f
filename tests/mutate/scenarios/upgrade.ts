import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { advance } from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { putFile } from '../../../engine/simulator/files.js';
import { crashingAt } from '../../run/bench-hosts.js';
import { alerts } from '../../playbooks/alerts.js';
import { offlineFolder, type Packed } from '../../playbooks/upgrade/offline-folder.js';
import {
  actsLike,
  allocation,
  deepEqual,
  doesNotMatch,
  done,
  down,
  equal,
  hostOf,
  hostsOf,
  inOrder,
  match,
  ok,
  notRestored,
  refused,
  stopped,
  textOf,
  unitOf,
} from '../look.js';
import { shaped } from '../../playbooks/platform-shapes.js';
import { after, DISTURBING, ours, outputRefusedOnce, running, stoppedAfter } from '../ours.js';
import { about, scenario, whole, type Scenario } from '../scenario.js';
import { each, slow, slowReader } from '../slow.js';
import type { Platform, Stage, Told } from '../stage.js';
import { stoppedAt } from './killed.js';
import { allBackedUp, everyPackage, fetched, held, repositoriesOff } from './prepare.js';
import { MIDNIGHT } from './rollback.js';
import { serversUpgraded } from './server.js';

const PLAYBOOK = 'upgrade-4.14.yaml';
const KEPT = '/var/backups/runbook/before-4.14';
const HELD = 'Lock the packages';
const STOP = /: systemctl stop platform-indexer$/;
const JVM = '/etc/platform-indexer/jvm.options';
const CONFIGURATIONS = [
  ['indexer-2', JVM],
  ['server-2', '/var/platform/etc/platform.conf'],
] as const;
const FIRST = /: systemctl stop filebeat$/;

/** The same platform, whose playbooks have another target. */
const towards = (p: Platform, target: string): Platform =>
  p.told((project) => {
    const { inventory } = project;
    return { ...project, inventory: { ...inventory, platform: { ...inventory.platform, target } } };
  });

/** An upgrade that stops at an act, and is released. */
async function cutAt(p: Platform, playbook: string, act: RegExp, name: string): Promise<void> {
  const cut = await stoppedAt(p, playbook, act, { answer: 'yes', name });
  await p.run(playbook, { verb: 'close', past: cut.recorded });
}

/** Everything is at the target, runs, starts by itself, and nothing temporary is left. */
export function isUpgraded(state: PlatformState, keeps: readonly string[] = []): void {
  for (const host of Object.values(state.hosts))
    for (const [name, { version, status }] of Object.entries(host.packages))
      deepEqual(
        [host.name, name, version, status],
        [host.name, name, name === 'filebeat' ? '7.10.2-2' : '4.14.7-1', 'ii'],
      );
  for (const host of Object.values(state.hosts))
    for (const [name, unit] of Object.entries(host.services))
      if (!DISTURBING.includes(name))
        deepEqual(
          [host.name, name, unit.active, unit.enabled, unit.needsReload, unit.runs],
          [host.name, name, 'active', true, false, host.packages[name]?.version],
        );
  deepEqual([allocation(state), state.cluster.transient, held(state)], ['all', {}, keeps]);
  serversUpgraded(state);
  repositoriesOff(state);
  deepEqual(
    Object.values(state.hosts)
      .filter((h) => h.files['/var/lib/runbook-holds'] !== undefined)
      .map((h) => h.name),
    [],
  );
}

/** The platform that a resume comes back to is the one that an uncut run leaves. */
async function resumed(p: Platform, cut: Told): Promise<void> {
  p.state.faults.length = 0;
  done(await p.run(PLAYBOOK, { verb: 'resume', past: cut.recorded, answer: 'yes' }));
  isUpgraded(p.state);
}

export const upgrade: readonly Scenario[] = [
  whole(
    'upgrade: from preparation to verification, in order, with everything kept and nothing temporary left',
    async (stage) => {
      const p = await ours(stage);
      const yml = '/etc/platform-indexer/opensearch.yml';
      putFile(hostOf(p.state, 'indexer-2'), `${yml}.dpkg-dist`, { text: 'a.new.setting: 1\n' }, 1);
      const before = structuredClone(p.state);
      let first = true;
      const ran = await p.run(PLAYBOOK, {
        before: (act, state) => {
          if (!FIRST.test(act) || !first) return;
          first = false;
          allBackedUp(before, state);
          fetched(state);
          deepEqual(held(state), everyPackage(state));
          deepEqual(
            DISTURBING.filter((unit) => hostOf(state, 'server-1').services[unit]?.active === 'active'),
            [],
          );
          ok(
            state.cluster.repositories['before-upgrades']?.snapshots.every((s) => s.endMs <= state.nowMs),
            'the snapshot is not done',
          );
          for (const { name } of hostsOf(state, 'indexer'))
            deepEqual(
              [
                textOf(state, name, `${KEPT}/4.12.0/engine-version`),
                hostOf(state, name).files[`${KEPT}/4.12.0/engine-version`]?.mode,
              ],
              ['2.19.1', '0600'],
            );
          deepEqual(
            [
              textOf(state, 'dashboard-1', `${KEPT}/4.12.0/dashboard-aliases.json`)?.replace(/\s/g, ''),
              hostOf(state, 'dashboard-1').files[`${KEPT}/4.12.0/dashboard-aliases.json`]?.mode,
            ],
            ['[{"alias":".kibana","index":".kibana_1"}]', '0600'],
          );
        },
      });
      done(ran);
      // What packages and their scripts made of the operator's files is said at the end.
      match(ran.warned, /opensearch\.yml was changed\n\+a\.new\.setting: 1/);
      match(ran.warned, /default\/platform-indexer was replaced: yours is \S+\.rpmsave/);
      ok(!first);
      isUpgraded(p.state, ['server-1 filebeat']);
      deepEqual(
        DISTURBING.filter((unit) => hostOf(p.state, 'server-1').services[unit]?.active !== 'active'),
        [],
      );
      const installs = [
        ...new Set(
          actsLike(ran, /: .* install /)
            .filter((act) => !/download-?only/.test(act))
            .map((act) => act.slice(0, act.indexOf(':'))),
        ),
      ];
      deepEqual(installs, [
        'indexer-2',
        'indexer-3',
        'indexer-1',
        'server-2',
        'server-1',
        'dashboard-1',
        ...installs.filter((host) => host.startsWith('linux')),
      ]);
      deepEqual(installs.slice(-2).sort(), ['linux-1', 'linux-2']);
      for (const name of ['server-1', 'server-2'])
        ok(
          Object.entries(p.state.cluster.indices).some(
            ([index, { documents }]) =>
              index.startsWith('platform-alerts') &&
              Object.values(documents).some((d) => d.includes(`on ${name}: do events flow?`)),
          ),
          `no event of ${name}`,
        );
      equal(textOf(p.state, 'dashboard-1', '/var/lib/runbook/pending/saved-objects'), undefined);
      doesNotMatch(ran.warned, /rollback to it is impossible|cannot be rolled back|stay locked|log rotation while/);
      const second = await p.run(PLAYBOOK, { name: 'second' });
      deepEqual([second.end, second.acts, second.warned], ['done', [], '']);
    },
  ),
  scenario(
    'upgrade: a plan changes nothing, tells each change that is made, and leaves little to be known later',
    async (stage) => {
      const p = await ours(stage);
      const before = JSON.stringify(p.state.hosts);
      const planned = await p.plan(PLAYBOOK);
      equal(JSON.stringify(p.state.hosts) === before, true);
      // Of a change in several rounds a plan shows the first.
      const changes = (ran: Told, e: 'checked' | 'intent'): readonly string[] => {
        const begun = new Set<string>();
        return ran.events.flatMap((one) => {
          if (one.e !== e || one.change === undefined) return [];
          const task = JSON.stringify(one.task);
          if (one.change.left !== undefined && begun.has(task)) return [];
          begun.add(task);
          return [JSON.stringify([one.task, one.change.summary])];
        });
      };
      const undecided = [...new Set(planned.events.flatMap((e) => (e.e === 'undecided' ? [e.name] : [])))];
      // A step that only looks leaves no change to be known later.
      const changing = planned.events.flatMap((e) => (e.e === 'undecided' && e.touches.length > 0 ? [e.name] : []));
      ok(new Set(changing).size <= 20, undecided.join('\n'));
      ok(!undecided.includes("Back up the agent's configuration"), 'prepare.yaml makes the backup');
      const ran = await p.run(PLAYBOOK);
      // A task of a loop is named by its element, and its path has the whole element.
      const stems = undecided.map((name) => name.replace(/ \[.*\]$/, ''));
      const later = (line: string): boolean =>
        stems.some((name) => line.includes(`/${name}"`) || line.includes(`/${name} [`));
      const [told, made] = [changes(planned, 'checked'), changes(ran, 'intent')].map((lines) =>
        [...new Set(lines.filter((line) => !later(line)))].sort(),
      );
      deepEqual(made, told);
    },
  ),
  about(['timeout'], 'upgrade: on slow hosts everything ends in time', async (stage) => {
    const p = await stage.platform({ from: '4.7.5', rpmHosts: ['indexer-3', 'server-2', 'linux-2'] });
    done(
      await p.run(PLAYBOOK, {
        answer: 'yes',
        actor: slow,
        reader: slowReader,
      }),
    );
    isUpgraded(p.state);
  }),
  about(['repeatable'], 'upgrade: a connection that is lost once in each command costs nothing', async (stage) => {
    const p = await stage.platform({ from: '4.7.5', rpmHosts: ['indexer-3', 'server-2', 'linux-2'] });
    const lost = new Set<string>();
    const ran = await p.run(PLAYBOOK, {
      answer: 'yes',
      actor: each(async (action, real) => {
        const outcome = await real();
        const line =
          action.do === 'run'
            ? action.command.argv.join(' ')
            : action.do === 'request'
              ? `${action.request.method} ${action.request.path}`
              : '';
        if (
          line === '' ||
          lost.has(line) ||
          /_export|_import|systemctl|apt-mark|versionlock|ln |find |_snapshot/.test(line)
        )
          return outcome;
        lost.add(line);
        return { is: 'unknown', why: 'connection' };
      }),
    });
    let last: Told = ran;
    for (let i = 0; i < 25 && last.end !== 'done'; i += 1)
      last = await p.run(PLAYBOOK, { verb: 'resume', past: last.recorded });
    equal(last.end, 'done');
    isUpgraded(p.state);
    ok(lost.size >= 8, [...lost].join('\n'));
  }),
  about(['repeatable'], 'upgrade: an index update whose end is not known is made once more', async (stage) => {
    for (const prepared of [false, true]) {
      const p = await stage.platform({ rpmHosts: ['indexer-3', 'server-2', 'linux-2'] });
      if (prepared) {
        done(await p.run('prepare.yaml'));
        // The target is there, and what it replaces is not: the repository is asked, though it need not answer.
        for (const { files } of Object.values(p.state.hosts))
          for (const path of Object.keys(files))
            if (/4\.12\.0.*\.(deb|rpm)$/.test(path)) Reflect.deleteProperty(files, path);
      }
      const lost = new Set<string>();
      const ran = await p.run(PLAYBOOK, {
        name: 'next',
        actor: (real) => ({
          ...real,
          perform: (on, action, context) => {
            const line = action.do === 'run' ? action.command.argv.join(' ') : '';
            const effect = context.id.replace(/(\/\d+)+$/, '');
            if (!/apt-get update|makecache|expire-cache/.test(line) || lost.has(effect))
              return real.perform(on, action, context);
            lost.add(effect);
            return Promise.resolve({ is: 'unknown', why: 'connection' });
          },
        }),
      });
      done(ran);
      ok(lost.size >= 4, [...lost].join('\n'));
    }
  }),
  about(['retries'], 'upgrade: a command that fails once is tried again', async (stage) => {
    const p = await stage.platform({ rpmHosts: ['indexer-3', 'server-2', 'linux-2'] });
    const failed = new Set<string>();
    const ran = await p.run(PLAYBOOK, {
      actor: each((action, real) => {
        const line =
          action.do === 'run' || action.do === 'job'
            ? action.command.argv.join(' ')
            : action.do === 'request'
              ? action.request.path
              : '';
        const again =
          /apt-get update|makecache|setup --|test output|_flush|init\.sh$|after-the-push|_import|_snapshot\/.*wait/.test(
            line,
          );
        if (!again || failed.has(line)) return real();
        failed.add(line);
        return Promise.resolve(
          action.do === 'request'
            ? { is: 'answered', status: 503, body: '{}' }
            : { is: 'ended', exit: 7, stdout: '', stderr: 'not now' },
        );
      }),
    });
    done(ran);
    isUpgraded(p.state);
  }),
  ...[40, 95, 130, 165, 200, 230].map((nth, i) =>
    scenario(`upgrade: cut at effect ${nth} it is resumed to the same end`, async (stage) => {
      const p = await stage.platform({ rpmHosts: ['indexer-3', 'server-2'] });
      const cut = await p.run(PLAYBOOK, { actor: crashingAt(nth, i % 2 === 0 ? 'after' : 'before') });
      equal(cut.end, 'interrupted');
      await resumed(p, cut);
    }),
  ),
  scenario('upgrade: a failure before the first stop gives everything back', async (stage) => {
    const p = await ours(stage);
    p.state.faults.push({ fault: 'download', path: '/tags/v4.14.7/platform-template.json', status: 404, body: '' });
    const failed = await p.run(PLAYBOOK);
    stopped(failed, /404/);
    deepEqual([notRestored(failed), down(p.state), held(p.state)], [[], [], ['server-1 filebeat']]);
    repositoriesOff(p.state);
    for (const rpm of [false, true]) {
      const q = await stage.platform({ rpmHosts: rpm ? ['indexer-2', 'server-1', 'dashboard-1'] : [] });
      q.state.faults.push({ fault: 'download', path: rpm ? '/4.x/yum/' : '/4.x/apt/', status: 503, body: '' });
      equal((await q.run(PLAYBOOK)).end, 'failed');
      repositoriesOff(q.state);
    }
  }),
  scenario(
    'upgrade: a failure after the first stop keeps what waits for it; `close` restores what runs with it',
    async (stage) => {
      const p = await ours(stage);
      p.state.faults.push({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' });
      const failed = await p.run(PLAYBOOK);
      equal(failed.end, 'failed');
      deepEqual(held(p.state).length, everyPackage(p.state).length);
      deepEqual(
        DISTURBING.filter((unit) => unitOf(p.state, 'server-1', unit).active === 'active'),
        [],
      );
      deepEqual(
        notRestored(failed).filter((name) => !name.startsWith('Pause')),
        [HELD, 'Restrict shard allocation to primaries', 'Stop the dashboard', 'Stop the shipper'],
      );
      p.state.faults.length = 0;
      await p.run(PLAYBOOK, { verb: 'close', past: failed.recorded });
      deepEqual(
        [allocation(p.state), held(p.state), down(p.state).filter((unit) => !unit.includes('indexer'))],
        ['all', ['server-1 filebeat'], []],
      );
      deepEqual(
        DISTURBING.filter((unit) => unitOf(p.state, 'server-1', unit).active !== 'active'),
        [],
      );
    },
  ),
  ...DISTURBING.slice(-2).map((unit) =>
    scenario(`upgrade: ${unit} that is started again meanwhile stops the run before the next node`, async (stage) => {
      const p = await ours(stage);
      const ran = await p.run(PLAYBOOK, {
        before: (act, state) => {
          if (/indexer-2: copy .*jvm/.test(act)) hostOf(state, 'server-1').services[unit] = { ...running };
        },
      });
      equal(ran.end, 'failed');
      equal(actsLike(ran, STOP).length, 1);
    }),
  ),
  scenario('upgrade: a hold that is taken from an agent stops no host, one from a central host does', async (stage) => {
    for (const [host, name, ends] of [
      ['linux-1', 'platform-agent', 'done'],
      ['server-1', 'platform-manager', 'failed'],
    ] as const) {
      const p = await stage.platform();
      const ran = await p.run(PLAYBOOK, {
        before: (act, state) => {
          const entry = hostOf(state, host).packages[name];
          if (/indexer-2: copy .*jvm/.test(act) && entry !== undefined) entry.held = false;
        },
      });
      equal(ran.end, ends);
    }
  }),
  scenario(
    'upgrade: prepared before, it asks no repository and no download address for central hosts',
    async (stage) => {
      const p = await after('prepare', stage);
      for (const path of [
        '/4.x/apt/',
        '/4.x/yum/',
        '/4.x/filebeat/platform-filebeat-0.5.tar.gz',
        '/tags/v4.14.7/platform-template.json',
        '/tags/v4.12.0/platform-template.json',
      ])
        p.state.faults.push({ fault: 'download', path, status: 503, body: '' });
      const asked = p.state.asked.length;
      let at = 0;
      const ran = await p.run(PLAYBOOK, {
        before: (act, state) => {
          if (/dashboard-1: systemctl start/.test(act)) [state.faults.length, at] = [0, state.asked.length];
        },
      });
      done(ran);
      isUpgraded(p.state, ['server-1 filebeat']);
      deepEqual(p.state.asked.slice(asked, at), []);
    },
  ),
  ...(['indexer-2', 'server-2', 'dashboard-1'] as const).flatMap((host) => [
    scenario(`upgrade: prepared before, what was cleaned away on ${host} is fetched again`, async (stage) => {
      const p = await after('prepare', stage);
      const { files } = hostOf(p.state, host);
      for (const path of Object.keys(files))
        if (/^\/var\/cache\/.*\.(deb|rpm)$/.test(path)) Reflect.deleteProperty(files, path);
      const ran = await p.run(PLAYBOOK);
      done(ran);
      isUpgraded(p.state, ['server-1 filebeat']);
    }),
    scenario(`upgrade: prepared before, what ${host} comes from is kept again where it is gone`, async (stage) => {
      const p = await after('prepare', stage);
      const { files } = hostOf(p.state, host);
      for (const path of Object.keys(files))
        if (/\/packages\/.*\.(deb|rpm)/.test(path)) Reflect.deleteProperty(files, path);
      let checked = false;
      const ran = await p.run(PLAYBOOK, {
        before: (act, state) => {
          if (!FIRST.test(act) || checked) return;
          checked = true;
          fetched(state);
        },
      });
      done(ran);
      ok(checked);
    }),
    scenario(
      `upgrade: an enabled repository of ${host} is off at the first stop, though all was fetched`,
      async (stage) => {
        const p = await after('prepare', stage);
        const rpm = hostOf(p.state, host).family === 'rpm';
        const file = hostOf(p.state, host).files[
          rpm ? '/etc/yum.repos.d/platform.repo' : '/etc/apt/sources.list.d/platform.list'
        ];
        if (file !== undefined) file.text = file.text.replace('#deb', 'deb').replace('enabled=0', 'enabled=1');
        let checked = false;
        done(
          await p.run(PLAYBOOK, {
            answer: 'yes',
            before: (act, state) => {
              if (!FIRST.test(act) || checked) return;
              checked = true;
              repositoriesOff(state);
            },
          }),
        );
      },
    ),
  ]),
  scenario(
    'upgrade: where the repository keeps the newest version only, a warning says that a rollback is impossible, and nothing stops',
    async (stage) => {
      for (const host of ['platform-indexer', 'platform-manager', 'filebeat', 'platform-dashboard']) {
        const p = await stage.platform();
        p.state.repository[host] = [host === 'filebeat' ? '7.10.2-2' : '4.14.7-1'];
        const ran = await p.run(PLAYBOOK, { stopping: () => down(p.state).length > 0 });
        match(ran.warned, new RegExp(`no repository has ${host} .* any more: a rollback to it is impossible`));
      }
    },
  ),
  ...(['platform-indexer', 'platform-manager', 'filebeat', 'platform-dashboard'] as const).map((name) =>
    scenario(`upgrade: a ${name} that no repository offers is reported with everything running`, async (stage) => {
      const p = await stage.platform();
      p.state.repository[name] = p.state.repository[name]?.slice(1) ?? [];
      const ran = await p.run(PLAYBOOK);
      stopped(ran, new RegExp(`${name} (4\\.14\\.7-1|7\\.10\\.2-2)`));
      // What is kept is for root alone, also where the run ends early.
      for (const role of ['indexer', 'server', 'dashboard'])
        for (const host of hostsOf(p.state, role)) equal(host.files[KEPT]?.mode, '0700');
      deepEqual([down(p.state), actsLike(ran, new RegExp(`download.*${name}`)), notRestored(ran)], [[], [], []]);
      repositoriesOff(p.state);
    }),
  ),
  scenario(
    'upgrade: a package that was cleaned away meanwhile is reported with every indexer running',
    async (stage) => {
      const p = await stage.platform();
      const ran = await p.run(PLAYBOOK, {
        before: (act, state) => {
          const { files } = hostOf(state, 'indexer-2');
          if (/stop platform-dashboard/.test(act))
            for (const path of Object.keys(files)) if (/cache.*\.deb$/.test(path)) Reflect.deleteProperty(files, path);
        },
      });
      equal(ran.end, 'failed');
      deepEqual(actsLike(ran, STOP), []);
    },
  ),
  ...(['manager', 'filebeat'] as const).map((name) =>
    scenario(
      `upgrade: a ${name} package that was cleaned away meanwhile is reported with the manager running`,
      async (stage) => {
        const p = await stage.platform();
        const ran = await p.run(PLAYBOOK, {
          before: (act, state) => {
            const { files } = hostOf(state, 'server-2');
            if (/indexer-1: systemctl start/.test(act))
              for (const path of Object.keys(files))
                if (path.includes('/cache') && path.includes(name)) Reflect.deleteProperty(files, path);
          },
        });
        equal(ran.end, 'failed');
        deepEqual(actsLike(ran, /stop platform-manager/), []);
      },
    ),
  ),
  scenario('upgrade: no rollback below 4.12, which the plan reports; from 4.12 on there is one', async (stage) => {
    for (const at of [
      {},
      { 'indexer-2': '4.11.2' },
      { 'server-2': '4.11.2' },
      { 'dashboard-1': '4.11.2' },
    ] as readonly Record<string, string>[])
      equal(
        /this upgrade cannot be rolled back/.test((await (await stage.platform({ at })).plan(PLAYBOOK)).warned),
        Object.keys(at).length > 0,
      );
  }),
  scenario('upgrade: an agent that cannot be reached is left out and upgraded by a resume', async (stage) => {
    const p = await stage.platform();
    p.state.faults.push({ fault: 'unreachable', host: 'linux-1' });
    const ran = await p.run(PLAYBOOK);
    equal(ran.end, 'unreachable');
    equal(hostOf(p.state, 'linux-2').packages['platform-agent']?.version, '4.14.7-1');
    await resumed(p, ran);
  }),
  scenario('upgrade: stopped after a node and its run lost, it is applied again to the same end', async (stage) => {
    const p = (await stoppedAfter(stage, 2)).clone();
    done(await p.run(PLAYBOOK, { name: 'second', answer: 'yes' }));
    isUpgraded(p.state);
    // Of a node that was upgraded before nothing is recorded as if it were what the upgrade came from.
    deepEqual(
      Object.values(p.state.hosts).flatMap(({ files }) =>
        Object.keys(files).filter((path) => path.startsWith(`${KEPT}/4.14.7/`)),
      ),
      [],
    );
  }),
  scenario(
    'upgrade: replicas that no node can take are asked about, noted, and forgotten once there are none',
    async (stage) => {
      const one = (project: Parameters<Platform['change']>[0]): ReturnType<Platform['change']> => ({
        ...project,
        inventory: { ...project.inventory, hosts: project.inventory.hosts.filter((h) => !/indexer-[23]/.test(h.name)) },
      });
      const p = await stage.platform({}, one);
      const copies = (): { host: string | null }[][] =>
        Object.values(p.state.cluster.indices).flatMap((i) => i.shards.map((s) => s.copies));
      for (const list of copies()) list.push({ host: null, primary: false, state: 'UNASSIGNED', sinceMs: 0 } as never);
      const no = await p.run('prepare.yaml', { answer: 'no' });
      refused(no, /answered "no"/);
      match(no.asked, /can be on no node/);
      done(await p.run('prepare.yaml', { answer: 'yes', name: 'yes' }));
      match(textOf(p.state, 'indexer-1', '/var/lib/runbook/pending/accepted-replicas') ?? '', /^replica of /);
      equal(hostOf(p.state, 'indexer-1').files['/var/lib/runbook/pending/accepted-replicas']?.mode, '0600');
      done(await p.clone().run(PLAYBOOK, { answer: 'yes', name: 'whole' }));
      for (const list of copies()) list.pop();
      done(await p.run('prepare.yaml', { name: 'later' }));
      equal(textOf(p.state, 'indexer-1', '/var/lib/runbook/pending/accepted-replicas'), undefined);
    },
  ),
  scenario(
    'upgrade: of two dashboards the first one keeps where the aliases point, if both have one version',
    async (stage) => {
      for (const [other, kept] of [
        ['4.12.0', true],
        ['4.13.1', false],
      ] as const) {
        const p = await stage.platform(
          { at: { d2: other } },
          shaped({ d1: 'dashboard', d2: 'dashboard', s: 'server master', i: 'indexer' }),
        );
        done(await p.run(PLAYBOOK));
        const files = ['d1', 'd2'].map((name) =>
          Object.keys(hostOf(p.state, name).files).some((path) => path.endsWith('/dashboard-aliases.json')),
        );
        deepEqual(files, [kept, false]);
      }
    },
  ),
  scenario(
    'upgrade: alerts from before midnight are shipped, though the shippers were stopped across it',
    async (stage) => {
      const p = await stage.platform({ startMs: Date.parse('2026-11-21T23:54:00Z') });
      const ran = await p.run(PLAYBOOK, {
        // The first attempt does not reach the indexer.
        ...outputRefusedOnce(),
        on: ({ event }, state) => {
          if (event.e === 'settled' && event.name === 'Start the manager') advance(state, MIDNIGHT);
        },
      });
      done(ran);
      isUpgraded(p.state);
      deepEqual(
        actsLike(ran, / run --once/).map((act) => act.slice(0, 8)),
        ['server-2', 'server-1'],
      );
      // Refused, asked again, and after the set-up.
      equal(actsLike(ran, /^server-2: .*test output/).length, 3);
      const { written, found } = alerts(p.state);
      deepEqual(found, written);
      match(ran.warned, /log rotation while the shipper is stopped/);
    },
  ),
];

const ALL: readonly Packed[] = ['4.14.7-1', '4.12.0-1'].flatMap((version) =>
  (['deb', 'rpm'] as const).flatMap((family) => [
    ...['indexer', 'manager', 'dashboard', 'agent'].map((name) => ({ name: `platform-${name}`, version, family })),
    { name: 'filebeat', version: version === '4.14.7-1' ? '7.10.2-2' : '7.10.2-1', family },
  ]),
);
const SHIPPERS = {
  '/4.x/filebeat/platform-filebeat-0.5.tar.gz': 'platform-filebeat-0.5.tar.gz',
  '/4.x/filebeat/platform-filebeat-0.4.tar.gz': 'platform-filebeat-0.4.tar.gz',
  '/tags/v4.14.7/platform-template.json': 'platform-template-4.14.7.json',
  '/tags/v4.12.0/platform-template.json': 'platform-template-4.12.0.json',
};

/** No repository and no address answers; a folder of the controller's has what it has. */
async function offline(stage: Stage, packages: readonly Packed[], then: (p: Platform) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-mutate-'));
  try {
    const p = await stage.platform({ rpmHosts: ['indexer-2', 'dashboard-1', 'linux-2'] }, (project) => ({
      ...project,
      inventory: { ...project.inventory, platform: { ...project.inventory.platform, offline_packages: folder } },
    }));
    const files = Object.entries(SHIPPERS).map(
      ([path, name]) => [name, Buffer.from(p.state.downloads[path]?.latin1 ?? '', 'latin1')] as const,
    );
    offlineFolder(folder, packages, Object.fromEntries(files));
    for (const name of Object.keys(p.state.repository)) p.state.repository[name] = [];
    for (const path of ['/4.x/apt/', '/4.x/yum/', ...Object.keys(SHIPPERS)])
      p.state.faults.push({ fault: 'download', path, status: 503, body: '' });
    await then(p);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const offlineUpgrade: readonly Scenario[] = [
  scenario('offline: the folder of packages is enough for all hosts, and no repository is enabled or asked', (stage) =>
    offline(stage, ALL, async (p) => {
      const ran = await p.run(PLAYBOOK, {
        before: (act, state) => {
          if (FIRST.test(act) || /install .*agent/.test(act)) repositoriesOff(state);
          // What was cleaned away meanwhile is taken from the folder again.
          if (!/stop platform-dashboard/.test(act)) return;
          for (const name of ['indexer-1', 'server-2', 'dashboard-1']) {
            const { files } = hostOf(state, name);
            for (const path of Object.keys(files))
              if (/^\/var\/cache\/.*(?:4\.14\.7|filebeat).*\.(?:deb|rpm)$/.test(path))
                Reflect.deleteProperty(files, path);
          }
        },
      });
      done(ran);
      isUpgraded(p.state);
      deepEqual(
        [p.state.asked, actsLike(ran, /apt-get update|makecache|expire-cache|platform\.(list|repo)/)],
        [[], []],
      );
      for (const [host, name] of [
        ['indexer-2', 'platform-indexer-4.12.0-1.x86_64.rpm'],
        ['indexer-1', 'platform-indexer_4.12.0-1_amd64.deb'],
        ['server-1', 'filebeat_7.10.2-1_amd64.deb'],
        ['server-1', 'platform-manager_4.12.0-1_amd64.deb'],
        ['dashboard-1', 'platform-dashboard-4.12.0-1.x86_64.rpm'],
        ['linux-1', 'platform-agent_4.12.0-1_amd64.deb'],
        ['linux-2', 'platform-agent-4.12.0-1.x86_64.rpm'],
      ] as const)
        ok(hostOf(p.state, host).files[`${KEPT}/packages/${name}`] !== undefined, `${name} is not kept on ${host}`);
      inOrder(ran, FIRST);
    }),
  ),
  ...ALL.filter(({ version }) => /4\.14\.7|-2$/.test(version)).map((without) =>
    scenario(
      `offline: a folder without the ${without.family} of ${without.name} is refused before the first change`,
      (stage) =>
        offline(
          stage,
          ALL.filter((one) => one !== without),
          async (p) => {
            const used = !(without.family === 'deb' ? /dashboard/ : /manager|filebeat/).test(without.name);
            if (!used) {
              equal((await p.plan('prepare.yaml')).why, '');
              return;
            }
            const ran = await p.run('prepare.yaml');
            refused(ran, new RegExp(without.name));
            // On the hosts that need it, and on no other.
            const role =
              without.name === 'filebeat'
                ? 'server'
                : without.name.replace('platform-', '').replace('manager', 'server');
            for (const e of ran.events)
              if (e.e === 'settled' && e.as === 'blocked' && 'host' in e.task.on)
                deepEqual(
                  [e.task.on.host, hostOf(p.state, e.task.on.host).roles.includes(role)],
                  [e.task.on.host, true],
                );
          },
        ),
    ),
  ),
  scenario('offline: no package is uploaded before all is checked', (stage) =>
    offline(stage, ALL, async (p) => {
      refused(await p.run('prepare.yaml', { vars: { snapshot_repository: '' } }), /no snapshot repository is named/);
    }),
  ),
  scenario(
    'upgrade: with another target servers and dashboard get all that is due from the first version',
    async (stage) => {
      const p = await stage.platform({ from: '4.7.5', offers: ['4.14.6', '4.14.7'] });
      const before = structuredClone(p.state);
      await cutAt(
        towards(p, '4.14.6'),
        PLAYBOOK,
        /server-2: (?!.*download).*install .*platform-manager[_=]4\.14\.6/,
        'first',
      );
      await cutAt(towards(p, '4.14.7'), PLAYBOOK, /server-2: systemctl stop platform-manager/, 'second');
      equal(textOf(p.state, 'server-2', '/var/lib/runbook/pending/upgrade-of-manager'), '4.7.5-1 4.14.6-1 4.14.7-1\n');
      done(await p.run('server.yaml', { name: 'servers' }));
      serversUpgraded(p.state);
      for (const [host, path] of CONFIGURATIONS)
        equal(textOf(p.state, host, `${KEPT}/4.7.5${path}`), textOf(before, host, path));
    },
  ),
  scenario(
    'upgrade: with another target an indexer keeps its settings, and the copies of the first version',
    async (stage) => {
      const p = await stage.platform({ from: '4.13.1', offers: ['4.14.6', '4.14.7'] });
      const before = structuredClone(p.state);
      await cutAt(
        towards(p, '4.14.6'),
        PLAYBOOK,
        /indexer-2: (?!.*download).*install .*platform-indexer[_=]4\.14\.6/,
        'first',
      );
      done(await p.run(PLAYBOOK, { name: 'second', answer: 'yes' }));
      isUpgraded(p.state);
      equal(textOf(p.state, 'indexer-2', JVM), textOf(p.state, 'indexer-3', JVM));
      equal(textOf(p.state, 'indexer-2', `${JVM}.bak`), textOf(before, 'indexer-2', JVM));
      for (const name of ['/engine-version', JVM])
        equal(textOf(p.state, 'indexer-2', `${KEPT}/4.14.6${name}`), undefined);
      equal(textOf(p.state, 'indexer-2', `${KEPT}/4.13.1/engine-version`), '2.19.2');
    },
  ),
  scenario('upgrade: with another target a dashboard gets what is due from the first version', async (stage) => {
    const p = await stage.platform({ from: '4.7.5', offers: ['4.14.6', '4.14.7'] });
    const before = structuredClone(p.state);
    const config = '/etc/platform-dashboard/dashboard.yml';
    await cutAt(
      towards(p, '4.14.6'),
      PLAYBOOK,
      /dashboard-1: (?!.*download).*install .*platform-dashboard[_=]4\.14\.6/,
      'first',
    );
    const second = await p.run(PLAYBOOK, { name: 'second', answer: 'yes' });
    done(second);
    isUpgraded(p.state);
    match(textOf(p.state, 'dashboard-1', config) ?? '', /^uiSettings\.overrides\.defaultRoute:/m);
    equal(textOf(p.state, 'dashboard-1', `${config}.bak`), textOf(before, 'dashboard-1', config));
    deepEqual(
      Object.keys(hostOf(p.state, 'dashboard-1').files).filter((path) => path.startsWith(`${KEPT}/4.14.6`)),
      [],
    );
  }),
];
