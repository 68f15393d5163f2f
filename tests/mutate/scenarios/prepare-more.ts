import { packArchive } from '../../../engine/simulator/archive.js';
import { nodeLeaves } from '../../../engine/platforms/security-monitoring/simulator/cluster.js';
import { putFile } from '../../../engine/simulator/files.js';
import { stopService } from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { Crash } from '../../run/bench-hosts.js';
import { schedule } from '../../../engine/simulator/timers.js';
import { shaped, type Shape } from '../../playbooks/platform-shapes.js';
import {
  actsLike,
  deepEqual,
  done,
  doesNotMatch,
  equal,
  hostOf,
  hostsOf,
  inOrder,
  match,
  modeOf,
  ok,
  refused,
  stopped,
  textOf,
  unitOf,
} from '../look.js';
import { edit, pathsOf, remove } from '../ours.js';
import { about, scenario, type Scenario } from '../scenario.js';
import type { Options, Platform, Stage, Told } from '../stage.js';
import { repositoriesOff } from './prepare.js';

const KEPT = '/var/backups/runbook/before-4.14';
const TARGET = '4.14.7';

/** Two hosts of each role, of which the second one was upgraded by hand. */
async function halfByHand(stage: Stage): Promise<Platform> {
  const p = await stage.platform(
    { at: { i2: TARGET, s2: TARGET, d2: TARGET, a2: TARGET }, rpmHosts: ['s1', 's2'] },
    shaped({
      ...{ d1: 'dashboard', d2: 'dashboard', s1: 'server master', s2: 'server worker' },
      ...{ i1: 'indexer', i2: 'indexer', a1: 'agent', a2: 'agent' },
    }),
  );
  Object.assign(hostOf(p.state, 's2').packages['filebeat'] ?? {}, { version: '7.10.2-2' });
  return p;
}

const onePerRole = (stage: Stage, more: Shape = {}): Promise<Platform> =>
  stage.platform({ rpmHosts: ['s'] }, shaped({ s: 'server master', i: 'indexer', ...more }));

const small = (stage: Stage): Promise<Platform> =>
  stage.platform(
    {},
    shaped({ d: 'dashboard', s1: 'server master', s2: 'server worker', i1: 'indexer', i2: 'indexer' }),
  );

/** As an upgrade that was interrupted leaves it on a host. */
function begun(state: PlatformState, host: string, component: string, to = TARGET): void {
  putFile(
    hostOf(state, host),
    `/var/lib/runbook/pending/upgrade-of-${component}`,
    { text: `4.12.0-1 ${to}-1\n` },
    state.nowMs,
  );
}

function install(state: PlatformState, host: string, name: string, version: string): void {
  const entry = hostOf(state, host).packages[name];
  if (entry === undefined) throw new Error(`${host} has no ${name}`);
  Object.assign(entry, { version, changedAtMs: 1 });
}

const stop = (state: PlatformState, host: string, unit: string): unknown =>
  stopService(state, hostOf(state, host), unit);

/** Packages that a preparation leaves on a host: the target's in the cache, that of the previous version in the backup. */
const PACKAGES = [
  ['i', 'platform-indexer', '4.14.7-1', '4.12.0-1'],
  ['s', 'platform-manager', '4.14.7-1', '4.12.0-1'],
  ['s', 'filebeat', '7.10.2-2', '7.10.2-1'],
  ['d', 'platform-dashboard', '4.14.7-1', '4.12.0-1'],
] as const;

export const preparedPackages: readonly Scenario[] = [
  scenario('packages: nothing is fetched again, and nothing where a host is at the target', async (stage) => {
    const p = await halfByHand(stage);
    // A shipper of other logs, on a host that is no server.
    hostOf(p.state, 'd1').packages['filebeat'] = structuredClone(hostOf(p.state, 's1').packages['filebeat'] as never);
    hostOf(p.state, 'd1').packageIndex['filebeat'] = ['7.10.2-1', '7.10.2-2'];
    equal((await p.plan('prepare.yaml')).why, '');
    const first = await p.run('prepare.yaml');
    done(first);
    // What yum or dnf knows of a repository may be days old.
    inOrder(first, /^s1: dnf clean expire-cache/, /^s1: dnf .*makecache/, /^s1: dnf .*download/);
    deepEqual(pathsOf(p.state, 'd1', /filebeat.*\.deb$/), []);
    for (const host of ['i2', 's2', 'd2', 'a2'])
      deepEqual(pathsOf(p.state, host, /\.(deb|rpm)$|before-4\.14\/(4\.14|saved)|index-template-/), []);
    const second = await p.run('prepare.yaml', { name: 'second' });
    deepEqual([second.end, second.acts], ['done', []]);
  }),
  scenario('packages: what is missing is fetched again', async (stage) => {
    const prepared = await onePerRole(stage, { d: 'dashboard' });
    done(await prepared.run('prepare.yaml'));
    for (const [host, name, ...versions] of PACKAGES)
      for (const version of versions) {
        const file = new RegExp(`${name}[-_]${version}.*(deb|rpm)$`);
        const p = prepared.clone();
        remove(p.state, host, file);
        const ran = await p.run('prepare.yaml', { name: 'again' });
        done(ran);
        equal(pathsOf(p.state, host, file).length, 1);
        repositoriesOff(p.state);
        // A DEB host's index is updated once more after its repository is disabled.
        const updates = actsLike(ran, new RegExp(`^${host}: .*(apt-get update|makecache)`)).length;
        equal(updates, host === 's' ? 1 : 2);
      }
  }),
  scenario('packages: without the repository only a missing target stops a second run', async (stage) => {
    const prepared = await onePerRole(stage);
    done(await prepared.run('prepare.yaml'));
    for (const [host, name, target, previous] of PACKAGES.filter(([, each]) => /indexer|filebeat/.test(each)))
      for (const version of [target, previous]) {
        const p = prepared.clone();
        remove(p.state, host, new RegExp(`${name}[-_]${version}.*(deb|rpm)$`));
        if (version === previous) {
          const planned = await p.plan('prepare.yaml', { name: 'plan' });
          deepEqual([planned.why, /cannot be rolled back/.test(planned.warned)], ['', false]);
        }
        for (const path of ['/4.x/apt/', '/4.x/yum/'])
          p.state.faults.push({ fault: 'download', path, status: 503, body: '' });
        const ran = await p.run('prepare.yaml', { name: 'without' });
        if (version === target) stopped(ran, /ended with status|cannot fetch what/);
        else done(ran);
        repositoriesOff(p.state);
      }
  }),
  scenario('packages: a run that is cut while an index is updated is resumed', async (stage) => {
    const INDEX = /: (apt-get update|dnf .*(makecache|expire-cache))/;
    const prepared = await onePerRole(stage);
    const p = prepared.clone();
    done(await p.run('prepare.yaml'));
    // Only what a rollback needs is missing then: nothing else asks the repository.
    for (const host of ['i', 's']) remove(p.state, host, /packages\/.*(deb|rpm)$/);
    for (const from of [prepared, p])
      for (let nth = 1, end = ''; end !== 'done'; nth += 1) {
        const q = from.clone();
        let met = 0;
        const cut = await q.run('prepare.yaml', {
          name: 'cut',
          before: (act) => {
            if (INDEX.test(act)) met += 1;
            if (met >= nth) throw new Crash();
          },
        });
        end = cut.end;
        if (end === 'done') ok(nth > 4, 'too few updates');
        else done(await q.run('prepare.yaml', { name: 'cut', verb: 'resume', past: cut.recorded }));
      }
  }),
  scenario('packages: an enabled repository is disabled, though nothing is to be fetched', async (stage) => {
    const prepared = await halfByHand(stage);
    done(await prepared.run('prepare.yaml'));
    for (const [host, path] of [
      ['i1', '/etc/apt/sources.list.d/platform.list'],
      ['s1', '/etc/yum.repos.d/platform.repo'],
    ] as const) {
      const p = prepared.clone();
      edit(p.state, host, path, (text) => text.replace('#deb', 'deb').replace('enabled=0', 'enabled=1'));
      done(await p.run('prepare.yaml', { name: 'again', answer: 'yes' }));
      repositoriesOff(p.state);
    }
  }),
];

/** What shows that an upgrade is in progress: the objects and identifiers of now may not be those from before it. */
const IN_PROGRESS: readonly ((state: PlatformState) => unknown)[] = [
  (s) => {
    install(s, 'i2', 'platform-indexer', `${TARGET}-1`);
  },
  (s) => {
    begun(s, 'i2', 'indexer');
  },
  (s) => putFile(hostOf(s, 'i2'), '/var/lib/runbook/pending/security-configuration', { text: 'due\n' }, s.nowMs),
];

/** Runs with an export of the saved objects that is so many minutes old; gives it afterwards, and the recorded identifiers. */
async function exported(
  stage: Stage,
  alter: (state: PlatformState) => unknown,
  { minutes = 120, tenants = false }: { minutes?: number; tenants?: boolean } = {},
): Promise<readonly unknown[]> {
  const p = await small(stage);
  const { state } = p;
  if (tenants)
    edit(state, 'd', '/etc/platform-dashboard/dashboard.yml', (text) =>
      text.replace('multitenancy.enabled: false', 'multitenancy.enabled: true'),
    );
  const path = `${KEPT}/saved-objects/${tenants ? 'global_tenant' : '@signed-in'}.ndjson`;
  state.cluster.mlCommons = { models: [{ id: 'm1', name: 'ours' }], agents: [] };
  putFile(hostOf(state, 'd'), path, { text: 'earlier\n', mode: '0600' }, state.nowMs - minutes * 60_000);
  alter(state);
  done(await p.run('prepare.yaml', { answer: 'yes' }));
  const identifiers = ['i1', 'i2'].flatMap((host) => pathsOf(state, host, /ml-commons\.json$/)).length;
  return [textOf(state, 'd', path) === 'earlier\n' ? 'kept' : 'anew', identifiers];
}

export const preparedBackups: readonly Scenario[] = [
  scenario('backup: saved objects are exported anew unless an upgrade is in progress', async (stage) => {
    const none = (): void => undefined;
    deepEqual(await exported(stage, none), ['anew', 1]);
    deepEqual(await exported(stage, none, { tenants: true }), ['anew', 1]);
    deepEqual(await exported(stage, none, { minutes: 10 }), ['kept', 1]);
    for (const alter of IN_PROGRESS) deepEqual(await exported(stage, alter), ['kept', 0]);
  }),
  scenario('backup: no stopped dashboard is asked for what was exported', async (stage) => {
    const p = await small(stage);
    done(await p.run('prepare.yaml'));
    stop(p.state, 'd', 'platform-dashboard');
    p.state.nowMs += 7_200_000;
    done(await p.run('prepare.yaml', { name: 'again' }));
  }),
  scenario('backup: a shipper without the module and a server without keystores are backed up too', async (stage) => {
    const p = await small(stage);
    remove(
      p.state,
      's2',
      /^\/usr\/share\/filebeat\/module\/platform|\/queue\/keystore|^\/var\/lib\/filebeat\/filebeat\.keystore/,
    );
    done(await p.run('prepare.yaml'));
    ok(pathsOf(p.state, 's2', /before-4\.14\/4\.12\.0\/etc\/filebeat/).length > 0);
  }),
  scenario('backup: a partially upgraded host is not backed up', async (stage) => {
    const p = await small(stage);
    for (const [host, component] of [
      ['i1', 'indexer'],
      ['s1', 'manager'],
      ['d', 'dashboard'],
    ] as const) {
      install(p.state, host, `platform-${component}`, '4.14.6-1');
      begun(p.state, host, component, '4.14.6');
    }
    putFile(hostOf(p.state, 'i1'), '/etc/platform-indexer/jvm.options.bak', { text: 'ours\n' }, 1);
    done(await p.run('prepare.yaml', { answer: 'yes' }));
    for (const host of ['i1', 's1', 'd']) deepEqual(pathsOf(p.state, host, /before-4\.14\/4\.14/), []);
    ok(pathsOf(p.state, 's2', /before-4\.14\/4\.12\.0\/var/).length > 0);
  }),
  scenario('backup: saved objects are exported by the run, by the operator, or not at all', async (stage) => {
    for (const tenants of [false, true])
      for (const [mode, question, note] of [
        ['manual', /Export the saved objects/, 'pending\n'],
        ['none', /^$/, undefined],
      ] as const) {
        const p = await small(stage);
        if (tenants)
          edit(p.state, 'd', '/etc/platform-dashboard/dashboard.yml', (text) =>
            text.replace('multitenancy.enabled: false', 'multitenancy.enabled: true'),
          );
        const ran = await p.run('prepare.yaml', { vars: { saved_objects: mode }, answer: 'yes' });
        done(ran);
        match(ran.asked, question);
        deepEqual(pathsOf(p.state, 'd', /before-4\.14\/saved-objects(\/|$)/), []);
        equal(textOf(p.state, 'd', '/var/lib/runbook/pending/saved-objects'), note);
        deepEqual(pathsOf(p.state, 'i1', /ml-commons/), []);
      }
  }),
];

/** Everything at the target, upgraded by hand. */
async function atTarget(stage: Stage): Promise<Platform> {
  const p = await stage.platform(
    { from: TARGET },
    shaped({ d: 'dashboard', s1: 'server master', s2: 'server worker', i: 'indexer' }),
  );
  for (const host of ['s1', 's2']) install(p.state, host, 'filebeat', '7.10.2-2');
  return p;
}

/** Why a server's own playbook would go on with it: it needs the shipper's files then. */
const SERVER_DUE: readonly ((state: PlatformState) => unknown)[] = [
  (s) => {
    install(s, 's2', 'platform-manager', '4.13.1-1');
  },
  (s) => {
    begun(s, 's2', 'manager');
  },
  (s) => {
    install(s, 's2', 'filebeat', '7.10.2-1');
  },
  (s) => Object.assign(hostOf(s, 's2').packages['platform-manager'] ?? {}, { changedAtMs: s.nowMs }),
  (s) => Object.assign(hostOf(s, 's2').packages['filebeat'] ?? {}, { changedAtMs: s.nowMs }),
  (s) => (s.cluster.pipelines['filebeat-7.10.2-platform-alerts-pipeline'] = '{"description":"another"}'),
  (s) => (s.cluster.templates['platform'] = '{"mappings":{}}'),
];

const FILES = 'shipper-files.yaml';
const MODULE = '/4.x/filebeat/platform-filebeat-0.5.tar.gz';
const TEMPLATE = '/tags/v4.14.7/platform-template.json';
const NOTE = `${KEPT}/fetched/files`;
const LIVE = [
  '/etc/filebeat/platform-template.json',
  '/usr/share/filebeat/module/platform/alerts/ingest/pipeline.json',
];

function serve(state: PlatformState, path: string, latin1: string): void {
  const served = state.downloads[path];
  if (served === undefined) throw new Error(`nothing is served at ${path}`);
  state.downloads[path] = { ...served, latin1 };
}

/** Cut when the first server has a file and the second one is about to get it; then another one is served. */
async function cutBetween(p: Platform, file: string): Promise<Told> {
  let hasFirst = (): void => undefined;
  const first = new Promise<void>((resolve) => (hasFirst = resolve));
  return p.run(FILES, {
    on: (_, state) => {
      if (textOf(state, 's1', file) !== undefined) hasFirst();
    },
    actor: (real) => ({
      ...real,
      perform: async (on, action, context) => {
        if (!('path' in action) || action.path !== file || !('host' in on) || on.host !== 's2')
          return real.perform(on, action, context);
        await first;
        throw new Crash();
      },
    }),
  });
}

export const preparedShippers: readonly Scenario[] = [
  scenario('shippers: their files are fetched once, and nothing of theirs is replaced', async (stage) => {
    const p = await small(stage);
    const live = (): unknown => LIVE.map((path) => textOf(p.state, 's2', path));
    const before = live();
    const ran = await p.run(FILES);
    done(ran);
    deepEqual([live(), ran.warned], [before, '']);
    const asked = p.state.asked.length;
    edit(p.state, 's2', LIVE[0] ?? '', (text) => text.replace('"5s"', '"30s"'));
    const again = await p.run(FILES, { name: 'again' });
    deepEqual([again.end, again.acts, p.state.asked.length], ['done', [], asked]);
    match(again.warned, /refresh_interval/);
    remove(p.state, 's2', /fetched\//);
    done(await p.run(FILES, { name: 'after a loss on one server' }));
    ok(textOf(p.state, 's2', NOTE) !== undefined);
  }),
  about(['prepared', 'vars'], 'shippers: a whole upgrade compares their files once', async (stage) => {
    const p = await small(stage);
    done(await p.run(FILES));
    edit(p.state, 's2', LIVE[0] ?? '', (text) => text.replace('"5s"', '"30s"'));
    const whole = await p.plan('upgrade-4.14.yaml', { name: 'whole' });
    equal(whole.warned.split('\n').filter((line) => line.includes('refresh_interval')).length, 1);
  }),
  scenario(
    'shippers: a changed file of the module is named before anything stops, with what is not known',
    async (stage) => {
      const p = await small(stage);
      const pipeline = LIVE[1] ?? '';
      edit(p.state, 's2', pipeline, (text) => text.replace('"message"', '"ours"'));
      edit(p.state, 's2', pipeline.replace('ingest/pipeline.json', 'config/alerts.yml'), (text) => `${text}ours: 1\n`);
      const ran = await p.run(FILES);
      done(ran);
      match(ran.warned, /pipeline\.json was customised: processors\.0\.json\.field "message" → "ours"/);
      match(ran.warned, /alerts\/config\/alerts\.yml was changed\n\+ours: 1/);
      match(ran.warned, /s2: which version of the shipper's module is installed is not known/);
      doesNotMatch(ran.warned, /s1:/);
      // What a run recorded is known, also where it is newer than the target's.
      putFile(hostOf(p.state, 's2'), '/var/lib/runbook-shipper-module', { text: 'platform-filebeat-0.6.tar.gz\n' }, 1);
      const newer = (await p.run(FILES, { name: 'again' })).warned;
      match(newer, /s2: the shipper's module 0\.6 is replaced by the older 0\.5/);
      doesNotMatch(newer, /is not known/);
    },
  ),
  scenario('shippers: what must be kept and is not known, or is a link, is refused', async (stage) => {
    const p = await small(stage);
    const linked = p.clone();
    remove(linked.state, 's2', /filebeat\/module\/platform/);
    putFile(
      hostOf(linked.state, 's2'),
      '/usr/share/filebeat/module/platform',
      { type: 'link', text: '/srv/module' },
      1,
    );
    stopped(await linked.run(FILES), /module\/platform is a link to \/srv\/module/);
    Reflect.deleteProperty(p.state.downloads, MODULE.replace('0.5', '0.4'));
    stopped(await p.run(FILES, { vars: { shipper_module: 'keep' } }), /which files of \S+ were changed is not known/);
  }),
  scenario('shippers: what is no template and no archive is refused, with nothing noted', async (stage) => {
    const p = await small(stage);
    for (const [path, served] of [
      [TEMPLATE, '<html></html>'],
      [TEMPLATE, '{"mappings":{}}'],
      [TEMPLATE, '{"index_patterns":[]}'],
      [MODULE, 'no archive'],
    ] as const) {
      const q = p.clone();
      serve(q.state, path, served);
      equal((await q.run(FILES)).end, 'failed');
      deepEqual([textOf(q.state, 's1', NOTE), textOf(q.state, 's2', NOTE)], [undefined, undefined]);
    }
    // The previous release's is only compared with.
    serve(p.state, '/tags/v4.12.0/platform-template.json', '{}');
    done(await p.run(FILES));
    deepEqual(pathsOf(p.state, 's1', /index-template-/), []);
  }),
  scenario('shippers: servers that were given different files are refused', async (stage) => {
    const other = packArchive([{ path: 'platform/module.yml', text: '- key: another\n' }]).toString('latin1');
    for (const [path, file, served] of [
      [TEMPLATE, 'index-template.json', '{"index_patterns":[],"mappings":{}}'],
      [MODULE, 'platform-filebeat-0.5.tar.gz', other],
    ] as const) {
      const p = await small(stage);
      const cut = await cutBetween(p, `${KEPT}/fetched/${file}`);
      equal(cut.end, 'interrupted');
      serve(p.state, path, served);
      stopped(await p.run(FILES, { verb: 'resume', past: cut.recorded }), /s2 was given another/);
    }
  }),
  scenario('shippers: their files are fetched wherever the playbook of the servers would go on', async (stage) => {
    const p = await atTarget(stage);
    const q = p.clone();
    done(await p.run('prepare.yaml'));
    deepEqual(pathsOf(p.state, 's2', /fetched/), []);
    for (const alter of SERVER_DUE) {
      const r = q.clone();
      alter(r.state);
      done(await r.run('prepare.yaml'));
      deepEqual([pathsOf(r.state, 's2', /fetched\/files$/).length, modeOf(r.state, 's2', KEPT)], [1, '0700']);
    }
  }),
];

const indexers = (state: PlatformState): readonly string[] => hostsOf(state, 'indexer').map(({ name }) => name);

export const preparedChecks: readonly Scenario[] = [
  scenario('checks: without a running indexer nothing of the cluster is waited for', async (stage) => {
    for (const active of ['inactive', 'failed'] as const) {
      const p = await small(stage);
      for (const host of indexers(p.state)) {
        begun(p.state, host, 'indexer');
        stop(p.state, host, 'platform-indexer');
        Object.assign(hostOf(p.state, host).services['platform-indexer'] ?? {}, { active });
      }
      const [startMs, ran] = [p.state.nowMs, await p.run('prepare.yaml')];
      refused(ran, /no indexer runs, so the cluster cannot be checked/);
      ok(p.state.nowMs - startMs < 600_000);
    }
  }),
  scenario('checks: a missing node is waited for only while an upgrade is in progress', async (stage) => {
    const p = await small(stage);
    nodeLeaves(p.state, 'i2');
    const startMs = p.state.nowMs;
    refused(await p.run('prepare.yaml'), /does not have the nodes that the inventory names/);
    ok(p.state.nowMs - startMs < 300_000);
  }),
  scenario(
    'checks: an indexer that responds only some seconds after it joined the cluster is waited for',
    async (stage) => {
      const p = await small(stage);
      Object.assign(unitOf(p.state, 'i2', 'platform-indexer'), { readyAtMs: p.state.nowMs + 30_000 });
      done(await p.run('prepare.yaml'));
    },
  ),
  scenario('checks: nodes of an interrupted upgrade may be stopped, or started just now', async (stage) => {
    for (const runs of [false, true]) {
      const p = await stage.platform();
      begun(p.state, 'indexer-2', 'indexer');
      if (runs) nodeLeaves(p.state, 'indexer-2');
      else stop(p.state, 'indexer-2', 'platform-indexer');
      const { starts } = unitOf(p.state, 'indexer-2', 'platform-indexer');
      if (runs) schedule(p.state, { atMs: p.state.nowMs + 900_000, due: 'node', host: 'indexer-2', starts });
      done(await p.run('prepare.yaml', { vars: { rejoin_limit: '30m' } }));
    }
  }),
  scenario('checks: what concerns all hosts is reported once', async (stage) => {
    const cases: readonly { target?: string; options?: Options; alter?: (state: PlatformState) => unknown }[] = [
      { target: '4.11.2' },
      { target: '4.15.0' },
      { options: { options: { limit: new Set(['indexer-1', 'indexer-2', 'server-1', 'server-2', 'dashboard-1']) } } },
      { options: { vars: { agents_names: ['nobody'] } } },
      { options: { vars: { snapshot_repository: '' } } },
      { alter: (s) => stop(s, 'indexer-2', 'platform-indexer') },
      { alter: (s) => (s.cluster.transient['cluster.routing.allocation.enable'] = 'all'), options: { answer: 'no' } },
    ];
    for (const { target = TARGET, options, alter } of cases) {
      const p = await stage.platform({}, (project) => ({
        ...project,
        inventory: { ...project.inventory, platform: { ...project.inventory.platform, target } },
      }));
      alter?.(p.state);
      const ran = await p.run('prepare.yaml', options);
      deepEqual([ran.end, ran.why.split('\n').length], ['refused', 1]);
    }
  }),
  scenario('checks: the management API is asked unless an upgrade left the master stopped', async (stage) => {
    const p = await stage.platform(
      { remoteAgents: [{ name: 'laptop', version: '4.14.9' }] },
      shaped({ i: 'indexer', d: 'dashboard', s1: 'server master', s2: 'server worker' }),
    );
    const q = p.clone();
    begun(p.state, 's1', 'manager');
    stop(p.state, 's2', 'platform-manager');
    const ran = await p.run('prepare.yaml');
    refused(ran, /laptop/);
    equal(ran.why.match(/laptop/g)?.length, 1);
    const [r, t] = [q.clone(), q.clone()];
    begun(q.state, 's2', 'manager');
    stop(q.state, 's1', 'platform-manager');
    stopped(await q.run('prepare.yaml'), /55000/);
    begun(r.state, 's1', 'manager');
    stop(r.state, 's1', 'platform-manager');
    done(await r.run('prepare.yaml', { vars: { agents_names: ['nobody'] } }));
    const agents = t.state.management.agents.map((a) => ({ ...a, version: '4.12.0', status: 'disconnected' as const }));
    t.state.management = { ...t.state.management, agents };
    const quiet = await t.run('prepare.yaml');
    deepEqual([quiet.end, /not active/.test(quiet.warned)], ['done', false]);
  }),
  scenario('prepare: a package for the agents that each manager has is no reason to stop', async (stage) => {
    const p = await onePerRole(stage);
    const file = '/var/platform/var/upgrade/agent.rpm';
    putFile(hostOf(p.state, 's'), file, { text: 'a package' }, 1);
    done(await p.run('prepare.yaml', { vars: { agents_package_file: file } }));
  }),
];
