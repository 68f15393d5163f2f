import { putFile } from '../../../engine/simulator/files.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { DAEMONS } from '../../../engine/platforms/security-monitoring/simulator/packages/manager.js';
import { shardsOf } from '../../../engine/platforms/security-monitoring/simulator/shards.js';
import {
  actsLike,
  deepEqual,
  done,
  doesNotMatch,
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
} from '../look.js';
import { backUp, after, edit, enableRepository, once } from '../ours.js';
import { scenario, whole, type Scenario } from '../scenario.js';
import type { Options, Platform, Stage } from '../stage.js';
import { stoppedAt } from './killed.js';

export const PLAYBOOK = 'server.yaml';
export const RECORD = '/var/lib/runbook/pending/upgrade-of-manager';
export const CONFIG = '/var/platform/etc/platform.conf';
export const TEMPLATE = '/etc/filebeat/platform-template.json';
const MODULE = '/usr/share/filebeat/module/platform';
const FETCHED = '/var/backups/runbook/before-4.14/fetched';
const LISTS = [
  'audit-keys',
  'amazon/aws-eventnames',
  'security-eventchannel',
  'malicious-ioc-md5',
  'malicious-ioc-sha1',
  'malicious-ioc-sha256',
];
export const LIST = '/var/platform/etc/lists/malicious-ioc-sha1';
export const INDEXERS = { 'indexer-1': '4.14.7', 'indexer-2': '4.14.7', 'indexer-3': '4.14.7' };
export const ready = (stage: Stage): Promise<Platform> => after('indexer', stage);

/** Servers as an upgrade must leave them. */
export function serversUpgraded(state: PlatformState): void {
  for (const { name, packages, services } of hostsOf(state, 'server')) {
    deepEqual(
      [name, packages['platform-manager']?.version, packages['filebeat']?.version],
      [name, '4.14.7-1', '7.10.2-2'],
    );
    for (const unit of ['platform-manager', 'filebeat']) {
      const { active, enabled, needsReload, runs } = services[unit] ?? {};
      deepEqual(
        [name, unit, active, enabled, needsReload, runs],
        [name, unit, 'active', true, false, unit === 'filebeat' ? '7.10.2-2' : '4.14.7-1'],
      );
    }
    const config = textOf(state, name, CONFIG) ?? '';
    for (const list of LISTS) equal(config.split(`<list>etc/lists/${list}</list>`).length, 2, `${list} on ${name}`);
    match(config, /ours: ticket 4711/);
    equal(textOf(state, name, RECORD), undefined);
    match(textOf(state, name, TEMPLATE) ?? '', /4\.14\.7/);
    equal(hostOf(state, name).files[TEMPLATE]?.mode, '0644');
    match(textOf(state, name, `${MODULE}/alerts/ingest/pipeline.json`) ?? '', /module 0\.5/);
    ok(textOf(state, name, `${MODULE}/alerts/manifest.yml`) !== undefined);
  }
  match(JSON.stringify(state.cluster.pipelines), /module 0\.5/);
  match(JSON.stringify(state.cluster.templates), /4\.14\.7/);
  equal(state.management.version, '4.14.7');
}

/** Servers of this release beside upgraded indexers, with their repository enabled and a backup: server.yaml goes on from there by itself. */
export async function serversFrom(stage: Stage, from: string, at: Record<string, string> = {}): Promise<Platform> {
  const p = await stage.platform({ from, at: { ...INDEXERS, ...at } });
  for (const host of hostsOf(p.state, 'server')) {
    enableRepository(p.state, host.name);
    for (const unit of Object.values(host.services)) unit.enabled = false;
    for (const path of ['/var/platform/etc', '/etc/filebeat']) backUp(p.state, host.name, path, at[host.name] ?? from);
  }
  return p;
}

/** It fails upon this fault; without it a resume ends well. */
const failing = (
  name: string,
  options: Options,
  why: RegExp,
  keeps: readonly string[] | undefined,
  still: readonly string[] = [],
  fix: ((state: PlatformState) => void) | 'by hand' = () => undefined,
): Scenario =>
  scenario(`servers: ${name} stops the run`, async (stage) => {
    const p = await ready(stage);
    const failed = await p.run(PLAYBOOK, options);
    stopped(failed, why);
    if (keeps !== undefined) deepEqual(notRestored(failed), keeps);
    for (const unit of still) ok(down(p.state).includes(unit), `${unit} runs`);
    equal(hostOf(p.state, 'server-1').packages['platform-manager']?.version, '4.12.0-1');
    p.state.faults.length = 0;
    if (fix === 'by hand') return;
    fix(p.state);
    done(await p.run(PLAYBOOK, { verb: 'resume', past: failed.recorded }));
    serversUpgraded(p.state);
  });
const program =
  (name: string, exit: number, stdout: string) =>
  (state: PlatformState): void =>
    void state.faults.push({ fault: 'program', host: 'server-2', program: name, exit, stdout });

/** A connector of the operator's own. */
const connector = (host: string): string =>
  `  <indexer>\n    <enabled>yes</enabled>\n    <hosts>\n      <host>https://${host}:9200</host>\n    </hosts>\n  </indexer>\n`;

export const server: readonly Scenario[] = [
  whole(
    'servers are upgraded one by one, the master last: each keeps its configuration, gets what is due, and was tested',
    async (stage) => {
      const p = await ready(stage);
      edit(p.state, 'server-2', TEMPLATE, (text) => text.replace('"order": 0', '"order": 7'));
      // A template that only root can read.
      Object.assign(hostOf(p.state, 'server-2').files[TEMPLATE] ?? {}, { mode: '0600' });
      const template = textOf(p.state, 'server-2', TEMPLATE);
      const states: string[] = [];
      const ran = await p.run(PLAYBOOK, {
        before: (act, state) => {
          const up = (unit: string): string => String(hostOf(state, 'server-2').services[unit]?.active);
          if (/server-2: .* install .*platform-manager/.test(act))
            states.push(`install with the manager ${up('platform-manager')}`);
          if (/server-1: systemctl stop platform-manager/.test(act))
            states.push(`the next with ${up('platform-manager')} ${up('filebeat')}`);
        },
      });
      done(ran);
      serversUpgraded(p.state);
      deepEqual(states, ['install with the manager inactive', 'the next with active active']);
      equal(textOf(p.state, 'server-2', `${TEMPLATE}.bak`), template);
      inOrder(ran, /server-2: /, /server-1: /);
      for (const name of ['server-1', 'server-2']) {
        const acts = actsLike(ran, new RegExp(`^${name}: `));
        inOrder(
          { ...ran, acts },
          /stop platform-manager/,
          /install .*platform-manager/,
          /write .*platform\.conf/,
          /start platform-manager/,
          /copy .*pipeline\.json/,
          /copy .*json\.bak/,
          /write .*template\.json/,
          /install .*filebeat/,
          /setup --pipelines/,
          /setup --index-management -E setup\.template\.overwrite=true/,
          /test output/,
        );
        equal(actsLike(ran, new RegExp(`^${name}: systemctl (re)?start platform-manager`)).length, 1);
        equal(actsLike(ran, new RegExp(`^${name}: systemctl daemon-reload`)).length, 1);
      }
      // A test reads; it is no effect.
      deepEqual([down(p.state), actsLike(ran, /analysisd/)], [[], []]);
      doesNotMatch(textOf(p.state, 'server-1', CONFIG) ?? '', /0\.0\.0\.0/);
      const again = await p.run(PLAYBOOK, { name: 'again' });
      done(again);
      deepEqual([again.acts, again.warned], [[], '']);
    },
  ),
  scenario('servers: nothing is done beside an indexer of another version', async (stage) => {
    for (const at of [{}, { ...INDEXERS, 'indexer-2': '4.12.0' }])
      refused(await (await stage.platform({ at })).run(PLAYBOOK), /servers come after all indexers/);
  }),
  scenario(
    'servers: a package that no repository offers, or a shipper of another version, is refused with everything running',
    async (stage) => {
      for (const [name, why] of [
        ['platform-manager', /platform-manager 4\.14\.7-1/],
        ['filebeat', /filebeat 7\.10\.2-2/],
        ['', /depend on shipper 7\.10\.2/],
      ] as const) {
        const p = await serversFrom(stage, '4.12.0');
        for (const host of hostsOf(p.state, 'server')) host.packageIndex[name] = [];
        if (name === '') Object.assign(hostOf(p.state, 'server-2').packages['filebeat'] ?? {}, { version: '7.10.1-1' });
        refused(await p.run(PLAYBOOK), why);
      }
    },
  ),
  ...(
    [
      ['server-1', 'platform-manager'],
      ['server-2', 'platform-manager'],
      ['server-1', 'filebeat'],
      ['server-2', 'filebeat'],
    ] as const
  ).map(([name, unit]) =>
    scenario(`servers: ${name} is taken again while its ${unit} does not run what is installed`, async (stage) => {
      const p = await after('server', stage);
      Object.assign(hostOf(p.state, name).packages[unit] ?? {}, { changedAtMs: p.state.nowMs });
      const [template, other] = [
        textOf(p.state, name, `${TEMPLATE}.bak`),
        name === 'server-1' ? 'server-2' : 'server-1',
      ];
      for (const path of [CONFIG, '/etc/filebeat/filebeat.yml'])
        putFile(hostOf(p.state, name), `${path}.dpkg-dist`, { text: 'a.new.setting: 1\n' }, 1);
      const ran = await p.run(PLAYBOOK, { name: 'next' });
      done(ran);
      serversUpgraded(p.state);
      equal(ran.warned, '');
      equal(textOf(p.state, name, `${TEMPLATE}.bak`), template);
      deepEqual(actsLike(ran, new RegExp(`^${other}: (systemctl|write|remove|extract|copy|directory)|keystore`)), []);
      if (unit === 'filebeat') deepEqual(actsLike(ran, / platform-manager$/), []);
      const { startedAtMs } = hostOf(p.state, name).services[unit] ?? {};
      ok((startedAtMs ?? 0) > (hostOf(p.state, name).packages[unit]?.changedAtMs ?? 0), `${unit} was not started`);
    }),
  ),
  ...(['pipelines', 'templates'] as const).map((part) =>
    scenario(`servers: the indexer’s ${part} are set up again where they are not those of the files`, async (stage) => {
      const p = await after('server', stage);
      for (const key of Object.keys(p.state.cluster[part])) p.state.cluster[part][key] = '{"older":{"mappings":{}}}';
      done(await p.run(PLAYBOOK, { name: 'next' }));
      serversUpgraded(p.state);
    }),
  ),
  scenario('servers: a changed file of the shipper’s module is kept where the operator says so', async (stage) => {
    const p = await ready(stage);
    const pipeline = '/usr/share/filebeat/module/platform/alerts/ingest/pipeline.json';
    const ours = (host: string): void => edit(p.state, host, pipeline, (text) => text.replace('"message"', '"ours"'));
    ours('server-2');
    const KEEP = { vars: { shipper_module: 'keep' } };
    stopped(await p.clone().run(PLAYBOOK, KEEP), /pipeline\.json differs from that of another server/);
    ours('server-1');
    const kept = p.clone();
    const ran = await kept.run(PLAYBOOK, KEEP);
    done(ran);
    match(textOf(kept.state, 'server-2', pipeline) ?? '', /module 0\.4[\s\S]*"ours"/);
    match(textOf(kept.state, 'server-2', `${pipeline}.new`) ?? '', /module 0\.5/);
    match(ran.warned, /it is kept, and the new file is \S+pipeline\.json\.new/);
    done(await p.run(PLAYBOOK));
    match(textOf(p.state, 'server-2', pipeline) ?? '', /module 0\.5[\s\S]*"message"/);
    equal(textOf(p.state, 'server-2', '/var/lib/runbook-shipper-module'), 'platform-filebeat-0.5.tar.gz\n');
  }),
  whole('servers from 4.7.5 get vulnerability detection, connector and credentials', async (stage) => {
    const p = await serversFrom(stage, '4.7.5');
    const secrets: string[] = [];
    const ran = await p.run(PLAYBOOK, {
      before: (act, state) => {
        if (/platform-keystore/.test(act)) secrets.push(act);
        if (/server-2: write .*platform\.conf/.test(act))
          ok(
            secrets.length >= 2 || !(textOf(state, 'server-2', CONFIG) ?? '').includes('malicious-ioc-md5'),
            'the credentials first',
          );
      },
    });
    done(ran);
    serversUpgraded(p.state);
    for (const name of ['server-1', 'server-2']) {
      const config = textOf(p.state, name, CONFIG) ?? '';
      doesNotMatch(config, /vulnerability-detector|0\.0\.0\.0/);
      match(
        config,
        /<vulnerability-detection>\s*<enabled>yes<\/enabled>\s*<index-status>yes<\/index-status>\s*<feed-update-interval>60m<\/feed-update-interval>/,
      );
      match(
        config,
        /<indexer>\s*<enabled>yes<\/enabled>\s*<hosts>\s*<host>https:\/\/10\.0\.0\.11:9200<\/host>\s*<host>https:\/\/10\.0\.0\.12:9200<\/host>\s*<host>https:\/\/10\.0\.0\.13:9200<\/host>/,
      );
      equal(config.match(/<indexer>/g)?.length, 1);
      deepEqual(
        ['username', 'password'].map((key) => textOf(p.state, name, `/var/platform/queue/keystore/indexer/${key}`)),
        ['admin', '{{secret.indexer}}'],
      );
    }
  }),
  scenario('servers from 4.7.5 with several connectors: the last one counts', async (stage) => {
    const p = await serversFrom(stage, '4.7.5');
    for (const name of ['server-1', 'server-2'])
      edit(p.state, name, CONFIG, (text) =>
        text.replace('  <ruleset>\n', `${connector('10.9.9.9')}${connector('0.0.0.0')}\n  <ruleset>\n`),
      );
    done(await p.run(PLAYBOOK));
    match(
      textOf(p.state, 'server-1', CONFIG) ?? '',
      /<host>https:\/\/10\.9\.9\.9:9200<\/host>[\s\S]*<enabled>yes<\/enabled>\s*<hosts>\s*<host>https:\/\/10\.0\.0\.11/,
    );
  }),
  scenario(
    'servers from 4.9: a connector that the package appended is pointed to the indexers, an own one is left alone',
    async (stage) => {
      const p = await serversFrom(stage, '4.9.2');
      edit(p.state, 'server-2', CONFIG, (text) => text.replace(/\n {2}<indexer>[\s\S]*?<\/indexer>\n/, ''));
      edit(p.state, 'server-1', CONFIG, (text) => text.replace(/<host>https:\/\/10\.0\.0\.11:9200<\/host>\s*/, ''));
      done(await p.run(PLAYBOOK));
      match(
        textOf(p.state, 'server-2', CONFIG) ?? '',
        /<indexer>\s*<enabled>yes<\/enabled>\s*<hosts>\s*<host>https:\/\/10\.0\.0\.11:9200<\/host>\s*<host>https:\/\/10\.0\.0\.12:9200/,
      );
      doesNotMatch(textOf(p.state, 'server-2', CONFIG) ?? '', /0\.0\.0\.0/);
      doesNotMatch(textOf(p.state, 'server-1', CONFIG) ?? '', /10\.0\.0\.11:9200/);
      equal(textOf(p.state, 'server-2', '/var/platform/queue/keystore/indexer/password'), '{{secret.indexer}}');
    },
  ),
  scenario('servers from 4.9 with a connector that leads nowhere: it is pointed to the indexers', async (stage) => {
    const p = await serversFrom(stage, '4.9.2');
    edit(p.state, 'server-2', CONFIG, (text) => text.replace(/10\.0\.0\.1[123]:9200/g, '0.0.0.0:9200'));
    const ran = await p.run(PLAYBOOK, {
      before: (act, state) => {
        // Until then it is only checked that it can be changed.
        if (/server-2: systemctl stop platform-manager/.test(act))
          match(textOf(state, 'server-2', CONFIG) ?? '', /0\.0\.0\.0/);
      },
    });
    done(ran);
    equal(actsLike(ran, /server-2: systemctl stop platform-manager/).length, 1);
    match(textOf(p.state, 'server-2', CONFIG) ?? '', /<host>https:\/\/10\.0\.0\.13:9200<\/host>/);
    doesNotMatch(textOf(p.state, 'server-2', CONFIG) ?? '', /0\.0\.0\.0/);
  }),
  scenario(
    'servers from 4.9 with several connectors, the last of which leads nowhere: that one is changed',
    async (stage) => {
      const p = await serversFrom(stage, '4.9.2');
      for (const name of ['server-1', 'server-2'])
        edit(p.state, name, CONFIG, (text) =>
          text
            .replace(/10\.0\.0\.1[123]:9200/g, '10.9.9.9:9200')
            .replace('  <ruleset>\n', `${connector('0.0.0.0')}\n  <ruleset>\n`),
        );
      done(await p.run(PLAYBOOK));
      const config = textOf(p.state, 'server-2', CONFIG) ?? '';
      match(config, /<host>https:\/\/10\.9\.9\.9:9200<\/host>[\s\S]*<host>https:\/\/10\.0\.0\.11:9200<\/host>/);
      doesNotMatch(config, /0\.0\.0\.0/);
    },
  ),
  scenario('servers: each list that the ruleset is to name must be there before the manager starts', async (stage) => {
    const p = await ready(stage);
    const cut = await stoppedAt(p, PLAYBOOK, /server-2: .*install .*platform-manager/);
    for (const list of LISTS) {
      const one = p.clone();
      for (const { files } of hostsOf(one.state, 'server'))
        Reflect.deleteProperty(files, `/var/platform/etc/lists/${list}`);
      const ran = await one.run(PLAYBOOK, { verb: 'resume', past: cut.recorded });
      stopped(ran, /a list that the ruleset names is not on/);
      deepEqual(actsLike(ran, /systemctl start platform-manager/), []);
    }
  }),
  scenario('servers from 4.13.1: a list that the operator took out stays out', async (stage) => {
    const p = await serversFrom(stage, '4.13.1');
    for (const name of ['server-1', 'server-2'])
      edit(p.state, name, CONFIG, (text) => text.replace('    <list>etc/lists/malicious-ioc-md5</list>\n', ''));
    // Nor is its file missed.
    const ran = await p.run(PLAYBOOK, {
      on: ({ event }, state) => {
        if (event.e === 'effect' && event.task.step.endsWith('/Upgrade the manager'))
          for (const host of hostsOf(state, 'server'))
            Reflect.deleteProperty(host.files, '/var/platform/etc/lists/malicious-ioc-md5');
      },
    });
    done(ran);
    doesNotMatch(ran.warned, /its ruleset lacks/);
    doesNotMatch(textOf(p.state, 'server-1', CONFIG) ?? '', /malicious-ioc-md5/);
    match(textOf(p.state, 'server-1', CONFIG) ?? '', /malicious-ioc-sha1/);
  }),
  scenario(
    'servers: one that is partially upgraded, its run lost, gets the lists and the connector all the same',
    async (stage) => {
      const p = await serversFrom(stage, '4.7.5');
      await stoppedAt(p, PLAYBOOK, /server-2: .*install .*platform-manager/);
      const ran = await p.run(PLAYBOOK, { name: 'next' });
      done(ran);
      serversUpgraded(p.state);
      match(textOf(p.state, 'server-2', CONFIG) ?? '', /10\.0\.0\.13:9200/);
      equal(textOf(p.state, 'server-2', '/var/platform/queue/keystore/indexer/username'), 'admin');
    },
  ),
  scenario(
    'servers: one whose new program refuses the old configuration is completed by the next run',
    async (stage) => {
      const p = await serversFrom(stage, '4.7.5');
      const write = /^server-2: write .*platform\.conf/;
      await stoppedAt(p, PLAYBOOK, write);
      program('platform-analysisd', 1, 'ERROR')(p.state);
      const completes: Options['before'] = (act, { faults }) => {
        if (write.test(act)) faults.length = 0;
      };
      done(await p.run(PLAYBOOK, { name: 'next', before: completes }));
      serversUpgraded(p.state);
    },
  ),
  failing(
    'a configuration that fails its own test',
    once(/server-2: systemctl daemon-reload|write .*platform\.conf/, program('platform-analysisd', 1, 'ERROR')),
    /platform-analysisd -t ended/,
    ['Stop the manager'],
    ['platform-manager on server-2'],
  ),
  failing(
    'a list that is not there',
    once(/server-2: write .*platform\.conf/, (s) => Reflect.deleteProperty(hostOf(s, 'server-2').files, LIST)),
    /a list that the ruleset names is not on server-2/,
    ['Stop the manager'],
    ['platform-manager on server-2'],
    (s) => putFile(hostOf(s, 'server-2'), LIST, { text: '' }, 1),
  ),
  failing(
    'a cluster that turns red with every node up',
    once(/server-2: systemctl start platform-manager/, (s) => {
      const shard = shardsOf(s.cluster)[0];
      for (const copy of shard?.copies ?? [])
        Object.assign(copy, { state: 'UNASSIGNED', host: null, sinceMs: s.nowMs });
      // No node has a copy that it could be restored from.
      Object.assign(shard ?? {}, { inSync: [] });
    }),
    /fact\.health\.status is "red"/,
    undefined,
    [],
    'by hand',
  ),
  failing(
    'a manager whose daemons die',
    {
      on: (_, s) => {
        if (s.faults.length === 0) s.faults.push({ fault: 'dead-daemons', host: 'server-2', unit: 'platform-manager' });
      },
    },
    /no process is left/,
    undefined,
  ),
  // Without the others the management API or the cluster does not answer.
  ...DAEMONS.filter((name) => !['clusterd', 'authd', 'apid'].includes(name)).map((dead) =>
    failing(
      `its daemon ${dead} that does not run`,
      once(/server-2: systemctl start platform-manager/, (s) =>
        program(
          'platform-control',
          1,
          DAEMONS.map((d) => `platform-${d} ${d === dead ? 'not running' : 'is running'}...\n`).join(''),
        )(s),
      ),
      // Its start waits for this one already.
      dead === 'analysisd'
        ? /does not say "platform-analysisd is running"/
        : /a daemon of the manager does not run on server-2/,
      undefined,
    ),
  ),
  scenario('servers: a daemon that comes up some seconds after the others is waited for', async (stage) => {
    const p = await serversFrom(stage, '4.12.0');
    const ran = await p.run(
      PLAYBOOK,
      once(/server-2: systemctl start platform-manager/, ({ faults }) => {
        const stdout = DAEMONS.map((d) => `platform-${d} ${d === 'db' ? 'not running' : 'is running'}...\n`).join('');
        faults.push({ fault: 'program', host: 'server-2', program: 'platform-control', exit: 1, stdout, times: 6 });
      }),
    );
    done(ran);
  }),
  failing(
    'a shipper that does not reach the indexer',
    once(/server-2: .*filebeat test output/, program('filebeat', 0, 'elasticsearch: https://10.0.0.11... ERROR\n')),
    /talk to server/,
    undefined,
  ),
  failing(
    'a set-up of the pipelines that fails',
    once(/server-2: .*filebeat setup --pipelines/, program('filebeat', 1, 'Exiting')),
    /Exiting/,
    undefined,
  ),
  failing(
    'a set-up that says it is well and loads nothing',
    once(
      /server-2: .*filebeat setup --pipelines/,
      program('filebeat', 0, 'Loaded Ingest pipelines\ntalk to server... OK\n'),
    ),
    /does not have the pipeline or the template/,
    undefined,
    [],
    'by hand',
  ),
  ...['<', '{"index_patterns":["a"]}', '{"mappings":{}}'].map((text) =>
    failing(
      `an index template that became ${text}`,
      once(/server-2: systemctl stop platform-manager/, (state) => {
        edit(state, 'server-2', `${FETCHED}/index-template.json`, () => text);
      }),
      /index-template\.json/,
      [],
      [],
      'by hand',
    ),
  ),
  failing(
    'a package that is left half-configured',
    {
      on: (_, s) => {
        if (s.faults.length === 0)
          s.faults.push({ fault: 'half-configured', host: 'server-2', package: 'platform-manager' });
      },
    },
    /script/,
    undefined,
  ),
  ...(['platform-filebeat-0.5.tar.gz', 'index-template.json'] as const).flatMap((file) =>
    (['is gone', 'was altered'] as const).map((what) =>
      scenario(`servers: a fetched ${file} that ${what} is reported with the manager running`, async (stage) => {
        const p = await after('prepare', stage);
        const ran = await p.run(
          'upgrade-4.14.yaml',
          once(/stop platform-dashboard/, (state) => {
            if (what === 'is gone') Reflect.deleteProperty(hostOf(state, 'server-2').files, `${FETCHED}/${file}`);
            else edit(state, 'server-2', `${FETCHED}/${file}`, (text) => `${text} `);
          }),
        );
        stopped(ran, /is gone from server-2, or was changed/);
        deepEqual(actsLike(ran, /stop platform-manager/), []);
      }),
    ),
  ),
];
