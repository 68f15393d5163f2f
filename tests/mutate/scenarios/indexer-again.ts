import { createIndex } from '../../../engine/platforms/security-monitoring/simulator/documents.js';
import { advance, startService } from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import {
  actsLike,
  allocation,
  deepEqual,
  done,
  doesNotMatch,
  equal,
  hostOf,
  hostsOf,
  match,
  modeOf,
  ok,
  notRestored,
  refused,
  stopped,
  textOf,
  unitOf,
} from '../look.js';
import { after, backUp, edit, enableRepository, takeSnapshot } from '../ours.js';
import { scenario, type Scenario } from '../scenario.js';
import type { Platform, Stage } from '../stage.js';
import {
  ENABLE,
  JVM,
  lostReplica,
  note,
  NOTE,
  PLAYBOOK,
  prepared,
  PUSH,
  pushDue,
  RECORD,
  REPLICAS_NOTE,
  SECURITY,
  SECURITY_BACKUP,
  STOP,
  unplaced,
  upgraded,
} from './indexer.js';
import { killedAfter, killedAtEach } from './killed.js';

const BACKUPS = '/var/backups/runbook/before-4.14';
const PENDING = '/var/lib/runbook/pending';
const complete = (stage: Stage): Promise<Platform> => after('indexer', stage);
const UNIT = 'platform-indexer';
const stoppedHosts = (ran: Parameters<typeof actsLike>[0]): readonly string[] =>
  actsLike(ran, STOP).map((act) => act.slice(0, 9));
const stale = (state: PlatformState, host: string): void => {
  Object.assign(hostOf(state, host).packages[UNIT] ?? {}, { changedAtMs: state.nowMs });
};

const byHand = (state: PlatformState): void => {
  startService(state, hostOf(state, 'indexer-2'), UNIT);
  advance(state, state.nowMs + 60_000);
};

/** Indexers for which nothing was prepared but backups, with their repository enabled, and other hosts before them in the inventory. */
async function unprepared(stage: Stage, from = '4.12.0', at: Record<string, string> = {}): Promise<Platform> {
  const p = await stage.platform({ from, at }, (project) => ({
    ...project,
    inventory: { ...project.inventory, hosts: project.inventory.hosts.toReversed() },
  }));
  for (const { name } of hostsOf(p.state, 'indexer')) {
    enableRepository(p.state, name);
    backUp(p.state, name, '/etc/platform-indexer', at[name] ?? from);
  }
  backUp(p.state, 'dashboard-1', '/etc/platform-dashboard', at['dashboard-1'] ?? from);
  takeSnapshot(p.state);
  return p;
}

const program = (stdout: string) => ({
  ...({ fault: 'program', host: 'indexer-1', program: 'indexer-security-init.sh', exit: 0, times: 1 } as const),
  stdout,
});

export const indexerAgain: readonly Scenario[] = [
  scenario(
    'indexers: a controller that is killed at a command of the cluster’s resumes with that command',
    async (stage) => {
      const p = await prepared(stage);
      await killedAtEach(p, PLAYBOOK, [SECURITY_BACKUP, /_flush/, PUSH]);
      upgraded(p.state);
      equal(textOf(p.state, 'indexer-1', NOTE), 'applied\n');
    },
  ),
  scenario('indexers: a command of the cluster’s that fails once is tried again', async (stage) => {
    const p = await prepared(stage);
    p.state.faults.push({ fault: 'flush-fails', times: 1 });
    const ran = await p.run(PLAYBOOK, {
      before: (act, state) => {
        if (PUSH.test(act) && state.faults.length === 1) state.faults.push(program('ERR: no\n'));
        // Nor does it matter that the version of the engine is nowhere to be read.
        const { files } = hostOf(state, 'indexer-2');
        if (/indexer-2: systemctl start/.test(act))
          for (const path of Object.keys(files))
            if (/\/lib\/opensearch-.*\.jar$/.test(path)) Reflect.deleteProperty(files, path);
      },
    });
    done(ran);
    upgraded(p.state);
    deepEqual(
      [/_flush/, PUSH].map((like) => actsLike(ran, like).length),
      [2, 2],
    );
  }),
  scenario(
    'indexers: by itself it needs backups, a snapshot and no other preparation, whatever hosts the inventory names first',
    async (stage) => {
      const p = await unprepared(stage);
      createIndex(p.state, 'wide', { shards: 1, replicas: 3 });
      refused(await p.run(PLAYBOOK, { answer: 'no' }), /wide/);
      const without = p.clone();
      createIndex(p.state, 'single', { shards: 3, replicas: 0 });
      const ran = await p.run(PLAYBOOK, {
        ...{ answer: 'yes', name: 'second' },
        before: (act, state) => {
          if (act.includes(`write ${REPLICAS_NOTE}`)) equal(modeOf(state, 'indexer-3', PENDING), '0700');
        },
      });
      done(ran);
      upgraded(p.state, ['indexer-3', 'indexer-2', 'indexer-1']);
      for (const { name } of hostsOf(p.state, 'indexer')) equal(modeOf(p.state, name, PENDING), '0700');
      equal(modeOf(p.state, 'indexer-3', BACKUPS), '0700');
      equal(textOf(p.state, 'indexer-3', REPLICAS_NOTE), 'replica of wide 0\n');
      deepEqual(unplaced(p.state), ['wide UNASSIGNED']);
      Reflect.deleteProperty(without.state.cluster.indices, 'wide');
      Object.assign(without.state.cluster.nodes['indexer-1'] ?? {}, { roles: ['data'] });
      const planned = await without.plan(PLAYBOOK);
      equal(planned.why, '');
      const accepts = /\/Check cluster health\/(Record the accepted replicas|Remove the previous acceptance)$/;
      equal(
        planned.events.some((e) => e.e === 'checked' && e.change !== undefined && accepts.test(e.task.step)),
        false,
      );
      deepEqual(
        planned.events.flatMap((e) => (e.e === 'host-chosen' && /^indexer/.test(e.host) ? [e.host] : [])),
        ['indexer-1', 'indexer-2', 'indexer-3'],
      );
    },
  ),
  scenario('indexers: writers are warned of where one server is at 4.8 or later', async (stage) => {
    for (const [at, warned] of [
      ['4.7.5', false],
      ['4.8.2', true],
    ] as const) {
      const p = await unprepared(stage, '4.7.5');
      Object.assign(hostOf(p.state, 'server-2').packages['platform-manager'] ?? {}, { version: `${at}-1` });
      const ran = await p.run(PLAYBOOK, {
        before: (act, state) => {
          if (act.includes(`write ${NOTE}`)) equal(modeOf(state, 'indexer-3', PENDING), '0700');
        },
      });
      done(ran);
      equal(/the managers continue to write/.test(ran.warned), warned);
    }
  }),
  scenario(
    'indexers: one at the target whose process is older is restarted under protection, its settings are the operator’s',
    async (stage) => {
      const p = await complete(stage);
      const bak = textOf(p.state, 'indexer-2', `${JVM}.bak`);
      // Put back as it was before the upgrade; beside it lies what the package brought.
      edit(p.state, 'indexer-2', JVM, () => bak ?? '');
      edit(p.state, 'indexer-3', JVM, () => '-Xms6g\n-Xmx6g\n');
      Reflect.deleteProperty(hostOf(p.state, 'indexer-3').files, `${JVM}.bak`);
      note(p.state, 'indexer-3', `${BACKUPS}/4.14.7${JVM}`, '-Xms6g\n-Xmx6g\n');
      for (const name of ['indexer-2', 'indexer-3']) {
        note(p.state, name, '/etc/platform-indexer/opensearch.yml.dpkg-dist', 'a.new.setting: 1\n');
        stale(p.state, name);
      }
      createIndex(p.state, 'single', { shards: 3, replicas: 0 });
      const ran = await p.run(PLAYBOOK, {
        before: (act, state) => {
          if (STOP.test(act)) equal(allocation(state), 'primaries');
        },
      });
      done(ran);
      upgraded(p.state);
      deepEqual(stoppedHosts(ran).toSorted(), ['indexer-2', 'indexer-3']);
      equal(ran.warned.split('managers continue to write').length - 1, 2);
      match(ran.warned, /indexer-2 has the only in-sync copy/);
      doesNotMatch(ran.warned, /indexer-1 has the only in-sync copy/);
      deepEqual([textOf(p.state, 'indexer-2', JVM), textOf(p.state, 'indexer-3', JVM)], [bak, '-Xms6g\n-Xmx6g\n']);
      doesNotMatch(ran.warned, /was kept/);
      deepEqual(
        [textOf(p.state, 'indexer-2', `${JVM}.bak`), textOf(p.state, 'indexer-3', `${JVM}.bak`)],
        [bak, undefined],
      );
      for (const { name } of hostsOf(p.state, 'indexer'))
        ok((unitOf(p.state, name, UNIT).startedAtMs ?? 0) > (hostOf(p.state, name).packages[UNIT]?.changedAtMs ?? 0));
    },
  ),
  scenario('indexers: such a restart that was interrupted, its run lost, is finished by the next', async (stage) => {
    const p = await complete(stage);
    stale(p.state, 'indexer-2');
    equal((await p.run(PLAYBOOK, { ...killedAfter(STOP), name: 'cut' })).end, 'interrupted');
    done(await p.run(PLAYBOOK, { name: 'next' }));
    upgraded(p.state);
  }),
  scenario(
    'indexers: options of the package script stay below its marker, apart from those that are kept',
    async (stage) => {
      const { state } = await complete(stage);
      for (const { name } of hostsOf(state, 'indexer'))
        match(
          textOf(state, name, JVM) ?? '',
          /\n## OpenSearch Performance Analyzer\n-Dclk\.tck=100\n[^#]*\n## Kept from the file before the upgrade\n-Dours/,
        );
    },
  ),
  scenario('indexers: one at the target whose previous version is still recorded is completed', async (stage) => {
    const p = await complete(stage);
    note(p.state, 'indexer-2', RECORD, '4.12.0-1 4.14.7-1\n');
    edit(p.state, 'indexer-2', JVM, (text) => text.replaceAll('8g', '1g'));
    const before = p.state.nowMs;
    const ran = await p.run(PLAYBOOK);
    done(ran);
    upgraded(p.state);
    match(textOf(p.state, 'indexer-2', JVM) ?? '', /-Xmx8g/);
    ok((unitOf(p.state, 'indexer-2', UNIT).startedAtMs ?? 0) > before, 'it runs with the old settings');
  }),
  scenario('indexers: a push that is due is made though every node is done', async (stage) => {
    const p = await complete(stage);
    pushDue(p.state);
    const roles = '---\n_meta: {}\nchanged_over_the_api: {}\n';
    p.state.cluster.security['roles'] = roles;
    const ran = await p.run(PLAYBOOK);
    done(ran);
    deepEqual([actsLike(ran, PUSH).length, actsLike(ran, /_flush|systemctl/).length], [1, 0]);
    equal(textOf(p.state, 'indexer-1', NOTE), 'applied\n');
    equal(p.state.cluster.security['roles'], roles);
  }),
  scenario('indexers: a target that was changed back while a node was upgraded beyond it is refused', async (stage) => {
    const p = await unprepared(stage, '4.14.7', { 'indexer-2': '4.14.8' });
    for (const { packageIndex } of hostsOf(p.state, 'indexer')) packageIndex['platform-indexer'] = ['4.14.7-1'];
    note(p.state, 'indexer-2', RECORD, '4.14.7-1 4.14.7-1 4.14.8-1\n');
    const yellow = p.clone();
    refused(await p.plan(PLAYBOOK), /newer than 4\.14\.7/);
    lostReplica(yellow.state, 'ALLOCATION_FAILED');
    refused(await yellow.run(PLAYBOOK), /cluster is yellow/);
  }),
  scenario('indexers: a platform at the target is left alone', async (stage) => {
    // An allocation that is not set is "all".
    for (const allocation of ['all', undefined]) {
      const p = await stage.platform({ from: '4.14.7' });
      if (allocation !== undefined) p.state.cluster.persistent[ENABLE] = allocation;
      Reflect.deleteProperty(hostOf(p.state, 'indexer-1').files, `${SECURITY}/roles.yml`);
      const ran = await p.run(PLAYBOOK);
      done(ran);
      deepEqual([ran.acts, ran.warned], [[], '']);
    }
  }),
  scenario('indexers: policies are paused until the end of the run, where the operator says so', async (stage) => {
    const ISM = 'plugins.index_state_management.enabled';
    for (const [index_policies, policies, paused] of [
      ['pause', ['rollover'], ['false', 'true']],
      ['pause', [], [undefined, undefined]],
      ['warning', ['rollover'], [undefined, undefined]],
    ] as const) {
      const p = await prepared(stage);
      p.state.cluster.policies.push(...policies);
      let during: unknown = 'not stopped';
      const before = (act: string, { cluster }: PlatformState): void => {
        if (/systemctl stop platform-indexer/.test(act)) during = cluster.persistent[ISM];
      };
      done(await p.run(PLAYBOOK, { vars: { index_policies }, before }));
      deepEqual([during, p.state.cluster.persistent[ISM]], paused);
    }
    // One whose nodes have the target, and whose management was never switched off.
    const p = await stage.platform({ from: '4.14.7' });
    p.state.cluster.policies.push('rollover');
    const ran = await p.run(PLAYBOOK, { vars: { index_policies: 'pause' } });
    done(ran);
    deepEqual(ran.acts, []);
  }),
  scenario('indexers: one that is started by hand while its package is replaced is started again', async (stage) => {
    for (const from of ['4.12.0', '4.14.6']) {
      const p = await unprepared(stage, from);
      const ran = await p.run(PLAYBOOK, {
        before: (act, state) => {
          if (/indexer-2: apt-get (?!.*download).*install/.test(act)) byHand(state);
        },
      });
      done(ran);
      upgraded(p.state, ['indexer-3', 'indexer-2', 'indexer-1']);
    }
  }),
  scenario('indexers: the plan shows what becomes of the settings, once the package is fetched', async (stage) => {
    const planned = await (await prepared(stage)).plan(PLAYBOOK);
    const diffs = planned.events.flatMap((e) => (e.e === 'checked' ? [e.change?.diff ?? ''] : []));
    match(diffs.join('\n'), /^-.*OccupancyPercent=30\n\+.*OccupancyPercent=45$/m);
  }),
  scenario('indexers: the end waits for every node, on one version, and for every shard', async (stage) => {
    const broken: readonly (readonly [(s: PlatformState) => unknown, RegExp])[] = [
      [
        (s) => Object.assign(s.cluster.nodes['indexer-3'] ?? {}, { joined: false }),
        /a node is missing, or has another version/,
      ],
      [
        (s) => Object.assign(s.cluster.nodes['indexer-3'] ?? {}, { version: '2.19.1' }),
        /a node is missing, or has another version/,
      ],
      [(s) => createIndex(s, 'wide', { shards: 1, replicas: 3 }), /replica can be on no node/],
    ];
    for (const [alter, why] of broken) {
      const p = await complete(stage);
      p.state.cluster.persistent[ENABLE] = 'primaries';
      alter(p.state);
      stopped(await p.run(PLAYBOOK), why);
      equal(allocation(p.state), 'all');
    }
  }),
  scenario('indexers: with between_nodes reallocate an interrupted run gives the allocation back', async (stage) => {
    const p = (await prepared(stage)).told(({ inventory, ...project }) => {
      const indexer = { ...inventory.names['indexer'], between_nodes: 'reallocate' };
      return { ...project, inventory: { ...inventory, names: { ...inventory.names, indexer } } };
    });
    let stop = false;
    const cut = await p.run(PLAYBOOK, {
      stopping: () => stop,
      before: (act, state) => {
        stop ||= /indexer-3: systemctl stop/.test(act);
        if (STOP.test(act)) deepEqual(unplaced(state), []);
      },
    });
    equal(cut.end, 'interrupted');
    const released = p.clone();
    const back = await released.run(PLAYBOOK, { verb: 'close', past: cut.recorded });
    deepEqual([notRestored(back), allocation(released.state)], [[], 'all']);
    const next = await p.run(PLAYBOOK, { verb: 'resume', past: cut.recorded });
    done(next);
    upgraded(p.state);
    stale(p.state, 'indexer-2');
    const one = await p.run(PLAYBOOK, { name: 'one' });
    done(one);
    // Not for those that are not stopped.
    ok(actsLike(one, /"primaries"/).length <= 2);
  }),
  scenario('indexers: what was accepted is not asked again, what is new in the middle is', async (stage) => {
    const p = await prepared(stage);
    createIndex(p.state, 'wide', { shards: 1, replicas: 3 });
    const middle = p.clone();
    pushDue(middle.state);
    refused(await middle.run(PLAYBOOK, { answer: 'no' }), /./);
    note(p.state, 'indexer-1', REPLICAS_NOTE, 'replica of wide 0\n');
    done(await p.run(PLAYBOOK, { answer: 'no' }));
    equal(textOf(p.state, 'indexer-1', REPLICAS_NOTE), 'replica of wide 0\n');
  }),
  scenario('indexers: an index that was made a moment ago is waited for', async (stage) => {
    const p = await prepared(stage);
    const [copy] = createIndex(p.state, 'new', { shards: 1, replicas: 1 }).shards[0]?.copies.slice(1) ?? [];
    Object.assign(copy ?? {}, { host: null, state: 'UNASSIGNED' });
    p.state.timers.push({ atMs: p.state.nowMs + 4_000, due: 'allocate' });
    done(await p.run(PLAYBOOK));
    upgraded(p.state);
  }),
];
