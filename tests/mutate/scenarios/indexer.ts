import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { addDocument, createIndex } from '../../../engine/platforms/security-monitoring/simulator/documents.js';
import { putFile } from '../../../engine/simulator/files.js';
import {
  advance,
  runProgram,
  startService,
  stopService,
} from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import { shardsOf } from '../../../engine/platforms/security-monitoring/simulator/shards.js';
import { schedule } from '../../../engine/simulator/timers.js';
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
  modeOf,
  ok,
  notRestored,
  refused,
  stopped,
  textOf,
} from '../look.js';
import { after, edit, ours } from '../ours.js';
import { about, scenario, whole, type Scenario } from '../scenario.js';
import type { Options, Platform, Stage } from '../stage.js';
import { stoppedAt } from './killed.js';
import { held } from './prepare.js';

export const PLAYBOOK = 'indexer.yaml';
export const JVM = '/etc/platform-indexer/jvm.options';
export const SECURITY = '/etc/platform-indexer/security';
export const NOTE = '/var/lib/runbook/pending/security-configuration';
export const STOP = /: systemctl stop platform-indexer$/;
export const PUSH = /indexer-security-init\.sh$/;
export const ARCHIVE = '/var/backups/runbook/before-4.14';
export const FIRST = `${ARCHIVE}/security-first${SECURITY}`;
export const PUSHED = `${ARCHIVE}/security-pushed${SECURITY}`;
export const SECURITY_BACKUP = /-backup \/etc\/platform-indexer\/security /;

/** A file of the security configuration, as the tool writes it. */
export const security = (names: string): string => `---\n_meta:\n  type: x\n${names}`;
export const RECORD = '/var/lib/runbook/pending/upgrade-of-indexer';
export const REPLICAS_NOTE = '/var/lib/runbook/pending/accepted-replicas';
export const prepared = (stage: Stage): Promise<Platform> => after('prepare', stage);
const nodes = (state: PlatformState): readonly string[] =>
  Object.values(state.cluster.nodes).map((node) => `${node.name} ${String(node.joined)} ${node.version}`);

/** It fails upon this fault, for this reason, with these not restored yet; without the fault a resume ends well. */
const failing = (
  name: string,
  alter: (state: PlatformState) => void,
  why: RegExp,
  keeps: readonly string[],
  options: Options = {},
  fix: (state: PlatformState) => void = () => undefined,
): Scenario =>
  scenario(`indexers: ${name} stops the run, and what waits for it stays as it is`, async (stage) => {
    const p = await prepared(stage);
    alter(p.state);
    const failed = await p.run(PLAYBOOK, options);
    stopped(failed, why);
    deepEqual(notRestored(failed), keeps);
    equal(allocation(p.state) === 'primaries', keeps.length > 0);
    if (keeps.length === 0) deepEqual([down(p.state), p.state.cluster.transient], [[], {}]);
    p.state.faults.length = 0;
    fix(p.state);
    const resumed = await p.run(PLAYBOOK, { verb: 'resume', past: failed.recorded });
    done(resumed);
    upgraded(p.state);
  });

export const ENABLE = 'cluster.routing.allocation.enable';
/** Copies of shards that no node has started. */
export const unplaced = ({ cluster }: PlatformState): readonly string[] =>
  Object.entries(cluster.indices).flatMap(([name, { shards }]) =>
    shards.flatMap(({ copies }) => copies.flatMap(({ state }) => (state === 'STARTED' ? [] : [`${name} ${state}`]))),
  );

const KEPT = ['Restrict shard allocation to primaries', 'Stop the dashboard', 'Stop the shipper'];

export function upgraded(state: PlatformState, names = ['indexer-1', 'indexer-2', 'indexer-3']): void {
  for (const { name, packages, services } of hostsOf(state, 'indexer')) {
    const { active, enabled, runs, needsReload } = services['platform-indexer'] ?? {};
    deepEqual(
      [name, packages['platform-indexer']?.version, active, enabled, runs, needsReload],
      [name, '4.14.7-1', 'active', true, '4.14.7-1', false],
    );
    equal(textOf(state, name, RECORD), undefined);
  }
  deepEqual(
    nodes(state),
    names.map((name) => `${name} true 2.19.4`),
  );
  deepEqual([allocation(state), state.cluster.transient, down(state)], ['all', {}, []]);
}

/** A replica without a node, and allocation that does not give it one. */
export function lostReplica(state: PlatformState, reason: string): void {
  state.cluster.persistent['cluster.routing.allocation.enable'] = 'primaries';
  for (const { copies } of state.cluster.indices['.kibana_1']?.shards ?? [])
    for (const copy of copies.slice(1)) Object.assign(copy, { host: null, state: 'UNASSIGNED', reason });
}
export const note = (state: PlatformState, host: string, path: string, text: string): void => {
  putFile(hostOf(state, host), path, { text, mode: '0600' }, state.nowMs);
};

export const pushDue = (state: PlatformState): void => {
  note(state, 'indexer-1', NOTE, 'due\n');
};
const altered =
  (alter: (state: PlatformState) => void) =>
  async (stage: Stage): Promise<Platform> => {
    const p = await prepared(stage);
    alter(p.state);
    return p;
  };

/** What shows that an upgrade of the nodes was begun; each alone. */
const BEGUN: Readonly<Record<string, (stage: Stage) => Promise<Platform>>> = {
  'a node that is upgraded': async (stage) => {
    const p = await ours(stage, { at: { 'indexer-2': '4.14.7' } });
    done(await p.run('prepare.yaml', { name: 'prepare' }));
    return p;
  },
  'a record': altered((s) => {
    note(s, 'indexer-2', RECORD, '4.12.0-1 4.14.7-1\n');
  }),
  'a push that is due': altered(pushDue),
};

/** Before the first node is stopped. */
const green: readonly Scenario[] = [
  ...Object.entries(BEGUN).map(([what, begun]) =>
    scenario(`indexers: with ${what} the upgrade goes on though replicas are not allocated`, async (stage) => {
      const p = await begun(stage);
      const gaveUp = p.clone();
      lostReplica(p.state, 'NODE_LEFT');
      const ran = await p.run(PLAYBOOK);
      done(ran);
      upgraded(p.state);
      // Who is done is left alone, and no writers are warned of for it.
      if (what === 'a node that is upgraded')
        deepEqual(actsLike(ran, /^indexer-2: (systemctl (re)?st|write|copy|remove)/), []);
      const left =
        what === 'a node that is upgraded' ? ['indexer-3', 'indexer-1'] : ['indexer-2', 'indexer-3', 'indexer-1'];
      deepEqual(
        actsLike(ran, STOP).map((act) => act.slice(0, 9)),
        left,
      );
      equal(ran.warned.split('managers continue to write').length - 1, left.length);
      lostReplica(gaveUp.state, 'ALLOCATION_FAILED');
      refused(await gaveUp.run(PLAYBOOK), /the indexer cluster is yellow/);
    }),
  ),
  scenario(
    'indexers: green is required as long as an indexer is to be stopped or finished, and no longer',
    async (stage) => {
      const p = await after('indexer', stage);
      lostReplica(p.state, 'ALLOCATION_FAILED');
      const notFresh = p.clone();
      const unfinished = p.clone();
      doesNotMatch((await p.run('prepare.yaml', { answer: 'yes', name: 'later' })).why, /cluster is yellow/);
      const entry = hostOf(notFresh.state, 'indexer-2').packages['platform-indexer'];
      Object.assign(entry ?? {}, { changedAtMs: notFresh.state.nowMs });
      refused(await notFresh.run(PLAYBOOK), /the indexer cluster is yellow/);
      note(unfinished.state, 'indexer-2', RECORD, '4.12.0-1 4.14.7-1\n');
      refused(await unfinished.run(PLAYBOOK), /the indexer cluster is yellow/);
    },
  ),
  scenario('indexers: a replica without a node is refused before the first node is stopped', async (stage) => {
    const p = await prepared(stage);
    lostReplica(p.state, 'NODE_LEFT');
    refused(await p.run(PLAYBOOK), /the indexer cluster is yellow/);
  }),
  scenario(
    'indexers: a node that the upgrade stopped is brought back, though shards are red meanwhile',
    async (stage) => {
      const p = await prepared(stage);
      createIndex(p.state, 'single', { shards: 3, replicas: 0 });
      for (const host of ['indexer-3', 'indexer-1']) {
        const away = p.clone();
        // Behind it come those of data only, then those that may be elected.
        if (host === 'indexer-3') Object.assign(away.state.cluster.nodes['indexer-2'] ?? {}, { roles: ['data'] });
        note(away.state, host, RECORD, '4.12.0-1 4.14.7-1\n');
        stopService(away.state, hostOf(away.state, host), 'platform-indexer');
        const ran = await away.run(PLAYBOOK);
        done(ran);
        upgraded(away.state);
        equal(actsLike(ran, /systemctl start platform-indexer/)[0]?.slice(0, 9), host);
        doesNotMatch(ran.warned, new RegExp(`${host} has the only`));
      }
    },
  ),
  scenario(
    'indexers: replicas that no node can take are asked about once, and what was accepted is kept',
    async (stage) => {
      const p = await prepared(stage);
      createIndex(p.state, 'wide', { shards: 1, replicas: 3 });
      const denied = await p.run(PLAYBOOK, { answer: 'no' });
      refused(denied, /wide 0|was not confirmed|no/);
      match(denied.asked, /replica of wide 0 can be on no node/);
      const accepted = await p.run(PLAYBOOK, { answer: 'yes', name: 'second' });
      done(accepted);
      deepEqual(
        [textOf(p.state, 'indexer-1', REPLICAS_NOTE), modeOf(p.state, 'indexer-1', REPLICAS_NOTE)],
        ['replica of wide 0\n', '0600'],
      );
      upgraded(p.state);
    },
  ),
  scenario(
    'indexers: new replicas that no node can take are no question in the middle of an upgrade',
    async (stage) => {
      const p = await prepared(stage);
      note(p.state, 'indexer-1', REPLICAS_NOTE, 'replica of yesterday 0\n');
      createIndex(p.state, 'today', { shards: 1, replicas: 3 });
      const asked = p.clone();
      refused(await asked.run(PLAYBOOK, { answer: 'no' }), /./);
      pushDue(p.state);
      done(await p.run(PLAYBOOK));
      equal(textOf(p.state, 'indexer-1', REPLICAS_NOTE), 'replica of yesterday 0\n');
    },
  ),
  scenario(
    'indexers: what was accepted before is removed once the cluster is green, but not in the middle',
    async (stage) => {
      const p = await prepared(stage);
      note(p.state, 'indexer-1', REPLICAS_NOTE, 'replica of yesterday 0\n');
      const begun = p.clone();
      done(await p.run(PLAYBOOK));
      equal(textOf(p.state, 'indexer-1', REPLICAS_NOTE), undefined);
      pushDue(begun.state);
      done(await begun.run(PLAYBOOK));
      equal(textOf(begun.state, 'indexer-1', REPLICAS_NOTE), 'replica of yesterday 0\n');
    },
  ),
];

const BACKUP = `/var/backups/runbook/before-4.14/4.12.0${JVM}`;

/** An interrupted run stopped it, and its package was upgraded by hand. */
async function upgradedByHand(stage: Stage): Promise<Platform> {
  const p = await prepared(stage);
  const cut = await stoppedAt(p, PLAYBOOK, STOP, { name: 'cut' });
  await p.run(PLAYBOOK, { verb: 'close', past: cut.recorded });
  const host = hostOf(p.state, 'indexer-2');
  const unheld = Object.values(host.packages);
  for (const each of unheld) each.held = false;
  const install = ['install', '-y', '-o', 'Dpkg::Options::=--force-confnew', 'platform-indexer=4.14.7-1'];
  const list = '/etc/apt/sources.list.d/platform.list';
  edit(p.state, 'indexer-2', list, (text) => text.replace('#deb', 'deb'));
  for (const argv of [['update'], install]) equal(runProgram(p.state, host, ['apt-get', ...argv]).exit, 0);
  edit(p.state, 'indexer-2', list, (text) => text.replace('deb', '#deb'));
  for (const each of unheld) each.held = true;
  startService(p.state, host, 'platform-indexer');
  advance(p.state, 120_000);
  return p;
}

const byHand: readonly Scenario[] = [
  scenario(
    'indexers: a node that was upgraded by hand gets its settings from the backup where there is no copy',
    async (stage) => {
      const p = await upgradedByHand(stage);
      const copied = p.clone();
      done(await p.run(PLAYBOOK));
      upgraded(p.state);
      equal(textOf(p.state, 'indexer-2', JVM), textOf(p.state, 'indexer-1', JVM));
      equal(textOf(p.state, 'indexer-2', RECORD), undefined);
      const text = (textOf(copied.state, 'indexer-2', BACKUP) ?? '').replaceAll('8g', '6g');
      note(copied.state, 'indexer-2', `${JVM}.bak`, text);
      const copyAlone = copied.clone();
      Reflect.deleteProperty(hostOf(copyAlone.state, 'indexer-2').files, BACKUP);
      for (const one of [copied, copyAlone]) {
        done(await one.run(PLAYBOOK));
        match(textOf(one.state, 'indexer-2', JVM) ?? '', /-Xmx6g/);
      }
    },
  ),
  scenario(
    'indexers: a node whose unit failed while a run was interrupted is upgraded by the resume',
    async (stage) => {
      const p = await prepared(stage);
      const cut = await stoppedAt(p, PLAYBOOK, STOP, { name: 'cut' });
      stopService(p.state, hostOf(p.state, 'indexer-2'), 'platform-indexer');
      Object.assign(hostOf(p.state, 'indexer-2').services['platform-indexer'] ?? {}, { active: 'failed' });
      const anew = p.clone();
      done(await p.run(PLAYBOOK, { verb: 'resume', past: cut.recorded }));
      upgraded(p.state);
      done(await anew.run(PLAYBOOK, { name: 'anew', answer: 'yes' }));
      upgraded(anew.state);
    },
  ),
  scenario('indexers: without copy and backup it is refused before the first change', async (stage) => {
    const p = await upgradedByHand(stage);
    Reflect.deleteProperty(hostOf(p.state, 'indexer-2').files, BACKUP);
    const besideUpgraded = p.clone();
    Object.assign(hostOf(besideUpgraded.state, 'indexer-3').packages['platform-indexer'] ?? {}, {
      version: '4.14.7-1',
    });
    Object.assign(besideUpgraded.state.cluster.nodes['indexer-3'] ?? {}, { version: '2.19.4' });
    for (const one of [p, besideUpgraded])
      refused(await one.run(PLAYBOOK), /indexer-2: neither \S+jvm\.options\.bak nor \S+ exists/);
  }),
];

const replicaOf = (state: PlatformState) => shardsOf(state.cluster)[0]?.copies.find((copy) => !copy.primary) ?? {};

const SECURITY_FILES = [
  ...['action_groups', 'allowlist', 'audit', 'config', 'internal_users', 'nodes_dn', 'roles', 'roles_mapping'],
  ...['tenants', 'whitelist'],
];

/** A run that an operator stopped: it ends once a step of this name had its effect. */
function stoppedAfterStep(p: Platform, step: string): ReturnType<Platform['run']> {
  let stop = false;
  return p.run(PLAYBOOK, {
    stopping: () => stop,
    on: ({ event }) => {
      stop ||= event.e === 'effect' && event.task.step.endsWith(`/${step}`);
    },
  });
}

export const indexer: readonly Scenario[] = [
  whole(
    'indexers are upgraded one by one, the elected one last, between the protection of the cluster and its end',
    async (stage) => {
      const p = await prepared(stage);
      p.state.cluster.security['internal_users'] = security('changed_over_the_api: { hash: x }\nleft: {}\n');
      for (const host of ['indexer-1', 'indexer-2', 'indexer-3'])
        note(p.state, host, `${SECURITY}/saml-idp.xml`, '<EntityDescriptor/>\n');
      p.state.cluster.transient[ENABLE] = 'all';
      note(p.state, 'indexer-2', '/etc/platform-indexer/opensearch.yml.dpkg-dist', 'a.new.setting: 1\n');
      const jvm = textOf(p.state, 'indexer-2', JVM);
      const whileStopped: string[] = [];
      let pushed = '';
      const ran = await p.run(PLAYBOOK, {
        before: (act, state) => {
          if (STOP.test(act)) {
            const away = nodes(state).filter((node) => node.includes(' false '));
            const units = down(state).filter((unit) => !/indexer/.test(unit));
            whileStopped.push([allocation(state), ...away, ...units].join(', '));
            equal(held(state).length, 10);
            deepEqual([textOf(state, 'indexer-1', NOTE), modeOf(state, 'indexer-1', NOTE)], ['pending\n', '0600']);
            equal(modeOf(state, act.slice(0, 9), RECORD), '0600');
            equal(state.cluster.transient[ENABLE] ?? null, null);
          }
          if (/indexer-1: systemctl start/.test(act))
            Object.assign(state.cluster.security, {
              roles: security('made_meanwhile: {}\n'),
              internal_users: security('changed_over_the_api: { hash: x }\n'),
            });
          if (PUSH.test(act)) {
            state.cluster.transient[ENABLE] = 'none';
            pushed = `${nodes(state).join()} ${textOf(state, 'indexer-1', `${SECURITY}/roles.yml`) ?? ''}`;
          }
        },
      });
      done(ran);
      upgraded(p.state);
      deepEqual(
        whileStopped,
        Array.from(
          { length: 3 },
          () => 'primaries, filebeat on server-1, filebeat on server-2, platform-dashboard on dashboard-1',
        ),
      );
      deepEqual(
        actsLike(ran, STOP).map((act) => act.slice(0, 9)),
        ['indexer-2', 'indexer-3', 'indexer-1'],
      );
      inOrder(ran, /-backup \/etc\/platform-indexer\/security /);
      equal(actsLike(ran, /-backup \/etc\/platform-indexer\/security /).length, 2);
      ok(ran.acts.findIndex((act) => /-backup/.test(act)) < ran.acts.findIndex((act) => /primaries/.test(act)));
      inOrder({ ...ran, acts: actsLike(ran, /primaries|_flush|stop platform-indexer/) }, /primaries/, /_flush/, STOP);
      inOrder({ ...ran, acts: actsLike(ran, /start platform-indexer|init\.sh$|"all"/) }, /start/, PUSH, /"all"/);
      match(pushed, /^indexer-1 true 2\.19\.4,indexer-2 true 2\.19\.4,indexer-3 true 2\.19\.4 [\s\S]*made_meanwhile/);
      match(p.state.cluster.security['internal_users'] ?? '', /changed_over_the_api/);
      match(p.state.cluster.security['roles'] ?? '', /made_meanwhile/);
      // The first backup is what was in force before the upgrade, the second what was pushed; only root reads either.
      match(textOf(p.state, 'indexer-1', `${FIRST}/internal_users.yml`) ?? '', /left/);
      doesNotMatch(textOf(p.state, 'indexer-1', `${FIRST}/roles.yml`) ?? '', /made_meanwhile/);
      match(textOf(p.state, 'indexer-1', `${PUSHED}/roles.yml`) ?? '', /made_meanwhile/);
      equal(textOf(p.state, 'indexer-1', `${FIRST}/saml-idp.xml`), '<EntityDescriptor/>\n');
      equal(modeOf(p.state, 'indexer-1', `${ARCHIVE}/security-first`), '0700');
      match(ran.warned, /the cluster has lost since the backup in \S+: internal_users: left/);
      equal(textOf(p.state, 'indexer-1', NOTE), 'applied\n');
      equal(textOf(p.state, 'indexer-2', `${JVM}.bak`), jvm);
      match(textOf(p.state, 'indexer-2', JVM) ?? '', /-Xms8g\n-Xmx8g[\s\S]*-Dours\.region=eu/);
      match(textOf(p.state, 'indexer-2', JVM) ?? '', /OccupancyPercent=45[\s\S]*jdk\.incubator\.vector/);
      match(ran.warned, /the managers continue to write to the indexer while a node is down/);
      match(ran.warned, /has the only in-sync copy/);
      equal(actsLike(ran, /daemon-reload/).length, 3);
      // The package's script merged the new key and removed the default beside it.
      match(textOf(p.state, 'indexer-2', '/etc/platform-indexer/opensearch.yml') ?? '', /a\.new\.setting: 1/);
      doesNotMatch(ran.warned, /all shards may move/);
      deepEqual(unplaced(p.state), []);
      edit(p.state, 'indexer-1', `${SECURITY}/roles.yml`, () => 'ours, not pushed yet\n');
      const again = await p.run(PLAYBOOK, { name: 'again' });
      done(again);
      deepEqual([again.acts, again.warned], [[], '']);
    },
  ),

  failing('a flush that fails', (s) => void s.faults.push({ fault: 'flush-fails' }), /_shards\/failed/, []),
  failing(
    'a flush that fails, beside a transient setting that was made meanwhile,',
    (s) => void s.faults.push({ fault: 'flush-fails' }),
    /_shards\/failed/,
    [],
    {
      before: (act, { cluster }) => {
        if (/_flush/.test(act)) cluster.transient[ENABLE] = 'primaries';
      },
    },
  ),
  failing(
    'a security backup without its success',
    (s) =>
      void s.faults.push({
        fault: 'program',
        host: 'indexer-1',
        program: 'indexer-security-init.sh',
        exit: 0,
        stdout: 'Will connect\n',
      }),
    /does not say/,
    [],
  ),
  failing(
    'a security backup of which a part failed',
    (s) =>
      void s.faults.push({
        fault: 'program',
        host: 'indexer-1',
        program: 'indexer-security-init.sh',
        exit: 0,
        stdout: "SUCC: Configuration for 'internalusers' stored in x\nFAIL: Configuration for 'roles'\n",
      }),
    /FAIL/,
    [],
  ),
  failing(
    'a node that does not start',
    (s) => void s.faults.push({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' }),
    /platform-indexer/,
    KEPT,
  ),
  failing(
    'a package that is left half-configured',
    (s) => void s.faults.push({ fault: 'half-configured', host: 'indexer-2', package: 'platform-indexer' }),
    /post-installation/,
    KEPT,
  ),
  failing(
    'a package that was cleaned away',
    () => undefined,
    /platform-indexer/,
    [],
    {
      before: (act, state) => {
        const { files } = hostOf(state, 'indexer-2');
        if (/stop platform-dashboard/.test(act))
          for (const path of Object.keys(files))
            if (/^\/var\/cache.*\.deb$/.test(path)) Reflect.deleteProperty(files, path);
      },
    },
    (state) => edit(state, 'indexer-2', '/etc/apt/sources.list.d/platform.list', (text) => text.replace('#deb', 'deb')),
  ),
  ...green,
  ...byHand,
];

/** What becomes of a node once its unit was started again, in place of its coming back. */
const returning = (name: string, alter: (state: PlatformState) => void, why: RegExp, withinMs = Infinity): Scenario =>
  scenario(`indexers: the next node waits for ${name}`, async (stage) => {
    const p = await prepared(stage);
    let alteredMs = 0;
    let begun = false;
    let altered = false;
    const ran = await p.run(PLAYBOOK, {
      before: (act) => {
        begun ||= /indexer-2: systemctl start platform-indexer/.test(act);
      },
      on: ({ event }, state) => {
        // A unit that ends at once fails its start; one that ends later is noticed by whoever waits for the node.
        const now = withinMs < Infinity ? event.e === 'waiting' : event.e === 'effect';
        if (!begun || altered || !now) return;
        altered = true;
        alteredMs = state.nowMs;
        alter(state);
      },
    });
    stopped(ran, why);
    equal(actsLike(ran, STOP).length, 1);
    deepEqual(notRestored(ran), KEPT);
    ok(p.state.nowMs - alteredMs < withinMs, 'it waited for what does not come');
  });

/** The node never joins; then it is as is said. */
const instead =
  (as: Partial<PlatformState['cluster']['nodes'][string]>) =>
  (state: PlatformState): void => {
    state.timers = state.timers.filter((timer) => timer.due !== 'node');
    Object.assign(state.cluster.nodes['indexer-2'] ?? {}, as);
  };

export const indexerReturns: readonly Scenario[] = [
  about(
    ['invariants', 'condition', 'roles', 'only_stopped_nodes'],
    'indexers: none is stopped while another one went away, or its shards are starting',
    async (stage) => {
      for (const harm of [
        (s: PlatformState) => void stopService(s, hostOf(s, 'indexer-1'), 'platform-indexer'),
        // Its process runs, and the network between the nodes does not.
        (s: PlatformState) => Object.assign(s.cluster.nodes['indexer-1'] ?? {}, { joined: false }),
        (s: PlatformState) => Object.assign(replicaOf(s), { state: 'INITIALIZING', sinceMs: s.nowMs + 3_600_000 }),
      ]) {
        const p = await prepared(stage);
        let harmed = false;
        const ran = await p.run(PLAYBOOK, {
          on: ({ event }, state) => {
            if (harmed || event.e !== 'settled' || event.name !== 'Remove the version record') return;
            harmed = true;
            harm(state);
          },
        });
        equal(ran.end, 'failed');
        equal(actsLike(ran, STOP).length, 1);
      }
    },
  ),
  scenario('indexers: a node that is back late, and whose shards start late, is waited for', async (stage) => {
    const p = await prepared(stage);
    const vars = { rejoin_limit: '30m' };
    const [late, begun] = [{ node: false, shard: false }, /indexer-2: systemctl start platform-indexer/];
    let starts = false;
    const ran = await p.run(PLAYBOOK, {
      vars,
      before: (act) => {
        starts ||= begun.test(act);
      },
      on: ({ event }, state) => {
        if (starts && !late.node && event.e === 'effect') {
          late.node = true;
          state.timers = state.timers.map((timer) =>
            timer.due === 'node' ? { ...timer, atMs: timer.atMs + 900_000 } : timer,
          );
        }
        if (late.shard || event.e !== 'waiting' || !late.node || state.cluster.nodes['indexer-2']?.joined !== true)
          return;
        late.shard = true;
        const primary = shardsOf(state.cluster)[0]?.copies.find((copy) => copy.primary);
        Object.assign(primary ?? {}, { state: 'INITIALIZING', sinceMs: state.nowMs + 60_000 });
        schedule(state, { atMs: state.nowMs + 780_000, due: 'allocate' });
      },
    });
    done(ran);
    deepEqual(late, { node: true, shard: true });
  }),
  returning('the node that is not back', instead({ joined: false }), /indexer-2 is not back in the cluster/),
  returning(
    'another node that went away',
    (s) => Object.assign(s.cluster.nodes['indexer-3'] ?? {}, { joined: false }),
    /is not back in the cluster/,
  ),
  returning(
    'a node that runs its old version',
    instead({ joined: true, version: '2.19.1' }),
    /is not back in the cluster/,
  ),
  returning(
    'a node in a cluster of its own',
    (s) => void s.faults.push({ fault: 'own-cluster', host: 'indexer-2' }),
    /one cluster|not back/,
  ),
  returning(
    'a unit that ended again',
    (s) => Object.assign(hostOf(s, 'indexer-2').services['platform-indexer'] ?? {}, { active: 'failed' }),
    /is not back in the cluster.*readings in a row/,
    120_000,
  ),
  returning(
    'a unit that was stopped again by hand',
    (s) => {
      stopService(s, hostOf(s, 'indexer-2'), 'platform-indexer');
    },
    /is not back in the cluster.*readings in a row/,
    120_000,
  ),
  returning(
    'a shard that is gone with every node there',
    (s) => {
      s.cluster.persistent[ENABLE] = 'none';
      instead({ joined: true, version: '2.19.4' })(s);
      for (const { copies } of s.cluster.indices['.kibana_1']?.shards ?? [])
        for (const copy of copies) Object.assign(copy, { host: null, state: 'UNASSIGNED', sinceMs: 0 });
    },
    /indexer-2 is not back/,
    120_000,
  ),
  scenario('indexers: a push of a security configuration that is not whole is refused', async (stage) => {
    const p = await prepared(stage);
    const cut = await stoppedAfterStep(p, 'Restore the cluster settings/Back up the security configuration');
    for (const file of SECURITY_FILES) {
      const one = p.clone();
      edit(one.state, 'indexer-1', `${SECURITY}/${file}.yml`, () => '');
      const ran = await one.run(PLAYBOOK, { verb: 'resume', past: cut.recorded });
      stopped(ran, new RegExp(`not complete: ${file}.yml is empty`));
      deepEqual(actsLike(ran, PUSH), []);
      equal(textOf(one.state, 'indexer-1', NOTE), 'pending\n');
    }
  }),
  scenario('indexers: a push that does not end with its success fails the run', async (stage) => {
    const p = await prepared(stage);
    const ran = await p.run(PLAYBOOK, {
      before: (act, state) => {
        if (PUSH.test(act))
          state.faults.push({
            fault: 'program',
            host: 'indexer-1',
            program: 'indexer-security-init.sh',
            exit: 0,
            stdout: 'ERR: no\n',
          });
      },
    });
    stopped(ran, /Done with success/);
    equal(allocation(p.state), 'primaries');
    p.state.faults.length = 0;
    const resumed = await p.run(PLAYBOOK, { verb: 'resume', past: ran.recorded });
    done(resumed);
    deepEqual(actsLike(resumed, SECURITY_BACKUP), []);
    equal(textOf(p.state, 'indexer-1', NOTE), 'applied\n');
  }),
  scenario('indexers: a run that was released before the push pushes the next time', async (stage) => {
    const p = await prepared(stage);
    const first = await stoppedAt(p, PLAYBOOK, /indexer-1: systemctl start platform-indexer/);
    await p.run(PLAYBOOK, { verb: 'close', past: first.recorded });
    const next = await p.run(PLAYBOOK, { name: 'next' });
    done(next);
    equal(actsLike(next, PUSH).length, 1);
    equal(textOf(p.state, 'indexer-1', NOTE), 'applied\n');
    upgraded(p.state);
  }),
  scenario(
    'indexers: with between_nodes reallocate all shards move and green is waited for before each next node',
    async (stage) => {
      const p = await prepared(stage);
      const reallocate = p.told(({ inventory, ...project }) => {
        const indexer = { ...inventory.names['indexer'], between_nodes: 'reallocate' };
        return { ...project, inventory: { ...inventory, names: { ...inventory.names, indexer } } };
      });
      const during: (string | undefined)[] = [];
      const green: boolean[] = [];
      const ran = await reallocate.run(PLAYBOOK, {
        before: (act, state) => {
          if (!STOP.test(act)) return;
          during.push(allocation(state));
          if (during.length > 1)
            green.push(shardsOf(state.cluster).every((shard) => shard.copies.every((c) => c.state === 'STARTED')));
        },
        // After the node is back, a while goes by in which a shard is placed nowhere.
        on: ({ event }, state) => {
          if (event.e !== 'settled' || !event.task.step.endsWith('Upgrade each node/Enable shard allocation')) return;
          const copy = shardsOf(state.cluster)[0]?.copies.find((c) => !c.primary);
          Object.assign(copy ?? {}, { host: null, state: 'UNASSIGNED' });
        },
      });
      done(ran);
      upgraded(p.state);
      equal(actsLike(ran, /"all"/).length, 3);
      equal(actsLike(ran, /primaries/).length, 3);
      match(ran.warned, /all shards may move and green is waited for/);
      deepEqual(during, ['primaries', 'primaries', 'primaries']);
      // Each node but the first is stopped with every shard in its place.
      deepEqual(green, [true, true]);
    },
  ),
  scenario('indexers: midnight while the shippers are stopped is a warning beforehand', async (stage) => {
    const p = await prepared(stage);
    const quiet = await p.plan(PLAYBOOK);
    ok(!/log rotation while/.test(quiet.warned));
    match(
      (await p.plan(PLAYBOOK, { vars: { shipper_downtime: '300 minutes' } })).warned,
      /log rotation while the shipper is stopped/,
    );
  }),
  scenario('indexers: a package that no repository offers is refused with everything running', async (stage) => {
    const p = await stage.platform();
    p.state.repository['platform-indexer'] = [];
    const refusedRun = await p.run(PLAYBOOK);
    equal(refusedRun.end, 'refused');
    deepEqual(refusedRun.acts, []);
  }),
  scenario('indexers: documents that were acknowledged are all there', async (stage) => {
    const p = await prepared(stage);
    let n = 0;
    const ids: string[] = [];
    done(
      await p.run(PLAYBOOK, {
        on: (_, state) => {
          n += 1;
          if (n % 25 === 0 && addDocument(state, 'platform-states-vulnerabilities', { n })) ids.push(String(n));
        },
      }),
    );
    const found = Object.values(p.state.cluster.indices['platform-states-vulnerabilities']?.documents ?? {}).map((d) =>
      String((JSON.parse(d) as { n?: number }).n),
    );
    deepEqual(
      ids.filter((id) => !found.includes(id)),
      [],
    );
    upgraded(p.state);
  }),
];
