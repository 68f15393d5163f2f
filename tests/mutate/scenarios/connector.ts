import { gzipSync } from 'node:zlib';
import type { Project } from '../../../engine/language/project.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { putFile } from '../../../engine/simulator/files.js';
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
  refused,
  stopped,
  textOf,
} from '../look.js';
import { edit, enableRepository, once, refusesOutput, remove } from '../ours.js';
import { scenario, type Scenario } from '../scenario.js';
import { CONFIG, PLAYBOOK, serversFrom } from './server.js';
import { each } from '../slow.js';
import type { Options, Platform } from '../stage.js';
import { stoppedAt } from './killed.js';

const SERVERS = ['server-1', 'server-2'];
const KEYSTORE = '/var/platform/queue/keystore/indexer';
const SHIPPER = '/etc/filebeat/filebeat.yml';
const INDEXERS = ['11', '12', '13'].map((n) => `<host>https://10.0.0.${n}:9200</host>`);
/** As the operator has it: no package writes it so. */
const own = (host: string, more = ''): string =>
  `  <indexer >\n    <!-- ours -->\n    <enabled>yes</enabled>\n    <hosts><host>https://${host}:9200</host></hosts>\n    <ssl>\n      <certificate_authorities><ca>/etc/filebeat/certs/root-ca.pem</ca></certificate_authorities>\n    </ssl>\n${more}  </indexer>\n`;
const put = (state: PlatformState, block: string): void => {
  for (const name of SERVERS)
    edit(state, name, CONFIG, (text) => text.replace('  <ruleset>\n', `${block}\n  <ruleset>\n`));
};
const withoutConnector = (text: string): string => text.replace(/\n {2}<indexer>[\s\S]*?<\/indexer>\n/, '');
const connects = (state: PlatformState): readonly unknown[] => hostsOf(state, 'server').map((h) => h.connected);

export const connector: readonly Scenario[] = [
  ...['4.7.5', '4.9.2'].map((from) =>
    scenario(
      `connector: one that the package appended on a server from ${from} has the shipper's certificates, and reaches the indexer`,
      async (stage) => {
        const p = await serversFrom(stage, from);
        for (const name of SERVERS) {
          edit(p.state, name, CONFIG, withoutConnector);
          for (const key of ['username', 'password'])
            Reflect.deleteProperty(hostOf(p.state, name).files, `${KEYSTORE}/${key}`);
        }
        const ran = await p.run(PLAYBOOK);
        done(ran);
        deepEqual(connects(p.state), [true, true]);
        doesNotMatch(ran.warned, /connector/);
        for (const name of SERVERS) {
          const text = textOf(p.state, name, CONFIG) ?? '';
          match(
            text,
            new RegExp(
              `<certificate>/etc/filebeat/certs/${name}.pem</certificate>\\s*<key>/etc/filebeat/certs/${name}-key.pem</key>`,
            ),
          );
          for (const host of INDEXERS) ok(text.includes(host), host);
          doesNotMatch(text, /0\.0\.0\.0|filebeat\.pem/);
          equal(textOf(p.state, name, `${KEYSTORE}/username`), 'admin');
        }
      },
    ),
  ),
  scenario('connector: a shipper without a client certificate leaves the connector without one', async (stage) => {
    const p = await serversFrom(stage, '4.7.5');
    for (const name of SERVERS)
      edit(p.state, name, SHIPPER, (text) => text.replace(/ {2}ssl\.(certificate|key): .*\n/g, ''));
    done(await p.run(PLAYBOOK));
    for (const name of SERVERS) {
      const block = /<indexer>[\s\S]*?<\/indexer>/.exec(textOf(p.state, name, CONFIG) ?? '')?.[0] ?? '';
      doesNotMatch(block, /<certificate>|<key>/);
      match(block, /<ca>\/etc\/filebeat\/certs\/root-ca\.pem<\/ca>/);
    }
    deepEqual(connects(p.state), [true, true]);
  }),
  ...['4.7.5', '4.9.2'].map((from) =>
    scenario(`connector: from ${from} the operator's own block counts afterwards, as it was written`, async (stage) => {
      const p = await serversFrom(stage, from);
      for (const name of SERVERS) edit(p.state, name, CONFIG, withoutConnector);
      put(p.state, own('10.0.0.12'));
      const before = SERVERS.map((name) => textOf(p.state, name, `${KEYSTORE}/username`));
      const ran = await p.run(PLAYBOOK);
      done(ran);
      for (const name of SERVERS) {
        const text = textOf(p.state, name, CONFIG) ?? '';
        ok(text.includes(own('10.0.0.12')), 'its block is another one');
        equal(text.match(/<indexer\b/g)?.length, 1);
      }
      deepEqual(
        SERVERS.map((name) => textOf(p.state, name, `${KEYSTORE}/username`)),
        before,
      );
      deepEqual(actsLike(ran, /keystore/), []);
    }),
  ),
  scenario("connector: the operator's own block counts also after a run that was lost in the middle", async (stage) => {
    const p = await serversFrom(stage, '4.9.2');
    for (const name of SERVERS) edit(p.state, name, CONFIG, withoutConnector);
    put(p.state, own('10.0.0.12'));
    await stoppedAt(p, PLAYBOOK, /server-2: write .*platform\.conf/);
    done(await p.run(PLAYBOOK, { name: 'next' }));
    for (const name of SERVERS) equal(textOf(p.state, name, CONFIG)?.match(/<indexer\b/g)?.length, 1);
    deepEqual(connects(p.state), [true, true]);
  }),
  scenario(
    'connector: one that the operator switched off stays off, and nothing is missed in the log',
    async (stage) => {
      for (const from of ['4.7.5', '4.12.0']) {
        const p = await serversFrom(stage, from);
        for (const name of SERVERS) edit(p.state, name, CONFIG, withoutConnector);
        put(p.state, own('0.0.0.0').replace('>yes<', '>no<'));
        const ran = await p.run(PLAYBOOK);
        done(ran);
        for (const name of SERVERS) ok((textOf(p.state, name, CONFIG) ?? '').includes('<enabled>no</enabled>'));
        doesNotMatch(ran.warned, /connector/);
      }
    },
  ),
  scenario(
    'connector: a comment that looks like one is none, though it keeps the package from appending',
    async (stage) => {
      const comment = '<!-- until May\n  <indexer>\n    <enabled>yes</enabled>\n  </indexer> -->\n';
      const from47 = await serversFrom(stage, '4.7.5');
      for (const name of SERVERS) edit(from47.state, name, CONFIG, (text) => comment + text);
      done(await from47.run(PLAYBOOK));
      deepEqual(connects(from47.state), [true, true]);
      for (const name of SERVERS) ok((textOf(from47.state, name, CONFIG) ?? '').startsWith(comment));
      // From 4.8 on the operator decides whether there is one; that there is none is said.
      const later = await serversFrom(stage, '4.12.0');
      for (const name of SERVERS) edit(later.state, name, CONFIG, (text) => comment + withoutConnector(text));
      const ran = await later.run(PLAYBOOK);
      done(ran);
      match(ran.warned, /server-1: .*no indexer connector/);
    },
  ),
  scenario(
    'connector: of two blocks and of two elements, what no longer counts is said before the upgrade',
    async (stage) => {
      const said = async (alter: (p: Platform) => void): Promise<string> => {
        const p = await serversFrom(stage, '4.12.0');
        alter(p);
        const ran = await p.run(PLAYBOOK);
        done(ran);
        deepEqual(connects(p.state), [true, true]);
        return /server-2: .*no longer count: (.*)/.exec(ran.warned)?.[1] ?? '';
      };
      const twoBlocks = await said((p) =>
        put(p.state, own('10.9.9.9', '    <hosts><host>https://10.0.0.13:9200</host></hosts>\n')),
      );
      match(twoBlocks, /hosts\/host: https:\/\/10\.0\.0\.11:9200/);
      match(twoBlocks, /hosts\/host: https:\/\/10\.9\.9\.9:9200/);
      const doubled = await said((p) => {
        for (const name of SERVERS)
          edit(p.state, name, CONFIG, (text) =>
            text
              .replace(/(<indexer>\s*)(<enabled>)/, '$1<enabled>no</enabled>\n$2')
              .replace(/<certificate>/, '<certificate>/etc/ours/first.pem</certificate>$&')
              .replace(/<ssl>/, '<ssl><key>/etc/ours/first-key.pem</key></ssl>\n<ssl>'),
          );
      });
      match(doubled, /enabled: no, ssl\/key: \/etc\/ours\/first-key\.pem, ssl\/certificate: \/etc\/ours\/first\.pem/);
    },
  ),
  ...(
    [
      [
        'is not there',
        (s: PlatformState) => Reflect.deleteProperty(hostOf(s, 'server-2').files, '/etc/ours/own.pem'),
        /there is no certificate at \/etc\/ours\/own\.pem/,
      ],
      [
        'is not its key',
        (s: PlatformState) => edit(s, 'server-2', '/etc/ours/own-key.pem', () => 'no key'),
        /own-key\.pem is no private key/,
      ],
      [
        'has an authority that is not there',
        (s: PlatformState) => Reflect.deleteProperty(hostOf(s, 'server-2').files, '/etc/ours/ca.pem'),
        /there is no certificate at \/etc\/ours\/ca\.pem/,
      ],
    ] as const
  ).map(([what, spoil, why]) =>
    scenario(`connector: a certificate of its own that ${what} is refused, from any release`, async (stage) => {
      for (const from of ['4.8.2', '4.13.1']) {
        const p = await stage.platform({ from });
        for (const name of SERVERS) {
          const { files } = hostOf(p.state, name);
          for (const [to, source] of [
            ['own.pem', `${name}.pem`],
            ['own-key.pem', `${name}-key.pem`],
            ['ca.pem', 'root-ca.pem'],
          ] as const)
            putFile(hostOf(p.state, name), `/etc/ours/${to}`, { ...files[`/etc/filebeat/certs/${source}`] }, 1);
          edit(p.state, name, CONFIG, (text) =>
            text
              .replace(/\/etc\/filebeat\/certs\/root-ca/, '/etc/ours/ca')
              .replaceAll(`/etc/filebeat/certs/${name}`, '/etc/ours/own'),
          );
        }
        spoil(p.state);
        refused(await p.run('prepare.yaml', { vars: { unmanaged_agents: 'accept' } }), why);
      }
    }),
  ),
  scenario(
    "connector: a CA by a relative path, which is the manager's, is checked without a client certificate, too",
    async (stage) => {
      const alter = (p: Platform): void => {
        for (const name of SERVERS) edit(p.state, name, CONFIG, withoutConnector);
        put(p.state, own('10.0.0.12').replace('/etc/filebeat/certs/root-ca.pem', 'etc/own-ca.pem'));
      };
      const lacking = await stage.platform({ from: '4.12.0' });
      alter(lacking);
      const prepared = await lacking.run('prepare.yaml', { vars: { unmanaged_agents: 'accept' } });
      refused(prepared, /there is no certificate at \/var\/platform\/etc\/own-ca\.pem/);
      const p = await serversFrom(stage, '4.12.0');
      alter(p);
      for (const name of SERVERS) {
        const { files } = hostOf(p.state, name);
        putFile(
          hostOf(p.state, name),
          '/var/platform/etc/own-ca.pem',
          { ...files['/etc/filebeat/certs/root-ca.pem'] },
          1,
        );
      }
      done(await p.run(PLAYBOOK));
      deepEqual(connects(p.state), [true, true]);
    },
  ),
  scenario("connector: a relative CA of the shipper's is not taken over as one of the manager's", async (stage) => {
    const p = await serversFrom(stage, '4.7.5');
    for (const name of SERVERS)
      edit(p.state, name, SHIPPER, (text) => text.replace('/etc/filebeat/certs/root-ca.pem', 'certs/root-ca.pem'));
    refused(await p.run(PLAYBOOK), /a certificate of the shipper's output in \S+ is no absolute path/);
  }),
  scenario(
    'connector: one that does not reach the indexer is a warning with its line, however much was logged since',
    async (stage) => {
      const p = await serversFrom(stage, '4.12.0');
      const ran = await p.run(
        PLAYBOOK,
        once(/server-2: systemctl start platform-manager/, (state) => {
          edit(state, 'server-2', `${KEYSTORE}/username`, () => 'another');
        }),
      );
      done(ran);
      match(ran.warned, /server-2: .*connector[\s\S]*IndexerConnector initialization failed for index/);
      doesNotMatch(ran.warned, /server-1: .*connector/);
      equal(hostOf(p.state, 'server-2').connected, false);
    },
  ),
  scenario(
    'connector: a failure from before the start does not count, and none is missed behind many lines',
    async (stage) => {
      const p = await serversFrom(stage, '4.12.0');
      const log = '/var/platform/logs/platform.log';
      const failed = "IndexerConnector initialization failed for index 'platform-states-x', retrying";
      edit(p.state, 'server-1', log, (text) => `${text}2026-11-21 00:00:00 ${failed}\n`);
      const ran = await p.run(PLAYBOOK, {
        ...once(/server-2: .*filebeat setup --pipelines/, (state) =>
          edit(state, 'server-2', log, (text) => `${text}2026-11-21 23:00:00 ${failed}\n${'noise\n'.repeat(150)}`),
        ),
      });
      done(ran);
      match(ran.warned, /server-2: .*connector[\s\S]*platform-states-x/);
      doesNotMatch(ran.warned, /server-1: .*connector/);
    },
  ),
  scenario(
    'connector: its log is followed when it is rotated after the start; without what it became, "not known" is said',
    async (stage) => {
      const LOG = '/var/platform/logs/platform.log';
      const AWAY = '/var/platform/logs/platform/2026/Nov/platform-21.log.gz';
      const failure =
        "2026-11-21 23:59:59 IndexerConnector initialization failed for index 'platform-states-x', retrying\n";
      const after = async (rotate: (state: PlatformState, log: string) => void): Promise<string> => {
        const p = await serversFrom(stage, '4.12.0');
        const ran = await p.run(
          PLAYBOOK,
          once(/server-2: .*filebeat setup --pipelines/, (state) => {
            const log = textOf(state, 'server-2', LOG) ?? '';
            remove(state, 'server-2', /logs\/platform\.log$/);
            putFile(hostOf(state, 'server-2'), LOG, { text: 'a new day\n'.repeat(99) }, state.nowMs);
            rotate(state, log);
          }),
        );
        done(ran);
        doesNotMatch(ran.warned, /server-1: .*connector/);
        return ran.warned;
      };
      const put = (state: PlatformState, text: string): void =>
        putFile(
          hostOf(state, 'server-2'),
          AWAY,
          { text: gzipSync(text).toString('latin1'), encoding: 'latin1' },
          state.nowMs,
        );
      doesNotMatch(await after(put), /connector/);
      match(
        await after((state, log) => put(state, log + failure)),
        /server-2: .*has not reached the indexer[\s\S]*platform-states-x/,
      );
      match(
        await after(() => undefined),
        /server-2: it is not known whether the indexer connector .*there is no \/var\/platform\/logs\/platform\/2026\/Nov\/platform-2\d\.log/,
      );
    },
  ),
  scenario('connector: its hosts and its user are variables', async (stage) => {
    const p = await serversFrom(stage, '4.7.5');
    const vars = { connector_hosts: ['https://10.0.0.12:9200'], connector_user: 'states' };
    done(await p.run(PLAYBOOK, { vars }));
    equal(textOf(p.state, 'server-1', `${KEYSTORE}/username`), 'states');
    match(textOf(p.state, 'server-1', CONFIG) ?? '', /<hosts>\s*<host>https:\/\/10\.0\.0\.12:9200<\/host>\s*<\/hosts>/);
  }),
  scenario('connector: the documents of the states indices are in the baseline', async (stage) => {
    const p = await stage.platform();
    for (const host of hostsOf(p.state, 'server')) enableRepository(p.state, host.name);
    const ran = await p.run('baseline.yaml');
    done(ran);
    const [counted] = ran.events.flatMap((e) =>
      e.e === 'settled' && e.name === 'Documents in the states indices' ? [e.value] : [],
    );
    match(JSON.stringify(counted), /"worse":"less"/);
  }),
];

/** The ruleset of the inventory names these lists. */
const naming =
  (...lists: readonly string[]) =>
  (project: Project): Project => {
    const { names } = project.inventory;
    return {
      ...project,
      inventory: { ...project.inventory, names: { ...names, manager: { ...names['manager'], lists } } },
    };
  };

const DASHBOARD = '/etc/platform-dashboard/dashboard.yml';

export const dashboardPaths: readonly Scenario[] = [
  scenario('dashboard: without TLS no key is demanded, and variables stand in paths', async (stage) => {
    const without = await stage.platform();
    edit(without.state, 'dashboard-1', DASHBOARD, (text) =>
      text.replace('ssl.enabled: true', 'ssl.enabled: false').replace(/^server\.ssl\.(key|certificate):.*\n/gm, ''),
    );
    const named = await stage.platform();
    edit(named.state, 'dashboard-1', DASHBOARD, (text) =>
      text.replaceAll('/etc/platform-dashboard/certs/dashboard', '${OPENSEARCH_PATH_CONF}/certs/${HOSTNAME}'),
    );
    const { files } = hostOf(named.state, 'dashboard-1');
    for (const end of ['.pem', '-key.pem'])
      putFile(
        hostOf(named.state, 'dashboard-1'),
        `/etc/platform-dashboard/certs/dashboard-1${end}`,
        { ...files[`/etc/platform-dashboard/certs/dashboard${end}`] },
        1,
      );
    for (const p of [without, named]) done(await p.run('upgrade-4.14.yaml'));
    Reflect.deleteProperty(files, '/etc/platform-dashboard/certs/dashboard-1-key.pem');
    stopped(
      await named.run('restart-dashboard.yaml', { answer: 'yes', name: 'again' }),
      /there is no key at \/etc\/platform-dashboard\/certs\/dashboard-1-key/,
    );
  }),
];

export const rulesetLists: readonly Scenario[] = [
  scenario('lists: one that neither the package nor a server has is refused before anything stops', async (stage) => {
    const lists = ['etc/lists/audit-keys', 'etc/lists/malicious-ioc-md5', 'etc/lists/ours'];
    const p = await stage.platform({ rpmHosts: ['server-2'] }, naming(...lists));
    putFile(hostOf(p.state, 'server-1'), '/var/platform/etc/lists/ours', { text: '' }, 1);
    const ran = await p.run('upgrade-4.14.yaml');
    stopped(ran, /etc\/lists\/ours: neither platform-manager 4\.14\.7-1 nor the host has this file/);
    deepEqual([actsLike(ran, /systemctl stop platform-|systemctl stop filebeat/), down(p.state)], [[], []]);
    deepEqual(
      ran.events.flatMap((e) => (e.e === 'settled' && e.as === 'blocked' ? [e.task.on] : [])),
      [{ host: 'server-2' }],
    );
    putFile(hostOf(p.state, 'server-2'), '/var/platform/etc/lists/ours', { text: '' }, 1);
    done(await p.run('upgrade-4.14.yaml', { verb: 'resume', past: ran.recorded }));
    match(textOf(p.state, 'server-2', CONFIG) ?? '', /<list>etc\/lists\/ours<\/list>/);
  }),
  scenario(
    'server: what the manager writes is backed up while it is stopped; its databases on request',
    async (stage) => {
      for (const databases of ['leave', 'backup']) {
        const p = await serversFrom(stage, '4.12.0');
        const ran = await p.run(PLAYBOOK, { vars: { manager_databases: databases } });
        done(ran);
        const kept = (path: string) =>
          textOf(p.state, 'server-1', `/var/backups/runbook/before-4.14/4.12.0/var/platform/${path}`);
        for (const path of ['queue/rids/001', 'queue/fts/fts-queue', 'stats/totals/2026/Nov/totals-20.log'])
          equal(kept(path), `${path}\n`);
        equal(kept('queue/db/001.db') !== undefined, databases === 'backup');
        inOrder(
          ran,
          /server-1: systemctl stop platform-manager/,
          /server-1: copy .*queue\/rids/,
          /server-1: write .*platform\.conf|server-1: systemctl start platform-manager/,
        );
      }
    },
  ),
  scenario(
    'server: what the manager writes is not there on each server, and no upgrade fails for its backup',
    async (stage) => {
      const vars = { manager_databases: 'backup' };
      const [without, full] = [await serversFrom(stage, '4.12.0'), await serversFrom(stage, '4.12.0')];
      remove(without.state, 'server-1', /^\/var\/platform\/queue\/(fts|db)/);
      const ran = await without.run(PLAYBOOK, { vars });
      done(ran);
      doesNotMatch(ran.warned, /fts|queue\/db|[Bb]ack up/);
      const noSpace = each((action, real) =>
        action.do === 'copy' && /queue\/(rids|db)/.test(action.from)
          ? Promise.resolve({ is: 'refused', by: 'machine', found: 'no space left on device' })
          : real(),
      );
      const warned = await full.run(PLAYBOOK, { vars, actor: noSpace });
      done(warned);
      match(warned.warned, /no space left/);
    },
  ),
  scenario(
    'server: where the new manager has run, what it writes and its databases are backed up no more',
    async (stage) => {
      const p = await serversFrom(stage, '4.12.0');
      await p.run(PLAYBOOK, refusesOutput('server-2'));
      p.state.faults.length = 0;
      const ran = await p.run(PLAYBOOK, { name: 'next', vars: { manager_databases: 'backup' } });
      done(ran);
      deepEqual(
        [...new Set(actsLike(ran, /copy .*queue\/(db|rids)/).map((act) => act.replace(/:.*/, '')))],
        ['server-1'],
      );
    },
  ),
  scenario("server: without space for the agents' databases, no manager is stopped", async (stage) => {
    const backups = '/var/backups/runbook/before-4.14';
    const databases = ({ state }: Platform, gigabytes: number): void => {
      hostOf(state, 'server-2').mounted = { [backups]: { totalBytes: 20e9, usedBytes: 12e9 } };
      const stdout = `${Math.ceil((gigabytes * 1e9) / 1024)}\t/var/platform/queue/db\n`;
      state.faults.push({ fault: 'program', host: 'server-2', program: 'du', exit: 0, stdout });
    };
    const backup: Options = { vars: { manager_databases: 'backup' } };
    const prepare = 'prepare.yaml';
    for (const playbook of [prepare, PLAYBOOK]) {
      const p = playbook === prepare ? await stage.platform() : await serversFrom(stage, '4.12.0');
      databases(p, 6);
      const left = p.clone();
      const ran = await p.run(playbook, backup);
      stopped(ran, /only 2 GB are free where \S+ is once 6 GB more are written there: at least 3 GB are asked for/);
      deepEqual([actsLike(ran, /systemctl stop/), down(p.state), ran.why.split('\n').length], [[], [], 1]);
      done(await left.run(playbook));
    }
    const p = await serversFrom(stage, '4.12.0');
    databases(p, 4);
    const failed = await p.run(PLAYBOOK, {
      ...backup,
      ...once(/^server-2: .*install .*platform-manager/, ({ faults }) => {
        faults.push({
          fault: 'program',
          host: 'server-2',
          program: 'platform-analysisd',
          exit: 1,
          stdout: 'no',
          times: 1,
        });
      }),
    });
    equal(failed.end, 'failed');
    // What this run backed up already is not asked for once more while the manager is down.
    databases(p, 8);
    done(await p.run(PLAYBOOK, { ...backup, verb: 'resume', past: failed.recorded }));
  }),
];
