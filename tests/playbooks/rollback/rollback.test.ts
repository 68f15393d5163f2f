import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Project } from '../../../engine/language/project.js';
import { addDocument } from '../../../engine/platforms/security-monitoring/simulator/documents.js';
import { textAt } from '../../../engine/simulator/files.js';
import type { ModelSeed } from '../../../engine/platforms/security-monitoring/simulator/create.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { JsonObject } from '../../../engine/terms/json.js';
import type { Event } from '../../../engine/terms/event.js';
import { hintText } from '../../../engine/terms/hint.js';
import { crashingAt, type Ran } from '../../run/bench-hosts.js';
import { platform, runOn, shippedProject, type Around } from '../platform-bench.js';

let whole: Project;
beforeAll(async () => {
  whole = await shippedProject('rollback.yaml');
});

const told = {
  rollback_to: '4.12.0',
  rollback_packages: { indexer: '4.12.0-1', manager: '4.12.0-1', dashboard: '4.12.0-1', shipper: '7.10.2-1' },
};
const withVars = (project: Project, vars: JsonObject): Project => ({
  ...project,
  extraVars: { ...project.extraVars, ...vars },
});
interface Back {
  readonly project?: Project;
  readonly vars?: JsonObject;
  readonly verb?: 'apply' | 'plan' | 'resume';
}
const back = (
  state: PlatformState,
  around: Around = {},
  { project = whole, vars = {}, verb = 'apply' }: Back = {},
): Promise<Ran> => runOn(withVars(project, { ...told, ...vars }), state, verb, { name: 'back', ...around });

const refusal = (events: readonly Event[]): string =>
  [
    ...events.flatMap((e) => (e.e === 'run-ended' && e.as !== 'done' ? [e.reason ?? ''] : [])).slice(-1),
    ...events.flatMap((e) =>
      e.e === 'settled' && (e.as === 'blocked' || e.as === 'failed')
        ? [`${e.reason ?? ''} | ${hintText(e.hint ?? '')}`]
        : [],
    ),
  ].join('\n');
const takeAway = (state: PlatformState, paths: RegExp): void => {
  for (const { files } of Object.values(state.hosts))
    for (const path of Object.keys(files)) if (paths.test(path)) Reflect.deleteProperty(files, path);
};
const packagesOf = (state: PlatformState, role: string): readonly (string | undefined)[] =>
  Object.values(state.hosts)
    .filter((h) => h.roles.includes(role))
    .map((h) => Object.values(h.packages)[0]?.version);
const documentsOf = (state: PlatformState): readonly string[] =>
  Object.entries(state.cluster.indices).flatMap(([name, i]) => Object.keys(i.documents).map((id) => `${name} ${id}`));
const textOn = (state: PlatformState, host: string, path: string): string => {
  const found = state.hosts[host];
  return (found === undefined ? undefined : textAt(found, path)) ?? '';
};
/** Central services that do not run. */
const downIn = (state: PlatformState): readonly string[] =>
  Object.values(state.hosts).flatMap((host) =>
    Object.entries(host.services).flatMap(([unit, s]) => (s.active === 'active' ? [] : [`${unit} on ${host.name}`])),
  );
const engines = (state: PlatformState): readonly string[] =>
  Object.values(state.cluster.nodes).map((n) => `${n.joined ? '' : 'away '}${n.version}`);

const changes = (events: readonly Event[]): readonly string[] =>
  events.flatMap((e) => (e.e === 'intent' && e.change.sign !== '?' ? [`${e.name}: ${e.change.summary}`] : []));
const warnings = (events: readonly Event[]): string =>
  events.flatMap((e) => (e.e === 'warned' ? [e.text] : [])).join('\n');
const asked = (events: readonly Event[]): string =>
  events.flatMap((e) => (e.e === 'intent' && e.change.sign === '?' ? [e.change.summary] : [])).join('\n');

/** A platform that was upgraded from end to end, but for what `change` makes otherwise. */
async function upgrade(seed: Partial<ModelSeed> = {}): Promise<PlatformState> {
  const { run, state } = await platform(seed);
  const ran = await run('apply');
  expect([refusal(ran.events), ran.end]).toEqual(['', 'done']);
  return state;
}

/** Made once, and cloned for each test. */
const once = (make: () => Promise<PlatformState>): (() => Promise<PlatformState>) => {
  let made: Promise<PlatformState> | undefined;
  return async () => structuredClone(await (made ??= make()));
};
const upgraded = once(() => upgrade());
const upgradedRpms = once(() => upgrade({ rpmHosts: ['indexer-2', 'server-1', 'dashboard-1'] }));
const stoppedAfterTwo = once(() => stoppedAfter(2));

/** As if no agent had been upgraded: what §9.1.3 asks for before a server goes back. */
function withOldAgents(state: PlatformState): PlatformState {
  for (const host of Object.values(state.hosts)) {
    const agent = host.packages[state.names.agent.package];
    if (agent !== undefined) agent.version = '4.12.0-1';
  }
  const agents = state.management.agents.map((a) => (a.id === '000' ? a : { ...a, version: '4.12.0' }));
  state.management = { ...state.management, agents };
  return state;
}

/** An upgrade that dies when so many indexers are done. */
async function stoppedAfter(indexers: number) {
  const { run, state } = await platform();
  let left = 0;
  for (let i = 0; i < 40; i += 1) addDocument(state, 'platform-alerts-4.x-2026.11.21', { n: i });
  const ran = await run('apply', {
    stopping: () => left >= indexers,
    on: ({ event }) => {
      if (event.e === 'host-left' && event.play.endsWith('Upgrade each node')) left += 1;
    },
  });
  expect(ran.end).toBe('interrupted');
  return state;
}

test('the rollback of a server brings its shipper’s module, pipeline and template back', async () => {
  const { run, state } = await platform();
  expect((await run('apply')).end).toBe('done');
  const { pipelines, templates } = state.cluster;
  const path = '/usr/share/filebeat/module/platform/alerts/ingest/pipeline.json';
  const held = (module: string, release: string): readonly boolean[] => [
    JSON.stringify(pipelines).includes(module),
    JSON.stringify(templates).includes(release),
    ...['server-1', 'server-2'].map((name) => state.hosts[name]?.files[path]?.text.includes(module) === true),
  ];
  expect(held('module 0.5', '4.14.7')).toEqual([true, true, true, true]);
  for (const host of Object.values(state.hosts))
    if (host.roles.includes('agent')) for (const entry of Object.values(host.packages)) entry.version = '4.12.0-1';
  for (const agent of Object.values(state.management.agents)) Object.assign(agent, { version: '4.12.0' });
  const ran = await back(state, { answer: 'yes' });
  expect([refusal(ran.events), held('module 0.4', '4.12.0')]).toEqual(['', [true, true, true, true]]);
});

describe('the rollback of an upgrade that stopped after the second indexer', () => {
  test('asked for the override, it ends with three healthy old nodes and every document', async () => {
    const state = await stoppedAfterTwo();
    const before = documentsOf(state);
    const ran = await back(state, { answer: 'yes' });
    expect(refusal(ran.events)).toBe('');
    expect(ran.end).toBe('done');
    expect(packagesOf(state, 'indexer')).toEqual(['4.12.0-1', '4.12.0-1', '4.12.0-1']);
    expect([engines(state), downIn(state)]).toEqual([['2.19.1', '2.19.1', '2.19.1'], []]);
    expect(before.filter((id) => !documentsOf(state).includes(id))).toEqual([]);
  });

  test('a plan changes nothing, asks where it would ask, and says that configurations are known only then', async () => {
    const state = await stoppedAfterTwo();
    const before = structuredClone(state.hosts);
    const planned = await back(state, {}, { verb: 'plan' });
    expect(refusal(planned.events)).toBe('');
    expect(state.hosts).toEqual(before);
    const told = planned.events.flatMap((e) =>
      e.e === 'checked' && e.change !== undefined ? [`${e.name}: ${e.change.summary}`] : [],
    );
    const undecided = new Set(planned.events.flatMap((e) => (e.e === 'undecided' ? [e.name] : [])));
    const ran = await back(state, { answer: 'yes' });
    const made = ran.events.flatMap((e) =>
      e.e === 'intent' && !undecided.has(e.name) ? [`${e.name}: ${e.change.summary}`] : [],
    );
    expect(made.sort()).toEqual(told.sort());
    expect(told.filter((line) => line.startsWith('Override the data version'))).toHaveLength(2);
  });

  test('a no to the override stops it before anything is stopped', async () => {
    const state = await stoppedAfterTwo();
    const services = JSON.stringify(Object.values(state.hosts).map((h) => h.services));
    const ran = await back(state, { answer: 'no' });
    expect(ran.end).toBe('refused');
    expect(asked(ran.events)).toMatch(/switches a check of the engine off.*data can be lost/);
    expect(JSON.stringify(Object.values(state.hosts).map((h) => h.services))).toBe(services);
  });

  test('no terminal is no yes; override_version answers beforehand', async () => {
    const state = await stoppedAfterTwo();
    expect((await back(state)).end).toBe('refused');
    expect((await back(state, { name: 'again' }, { vars: { override_version: true } })).end).toBe('done');
  });

  test('an index that only the new engine reads ends it, named, with what would be lost', async () => {
    const state = await stoppedAfter(3);
    addDocument(state, 'platform-alerts-4.x-2026.11.22', { rule: 1 });
    const hosts = structuredClone(state.hosts);
    const ran = await back(state, { answer: 'yes' });
    expect(ran.end).toBe('refused');
    expect(refusal(ran.events)).toMatch(
      /newer engine than 2\.19\.1.*platform-alerts-4\.x-2026\.11\.22 \(2\.19\.4\).*would be lost/,
    );
    expect(state.hosts).toEqual(hosts);
    expect(Object.keys(state.cluster.indices)).toContain('platform-alerts-4.x-2026.11.22');
  });

  test.each([
    [4, 'after'],
    [9, 'before'],
    [13, 'after'],
    [17, 'before'],
    [21, 'after'],
  ] as const)('cut at effect %d, %s it happened, it is resumed to the same end', async (nth, when) => {
    const state = await stoppedAfterTwo();
    const documents = documentsOf(state);
    const cut = await back(state, { answer: 'yes', actor: crashingAt(nth, when) });
    expect(cut.end).toBe('interrupted');
    const ran = await back(state, { answer: 'yes', past: cut.recorded }, { verb: 'resume' });
    expect([refusal(ran.events.slice(cut.events.length)), ran.end]).toEqual(['', 'done']);
    expect([engines(state), downIn(state)]).toEqual([['2.19.1', '2.19.1', '2.19.1'], []]);
    expect(documents.filter((id) => !documentsOf(state).includes(id))).toEqual([]);
  });

  test('a second one has nothing to do', async () => {
    const state = await stoppedAfterTwo();
    await back(state, { answer: 'yes' });
    const again = await back(state, { name: 'again' });
    expect([again.end, changes(again.events)]).toEqual(['done', []]);
  });
});

const one = (project: Project): Project => {
  const { indexer } = project.inventory.endpoints;
  return {
    ...project,
    inventory: {
      ...project.inventory,
      hosts: project.inventory.hosts.filter((h) => !/indexer-[23]/.test(h.name)),
      endpoints: {
        ...project.inventory.endpoints,
        ...(indexer === undefined ? {} : { indexer: { ...indexer, urls: indexer.urls.slice(0, 1) } }),
      },
    },
  };
};

describe('a node that does not run', () => {
  test('comes back first: its new version never started, so the package and the configuration are enough (stage 1)', async () => {
    const { run, state } = await platform();
    state.faults.push({ fault: 'start-fails', host: 'indexer-2', unit: state.names.indexer.service });
    const failed = await run('apply');
    expect(failed.end).toBe('failed');
    state.faults.length = 0;
    const ran = await back(state);
    expect([refusal(ran.events), ran.end]).toEqual(['', 'done']);
    expect(changes(ran.events).join('\n')).not.toMatch(/Override/);
    expect([engines(state), downIn(state)]).toEqual([['2.19.1', '2.19.1', '2.19.1'], []]);
  });

  test('that fails again leaves shards and writers as they wait for it, and a resume goes on', async () => {
    const { run, state } = await platform();
    state.faults.push({ fault: 'start-fails', host: 'indexer-2', unit: state.names.indexer.service });
    expect((await run('apply')).end).toBe('failed');
    const failed = await back(state);
    expect([failed.end, state.cluster.persistent['cluster.routing.allocation.enable']]).toEqual([
      'failed',
      'primaries',
    ]);
    expect([...downIn(state)].sort()).toEqual([
      'filebeat on server-1',
      'filebeat on server-2',
      'platform-dashboard on dashboard-1',
      'platform-indexer on indexer-2',
    ]);
    state.faults.length = 0;
    const ran = await back(state, { past: failed.recorded }, { verb: 'resume' });
    expect([ran.end, downIn(state)]).toEqual(['done', []]);
  });

  test('is not started when it is not known whether its data fits: a failure of the engine’s tool is no yes', async () => {
    const { run, state } = await platform();
    state.faults.push({ fault: 'start-fails', host: 'indexer-2', unit: state.names.indexer.service });
    expect((await run('apply')).end).toBe('failed');
    state.faults.length = 0;
    const tool = { fault: 'program', host: 'indexer-2', program: 'opensearch-node', exit: 1 } as const;
    state.faults.push({
      ...tool,
      stdout: 'could not find java in bundled jdk at /usr/share/platform-indexer/jdk/bin/java\n',
    });
    const ran = await back(state);
    expect(ran.end).toBe('refused');
    expect(refusal(ran.events)).toMatch(/override-version --help ended with status 1: could not find java/);
    expect(changes(ran.events)).toEqual([]);
  });

  test('a single one, down with its cluster, comes back too', async () => {
    const { run, state, project } = await platform({}, one);
    state.faults.push({ fault: 'start-fails', host: 'indexer-1', unit: state.names.indexer.service });
    expect((await run('apply', { answer: 'yes' })).end).toBe('failed');
    state.faults.length = 0;
    const ran = await back(state, {}, { project: one(whole) });
    expect([refusal(ran.events), ran.end, project.inventory.hosts.length]).toEqual(['', 'done', 6]);
    expect([engines(state), downIn(state)]).toEqual([['2.19.1'], []]);
  });

  test('a single one that runs the new engine is asked about, and comes back', async () => {
    const { run, state } = await platform({}, one);
    expect((await run('apply', { answer: 'yes' })).end).toBe('done');
    withOldAgents(state);
    const ran = await back(state, { answer: 'yes' }, { project: one(whole) });
    expect([refusal(ran.events), ran.end]).toEqual(['', 'done']);
    expect([engines(state), downIn(state)]).toEqual([['2.19.1'], []]);
  });
});

describe('the rollback of a whole upgrade', () => {
  test('brings dashboard, server and indexer back in this order, configurations as they were', async () => {
    const state = withOldAgents(await upgraded());
    const ran = await back(state, { answer: 'yes' });
    expect([refusal(ran.events), ran.end]).toEqual(['', 'done']);
    for (const role of ['indexer', 'server', 'dashboard'])
      expect([role, new Set(packagesOf(state, role))]).toEqual([role, new Set(['4.12.0-1'])]);
    const order = changes(ran.events)
      .filter((c) => /^Install the previous \w+ package: /.test(c))
      .map((c) => c.split(' ')[3]);
    expect([...new Set(order)]).toEqual(['dashboard', 'manager', 'shipper', 'indexer']);
    const { manager, indexer } = state.names;
    expect(textOn(state, 'server-1', manager.config)).not.toMatch(/malicious-ioc-sha256/);
    expect(textOn(state, 'indexer-1', indexer.jvm_options)).toMatch(/-Xms8g[\s\S]*-Dours\.region=eu/);
    expect([state.cluster.persistent['cluster.routing.allocation.enable'], downIn(state)]).toEqual(['all', []]);
    const again = await back(state, { name: 'again' });
    expect([again.end, changes(again.events)]).toEqual(['done', []]);
  });

  test('is refused while an agent is newer whose previous version no upgrade recorded, or that only the API knows, with nothing changed', async () => {
    const state = await upgraded();
    takeAway(state, /previous-version-of-agent$/);
    const first = await back(state, { answer: 'yes' });
    expect([first.end, changes(first.events)]).toEqual(['refused', []]);
    expect(refusal(first.events)).toMatch(
      /the agent is newer than 4\.12\.0, and no upgrade has recorded its previous version/,
    );
    const remote = withOldAgents(await upgrade({ remoteAgents: [{ name: 'far', version: '4.12.0' }] }));
    remote.management = {
      ...remote.management,
      agents: remote.management.agents.map((a) => (a.name === 'far' ? { ...a, version: '4.14.7' } : a)),
    };
    const second = await back(remote, { answer: 'yes' });
    expect([second.end, changes(second.events)]).toEqual(['refused', []]);
    expect(refusal(second.events)).toMatch(/newer than 4\.12\.0: .*far/);
  });

  test('client.keys is not put over one with more entries', async () => {
    const state = withOldAgents(await upgraded());
    const keys = state.names.manager.client_keys;
    const entry = state.hosts['server-1']?.files[keys];
    if (entry !== undefined) entry.text += '900 new any 00ff\n';
    const ran = await back(state, { answer: 'yes' });
    expect(ran.end).toBe('done');
    expect(warnings(ran.events)).toMatch(/client\.keys is left as it is/);
    expect(textOn(state, 'server-1', keys)).toMatch(/900 new any/);
  });

  test('a missing old package is reported before anything is stopped', async () => {
    const state = withOldAgents(await upgraded());
    state.repository[state.names.indexer.package] = ['4.14.7-1'];
    takeAway(state, /\.deb/);
    const services = JSON.stringify(Object.values(state.hosts).map((h) => h.services));
    const ran = await back(state, { answer: 'yes' });
    expect(refusal(ran.events)).toMatch(/no enabled repository offers platform-indexer 4\.12\.0-1/);
    expect(JSON.stringify(Object.values(state.hosts).map((h) => h.services))).toBe(services);
  });

  test.each([
    ['DEBs', upgraded],
    ['RPMs', upgradedRpms],
  ])(
    'what the upgrade archived is enough: the repository may be gone, and the cache cleaned (%s)',
    async (_, before) => {
      const state = withOldAgents(await before());
      for (const name of Object.keys(state.repository)) state.repository[name] = [];
      takeAway(state, /^\/var\/cache\/.*\.(?:deb|rpm)$/);
      const ran = await back(state, { answer: 'yes' });
      expect([refusal(ran.events), ran.end]).toEqual(['', 'done']);
      expect(changes(ran.events).join('\n')).not.toMatch(/apt-get update|Enable the|Fetch|Download/);
    },
  );

  test('one that differs from the archived one is reported before anything is stopped', async () => {
    const state = withOldAgents(await upgraded());
    for (const [path, entry] of Object.entries(state.hosts['server-2']?.files ?? {}))
      if (/before-4\.14\/packages\/platform-manager.*deb$/.test(path)) Object.assign(entry, { text: 'cut' });
    const services = JSON.stringify(Object.values(state.hosts).map((h) => h.services));
    const ran = await back(state, { answer: 'yes' });
    expect(refusal(ran.events)).toMatch(/platform-manager 4\.12\.0-1 in .*its hash differs \| delete that file/);
    expect(JSON.stringify(Object.values(state.hosts).map((h) => h.services))).toBe(services);
  });

  test('one that fails is the last: nothing of the next component is touched', async () => {
    const state = withOldAgents(await upgraded());
    state.faults.push({ fault: 'start-fails', host: 'server-2', unit: state.names.manager.service });
    const ran = await back(state, { answer: 'yes' });
    expect(ran.end).toBe('failed');
    expect(new Set(packagesOf(state, 'indexer'))).toEqual(new Set(['4.14.7-1']));
  });
});

describe('one component alone', () => {
  test('is refused when a later one is at the target, and the mix is named', async () => {
    const state = withOldAgents(await upgraded());
    for (const [playbook, mix] of [
      ['rollback-indexer.yaml', /indexers at 4\.12\.0 beside dashboards that are not/],
      ['rollback-server.yaml', /servers at 4\.12\.0 beside dashboards that are not/],
    ] as const) {
      const ran = await back(state, { answer: 'yes' }, { project: await shippedProject(playbook) });
      expect(refusal(ran.events)).toMatch(mix);
      expect(new Set(packagesOf(state, 'indexer'))).toEqual(new Set(['4.14.7-1']));
    }
  });

  test('the last one goes, once the mix that it leaves was agreed to', async () => {
    const state = withOldAgents(await upgraded());
    const project = await shippedProject('rollback-dashboard.yaml');
    const no = await back(state, { answer: 'no' }, { project });
    expect(asked(no.events)).toMatch(/Dashboards would be at 4\.12\.0 beside indexers or servers that are not/);
    expect(packagesOf(state, 'dashboard')).toEqual(['4.14.7-1']);
    expect((await back(state, { answer: 'yes', name: 'again' }, { project })).end).toBe('done');
    expect(packagesOf(state, 'dashboard')).toEqual(['4.12.0-1']);
  });
});

describe('the floor', () => {
  const planOf = async (from: string): Promise<string> =>
    warnings((await (await platform({ from })).run('plan')).events);

  test('the plan of an upgrade from 4.11 says that it cannot be rolled back, that of one from 4.12 does not', async () => {
    expect(await planOf('4.11.2')).toMatch(
      /this upgrade cannot be rolled back: a downgrade to 4\.11 or earlier is impossible/,
    );
    expect(await planOf('4.12.0')).not.toMatch(/cannot be rolled back/);
  });

  test.each([
    ['4.11.9', /a downgrade to 4\.11 or earlier is impossible/],
    ['', /must have three numbers, .+; given is ""/],
    ['9.9', /must have three numbers, .+; given is "9\.9"/],
    ['4.15.0', /older than 4\.15\.0/],
  ])('to "%s" nothing goes back', async (rollback_to, why) => {
    const state = withOldAgents(await upgraded());
    const packages = { indexer: rollback_to, manager: rollback_to, dashboard: rollback_to, shipper: '' };
    const ran = await back(state, { answer: 'yes' }, { vars: { rollback_to, rollback_packages: packages } });
    expect([ran.end, changes(ran.events)]).toEqual(['refused', []]);
    expect(refusal(ran.events)).toMatch(why);
  });
});
