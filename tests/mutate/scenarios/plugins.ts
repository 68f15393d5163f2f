import { putFile, removeEntry } from '../../../engine/simulator/files.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { packZip } from '../../lib/pack-zip.js';
import { actsLike, deepEqual, done, down, hostOf, hostsOf, match, refused, stopped, textOf, unitOf } from '../look.js';
import { once } from '../ours.js';
import { scenario, type Scenario } from '../scenario.js';
import type { Options, Platform, Stage, Told } from '../stage.js';

const INDEXER = '/usr/share/platform-indexer/plugins/ours';
const DASHBOARD = '/usr/share/platform-dashboard/plugins/ours';
const PROPERTIES = `${INDEXER}/plugin-descriptor.properties`;
const JSON_FILE = `${DASHBOARD}/opensearch_dashboards.json`;

const REMOVING = '/usr/share/platform-indexer/plugins/.removing-ours';

const properties = (engine: string): string => `name=ours\nversion=1.0.0\nopensearch.version=${engine}\n`;
const json = (engine: string): string =>
  JSON.stringify({ id: 'ours', version: '1.0.0', opensearchDashboardsVersion: engine });
const policy = 'grant {\n  permission java.net.SocketPermission "*", "connect,resolve";\n};\n';

const indexerZip = (engine = '2.19.4'): Buffer =>
  packZip({ 'plugin-descriptor.properties': properties(engine), 'plugin-security.policy': policy });
const dashboardZip = (engine = '2.19.4'): Buffer =>
  packZip({ 'opensearch-dashboards/ours/opensearch_dashboards.json': json(engine) });

/** Each indexer and dashboard has a plug-in of no package, built for the engine of 4.12.0; archives for the new one can be had. */
async function withPlugins(stage: Stage): Promise<Platform> {
  const p = await stage.platform();
  for (const host of hostsOf(p.state, 'indexer')) {
    putFile(host, PROPERTIES, { text: properties('2.19.1') }, 1);
    putFile(host, `${INDEXER}/old.jar`, { text: 'old' }, 1);
  }
  for (const host of hostsOf(p.state, 'dashboard')) putFile(host, JSON_FILE, { text: json('2.19.1') }, 1);
  offer(p.state, 'indexer', indexerZip());
  offer(p.state, 'dashboard', dashboardZip());
  return p;
}

const offer = ({ downloads }: PlatformState, of: string, archive: Buffer): void => {
  downloads[`/${of}.zip`] = { status: 200, contentType: 'application/zip', latin1: archive.toString('latin1') };
};

/** As an inventory that names them. */
const naming = (p: Platform): Options => ({
  vars: {
    target_engine: '2.19.4',
    indexer_plugins: [{ name: 'ours', from: `${p.state.packageUrl}/indexer.zip` }],
    dashboard_plugins: [{ name: 'ours', from: `${p.state.packageUrl}/dashboard.zip` }],
  },
});

const UPGRADE = ['prepare.yaml', 'indexer.yaml', 'server.yaml', 'dashboard.yaml'];

/** One run after the other, each to its end. */
async function upgrade(p: Platform): Promise<readonly Told[]> {
  const runs: Told[] = [];
  for (const [i, playbook] of UPGRADE.entries()) {
    const ran = await p.run(playbook, { ...naming(p), name: `run-${i}` });
    done(ran);
    runs.push(ran);
  }
  return runs;
}

const rollback = (p: Platform): Promise<Told> =>
  p.run('rollback.yaml', {
    vars: { ...naming(p).vars, rollback_to: '4.12.0', override_version: true, delete_empty_indices: true },
    name: 'back',
    answer: 'yes',
  });

export const plugins: readonly Scenario[] = [
  scenario('plug-ins of the operator: upgraded with the services, and back with them', async (stage) => {
    const p = await withPlugins(stage);
    refused(await p.clone().run('prepare.yaml', { answer: 'no' }), /plug-in ours \(for 2\.19\.1\).*indexer_plugins/);
    const runs = await upgrade(p);
    match(runs[0]?.warned ?? '', /ours is granted the permissions .*: java\.net\.SocketPermission \* connect,resolve/);
    for (const { name } of hostsOf(p.state, 'indexer'))
      deepEqual(textOf(p.state, name, PROPERTIES), properties('2.19.4'));
    deepEqual(textOf(p.state, 'indexer-1', `${INDEXER}/old.jar`), undefined);
    deepEqual(textOf(p.state, 'dashboard-1', JSON_FILE), json('2.19.4'));
    deepEqual(hostOf(p.state, 'indexer-1').files[PROPERTIES]?.owner, 'platform-indexer');
    // A run upon what is done changes nothing.
    deepEqual(actsLike(await p.clone().run('indexer.yaml', { ...naming(p), name: 'again' }), /plugin/), []);
    done(await rollback(p));
    deepEqual(down(p.state), []);
    for (const { name } of hostsOf(p.state, 'indexer')) {
      deepEqual(textOf(p.state, name, PROPERTIES), properties('2.19.1'));
      deepEqual(textOf(p.state, name, `${INDEXER}/old.jar`), 'old');
    }
    deepEqual(textOf(p.state, 'dashboard-1', JSON_FILE), json('2.19.1'));
  }),
  ...(
    [
      ['is not there', (s) => Reflect.deleteProperty(s.downloads, '/indexer.zip'), /indexer\.zip answers 404/],
      ['is no zip', (s) => offer(s, 'indexer', Buffer.from('<html>')), /indexer\.zip is no zip archive/],
      ['is another plug-in', (s) => offer(s, 'indexer', dashboardZip()), /is no plug-in of the indexer/],
      ['is for another engine', (s) => offer(s, 'indexer', indexerZip('2.19.5')), /built for the engine 2\.19\.5/],
      [
        'is for another engine of the dashboard',
        (s) => offer(s, 'dashboard', dashboardZip('2.19.1')),
        /dashboard\.zip was/,
      ],
    ] as const satisfies readonly (readonly [string, (state: PlatformState) => unknown, RegExp])[]
  ).map(([what, alter, why]) =>
    scenario(`plug-ins of the operator: an archive that ${what} is refused before anything stops`, async (stage) => {
      const p = await withPlugins(stage);
      alter(p.state);
      refused(await p.clone().plan('prepare.yaml', naming(p)), why);
      const ran = await p.run('upgrade-4.14.yaml', { ...naming(p), answer: 'yes' });
      match(ran.why, why);
      deepEqual(actsLike(ran, /systemctl stop/), []);
    }),
  ),
  scenario('plug-ins of the operator: the password in an address is refused, and is nowhere', async (stage) => {
    const p = await withPlugins(stage);
    const secret = `${p.state.packageUrl}/x.zip`.replace('://', '://robot:hunter2@');
    const named = [{ name: 'ours', from: secret }];
    for (const vars of [
      { indexer_plugins: named },
      { dashboard_plugins: named },
      { indexer_plugins: [{ name: 'ours', from: secret.replace('https', 'ftp') }] },
      { indexer_plugins: [{ name: 'ours' }], plugin_url: secret },
    ]) {
      const ran = await p.clone().plan('prepare.yaml', { vars: { ...naming(p).vars, ...vars } });
      refused(ran, /\w+:\/\/\[hidden\]@\S+x\.zip\S* (has a user or a password in it|is no address)/);
      deepEqual(JSON.stringify(ran.events).includes('hunter2'), false);
    }
  }),
  scenario('plug-ins of the operator: an archive of the controller, where nothing is downloaded', async (stage) => {
    const p = await withPlugins(stage);
    const from = { vars: { ...naming(p).vars, indexer_plugins: [{ name: 'ours', from: '/no/such/ours.zip' }] } };
    refused(await p.plan('prepare.yaml', from), /there is no \/no\/such\/ours\.zip on the controller/);
  }),
  scenario('plug-ins of the operator: an install that fails says why, and the next run completes it', async (stage) => {
    const p = await withPlugins(stage);
    done(await p.run('prepare.yaml', { ...naming(p), name: 'prepare' }));
    // As an install does that is killed: the old one is gone, and of the new one there is a directory only.
    const killed = once(/^indexer-2: runuser .*opensearch-plugin install/, ({ hosts, nowMs }) => {
      const host = hosts['indexer-2'];
      if (host !== undefined) putFile(host, '/usr/share/platform-indexer/plugins/.installing-1/ours.jar', {}, nowMs);
    });
    const failed = await p.run('indexer.yaml', { ...naming(p), ...killed, name: 'failed' });
    stopped(failed, /opensearch-plugin install --batch file:\S+ ended with status 1: Could not load plugin descriptor/);
    deepEqual(unitOf(p.state, 'indexer-2', 'platform-indexer').active, 'inactive');
    done(await p.run('indexer.yaml', { ...naming(p), name: 'again' }));
    deepEqual(textOf(p.state, 'indexer-2', PROPERTIES), properties('2.19.4'));
    deepEqual(
      down(p.state).filter((unit) => unit.startsWith('platform-indexer')),
      [],
    );
  }),
  scenario(
    'plug-ins of the operator: another engine than the package has is named before a node stops',
    async (stage) => {
      const p = await withPlugins(stage);
      offer(p.state, 'indexer', indexerZip('2.19.5'));
      offer(p.state, 'dashboard', dashboardZip('2.19.5'));
      const wrong = { vars: { ...naming(p).vars, target_engine: '2.19.5' } };
      const ran = await p.run('upgrade-4.14.yaml', { ...wrong, answer: 'yes' });
      stopped(ran, /target_engine is 2\.19\.5, and platform-indexer 4\.14\.7-1 contains the engine 2\.19\.4/);
      deepEqual(actsLike(ran, /systemctl stop/), []);
    },
  ),
  scenario('plug-ins of the operator: half of one, as a killed removal leaves it, is replaced', async (stage) => {
    const p = await withPlugins(stage);
    done(await p.run('prepare.yaml', { ...naming(p), name: 'prepare' }));
    removeEntry(hostOf(p.state, 'indexer-2'), PROPERTIES);
    putFile(hostOf(p.state, 'indexer-2'), REMOVING, { text: '' }, 1);
    done(await p.run('indexer.yaml', { ...naming(p), name: 'upgrade' }));
    deepEqual(textOf(p.state, 'indexer-2', PROPERTIES), properties('2.19.4'));
    deepEqual(textOf(p.state, 'indexer-2', `${INDEXER}/old.jar`), undefined);
    deepEqual(textOf(p.state, 'indexer-2', REMOVING), undefined);
  }),
  scenario(
    'plug-ins of the operator: another build of the same version replaces that of a failed start',
    async (stage) => {
      const p = await withPlugins(stage);
      done(await p.run('prepare.yaml', { ...naming(p), name: 'prepare' }));
      p.state.faults.push({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer', times: 1 });
      match((await p.run('indexer.yaml', { ...naming(p), name: 'failed' })).end, /failed/);
      offer(p.state, 'indexer', packZip({ 'plugin-descriptor.properties': properties('2.19.4'), 'fixed.jar': 'x' }));
      const again = await p.run('indexer.yaml', { ...naming(p), name: 'again' });
      done(again);
      match(actsLike(again, /opensearch-plugin install/)[0] ?? '', /^indexer-2: /);
    },
  ),
  scenario('plug-ins of the operator: a node does not start with one that was not installed anew', async (stage) => {
    const p = await withPlugins(stage);
    const { vars } = naming(p);
    done(await p.run('prepare.yaml', { vars: { ...vars }, name: 'prepare' }));
    const without = await p.run('indexer.yaml', {
      vars: { ...vars, indexer_plugins: [], plugins_allowed: ['ours'] },
      name: 'without',
    });
    stopped(without, /indexer-2.* (is not back|did not start|failed)/);
    match(
      unitOf(p.state, 'indexer-2', 'platform-indexer').journal.join('\n'),
      /Plugin \[ours\] was built for OpenSearch version 2\.19\.1 but version 2\.19\.4 is running/,
    );
    deepEqual(down(p.state).includes('platform-indexer on indexer-2'), true);
  }),
];
