import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { putFile } from '../../../engine/simulator/files.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { actsLike, deepEqual, doesNotMatch, done, equal, hostOf, match, ok, refused, textOf, unitOf } from '../look.js';
import { edit, remove } from '../ours.js';
import { scenario, whole, type Scenario } from '../scenario.js';
import type { Stage, Told } from '../stage.js';

type Alter = (state: PlatformState) => unknown;

const INDEXER = '/etc/platform-indexer';
const DASHBOARD = '/etc/platform-dashboard';
const FILEBEAT = '/etc/filebeat';
const AGENT = '/var/platform/etc/platform.conf';
const KEYS = '/var/platform/etc/client.keys';
const COUNTERS = '/var/platform/queue/rids';
const MODE_OF_ROOT = { owner: 'root', group: 'root', mode: '0600' };

/** A running service does not notice: the preparation and `runbook doctor` do, with the same words, and nothing was changed before. */
const hidden = (what: string, why: RegExp, alter: Alter): Scenario =>
  scenario(`next start: ${what} is refused before the first change, and found by doctor`, async (stage) => {
    refused(await prepared(stage, alter), why);
    match(await doctor(stage, alter), why);
  });

const warnedOf = (what: string, why: RegExp, alter: Alter): Scenario =>
  scenario(`next start: ${what} is a warning, of the upgrade and of doctor`, async (stage) => {
    const ran = await prepared(stage, alter);
    done(ran);
    match(ran.warned, why);
    match(await doctor(stage, alter), why);
  });

async function prepared(stage: Stage, alter: Alter): Promise<Told> {
  const p = await stage.platform();
  alter(p.state);
  return p.run('prepare.yaml', { answer: 'no' });
}

async function doctor(stage: Stage, alter: Alter): Promise<string> {
  const p = await stage.platform();
  alter(p.state);
  const { events } = await p.plan('doctor.yaml', { options: { diagnosing: true } });
  return events.flatMap((e) => (e.e === 'found' || e.e === 'warned' ? [e.text] : [])).join('\n');
}

const made =
  (host: string, path: string, by: object): Alter =>
  (s) => {
    const entry = hostOf(s, host).files[path];
    ok(entry !== undefined, `${host} has no ${path}`);
    Object.assign(entry, by);
  };
const gone =
  (host: string, path: string): Alter =>
  (s) =>
    remove(s, host, new RegExp(`^${path}(/|$)`));
/** A certificate that no host of the model's has. */
const another = readFileSync(join(import.meta.dirname, '../../language/fixtures/root-ca.pem'), 'utf8');

const SET_UP = { shipper_setup_config: `${FILEBEAT}/setup.yml` };

export const starts: readonly Scenario[] = [
  ...(
    [
      ['server-1', 'platform-manager'],
      ['server-2', 'filebeat'],
      ['dashboard-1', 'platform-dashboard'],
    ] as const
  ).map(([host, unit]) =>
    scenario(`a stopped ${unit} is a warning of the plan, and a problem of doctor`, async (stage) => {
      const stop: Alter = (s) => (unitOf(s, host, unit).active = 'inactive');
      const p = await stage.platform();
      stop(p.state);
      match((await p.plan('prepare.yaml')).warned, new RegExp(`${unit} does not run`));
      match(await doctor(stage, stop), new RegExp(`${unit} does not run`));
    }),
  ),
  ...(
    [
      ['indexer-2', 'platform-indexer', `${INDEXER}/opensearch.yml`],
      ['indexer-2', 'platform-indexer', `${INDEXER}/jvm.options`],
      ['indexer-2', 'platform-indexer', `${INDEXER}/certs/indexer-key.pem`],
      ['indexer-2', 'platform-indexer', `${INDEXER}/certs/root-ca.pem`],
      ['indexer-2', 'platform-indexer', '/var/lib/platform-indexer'],
      ['dashboard-1', 'platform-dashboard', `${DASHBOARD}/dashboard.yml`],
      ['dashboard-1', 'platform-dashboard', `${DASHBOARD}/certs/root-ca.pem`],
      ['dashboard-1', 'platform-dashboard', '/usr/share/platform-dashboard/data/platform/config/platform.yml'],
    ] as const
  ).map(([host, user, path]) =>
    hidden(`${path} that only root can read`, new RegExp(`${user} may not read( and write)? ${path}`), (s) =>
      made(host, path, MODE_OF_ROOT)(s),
    ),
  ),
  hidden(
    'a data directory that its user can only read',
    /platform-indexer may not read and write \/var\/lib\/platform-indexer/,
    made('indexer-2', '/var/lib/platform-indexer', { owner: 'root', group: 'root', mode: '0755' }),
  ),
  hidden(
    'a directory on the way that the user may not enter',
    /platform-indexer may not enter \/etc\/platform-indexer\/certs, so it cannot read \S+\.pem/,
    made('indexer-2', `${INDEXER}/certs`, { owner: 'root', group: 'root', mode: '0744' }),
  ),
  ...[`${INDEXER}/opensearch.keystore`, `${INDEXER}/jvm.options.d`].map((path) =>
    hidden(
      `${path}, where it exists and its user cannot read it,`,
      new RegExp(`platform-indexer may not read ${path}`),
      (s) =>
        putFile(hostOf(s, 'indexer-2'), path, { ...MODE_OF_ROOT, type: path.endsWith('.d') ? 'directory' : 'file' }, 1),
    ),
  ),
  hidden('a keystore of the dashboard that its user cannot read', /platform-dashboard may not read \S+keystore/, (s) =>
    putFile(hostOf(s, 'dashboard-1'), `${DASHBOARD}/opensearch_dashboards.keystore`, MODE_OF_ROOT, 1),
  ),
  ...(['http', 'transport'] as const).map((layer) =>
    hidden(`a CA of ${layer} that is not there`, /there is no certificate at \S+other-ca\.pem/, (s) =>
      edit(s, 'indexer-2', `${INDEXER}/opensearch.yml`, (t) =>
        t.replace(`${layer}.pemtrustedcas_filepath: certs/root-ca`, `${layer}.pemtrustedcas_filepath: certs/other-ca`),
      ),
    ),
  ),
  hidden(
    "a node's certificate that the CA of the nodes did not sign",
    /certs\/indexer\.pem \(CN=model\) is not signed by \S+certs\/root-ca\.pem/,
    made('indexer-2', `${INDEXER}/certs/root-ca.pem`, { text: another }),
  ),
  hidden(
    'a CA of the dashboard for the indexers that is not there',
    /there is no certificate at \S+root-ca\.pem/,
    (s) => gone('dashboard-1', `${DASHBOARD}/certs/root-ca.pem`)(s),
  ),
  hidden(
    'a CA of the dashboard that did not sign the certificates of the indexers',
    /on indexer-1 \(CN=model\) is not signed by \/etc\/platform-dashboard\/certs\/root-ca\.pem/,
    made('dashboard-1', `${DASHBOARD}/certs/root-ca.pem`, { text: another }),
  ),
  hidden(
    'a CA of the indexer connector that did not sign the certificates of the indexers',
    /on indexer-1 \(CN=model\) is not signed by \/var\/platform\/etc\/other-ca\.pem/,
    (s) => {
      putFile(hostOf(s, 'server-2'), '/var/platform/etc/other-ca.pem', { text: another }, 1);
      edit(s, 'server-2', '/var/platform/etc/platform.conf', (t) =>
        t.replace(/<ca>.*<\/ca>/, '<ca>etc/other-ca.pem</ca>'),
      );
    },
  ),
  scenario('next start: a dashboard that verifies no certificate may trust another CA', async (stage) => {
    const unverified: Alter = (s) => {
      made('dashboard-1', `${DASHBOARD}/certs/root-ca.pem`, { text: another })(s);
      edit(s, 'dashboard-1', `${DASHBOARD}/dashboard.yml`, (t) =>
        t.replace('verificationMode: certificate', 'verificationMode: none'),
      );
    };
    done(await prepared(stage, unverified));
  }),
  hidden(
    'a certificate without the address that the dashboard connects to',
    /indexer\.pem on indexer-1 \(CN=model\) is not for \S+, the address that is connected to/,
    (s) =>
      edit(s, 'dashboard-1', `${DASHBOARD}/dashboard.yml`, (t) =>
        t.replace(/opensearch\.ssl\.verificationMode: .*\n/, ''),
      ),
  ),
  hidden(
    'a node whose subject the others do not list',
    /nodes_dn in \S+ does not list the subject of \S+ on indexer-1 \(CN=model\)/,
    (s) => edit(s, 'indexer-2', `${INDEXER}/opensearch.yml`, (t) => `${t}plugins.security.nodes_dn: [CN=other]\n`),
  ),
  scenario('next start: subjects of nodes by a pattern, or kept elsewhere, are not judged', async (stage) => {
    const unjudged: Alter = (s) => {
      for (const [host, line] of [
        ['indexer-1', 'plugins.security.nodes_dn: [CN=other, "CN=other-*"]'],
        ['indexer-2', 'plugins.security.nodes_dn: [CN=other]\nplugins.security.nodes_dn_dynamic_config_enabled: true'],
      ] as const)
        edit(s, host, `${INDEXER}/opensearch.yml`, (t) => `${t}${line}\n`);
    };
    done(await prepared(stage, unjudged));
  }),
  hidden(
    'a configuration that the shipper refuses',
    /server-2: the shipper would not start: Exiting: .*can only be writable by the owner/,
    made('server-2', `${FILEBEAT}/filebeat.yml`, { mode: '0660' }),
  ),
  hidden(
    'a CA of the shipper that did not sign the certificates of the indexers',
    /on indexer-1 \(CN=model\) is not signed by \/etc\/filebeat\/certs\/root-ca\.pem/,
    made('server-2', `${FILEBEAT}/certs/root-ca.pem`, { text: another }),
  ),
  hidden(
    'a user of the shipper that the indexer does not know any more',
    /server-2: the shipper, started now, would not reach its output: 401 Unauthorized/,
    (s) => edit(s, 'server-2', `${FILEBEAT}/filebeat.yml`, (t) => t.replace(/username: .*/, 'username: former')),
  ),
  ...['jvm.options', 'jvm.options.d/ours.options'].map((file) =>
    hidden(`an option in ${file} that Java does not know`, /would not start: Unrecognized VM option/, (s) => {
      const host = hostOf(s, 'indexer-2');
      const text = host.files[`${INDEXER}/${file}`]?.text ?? '';
      putFile(host, `${INDEXER}/${file}`, { text: `${text}\n-XX:+UseConcMarkSweepGC\n` }, 1);
    }),
  ),
  hidden('an option for this Java that it does not know', /would not start: Unrecognized VM option/, (s) =>
    edit(s, 'indexer-2', `${INDEXER}/jvm.options`, (t) => `${t}17-:-XX:+UseConcMarkSweepGC\n`),
  ),
  hidden(
    'a heap whose sizes are in two files, and differ,',
    /would not start: heap sizes -Xms4g and -Xmx8g differ/,
    (s) => putFile(hostOf(s, 'indexer-2'), `${INDEXER}/jvm.options.d/ours.options`, { text: '-Xms4g\n' }, 1),
  ),
  hidden('a heap above the memory of its host', /would not start: initial heap -Xms8g is more than the memory/, (s) =>
    putFile(hostOf(s, 'indexer-2'), '/proc/meminfo', { text: 'MemTotal:        8000000 kB\n' }, 1),
  ),
  hidden('heap sizes that differ', /would not start: heap sizes -Xms4g and -Xmx8g differ/, (s) =>
    edit(s, 'indexer-2', `${INDEXER}/jvm.options`, (t) => `${t}-Xms4g\n`),
  ),
  warnedOf('a connector without a keystore', /there is no \/var\/platform\/queue\/keystore/, (s) =>
    gone('server-2', '/var/platform/queue/keystore')(s),
  ),
  ...(
    [
      ['keys of an agent that only root can read', KEYS, made('linux-1', KEYS, MODE_OF_ROOT)],
      ['keys of an agent that are not there', KEYS, gone('linux-1', KEYS)],
      ['a configuration of an agent that is not there', AGENT, gone('linux-1', AGENT)],
      ['counters of an agent that its user cannot write', COUNTERS, made('linux-1', COUNTERS, { mode: '0550' })],
    ] as const
  ).map(([what, path, alter]) => warnedOf(what, new RegExp(`platform cannot use ${path}: the agent would not`), alter)),
  scenario('next start: an agent that could not use its files fails alone, before its package', async (stage) => {
    const p = await stage.platform({ from: '4.14.7', at: { 'linux-1': '4.12.0', 'linux-2': '4.12.0' } });
    made('linux-1', KEYS, MODE_OF_ROOT)(p.state);
    // A refused plan would stop the upgrade of all others.
    equal((await p.plan('agents.yaml')).end, 'done');
    const ran = await p.run('agents.yaml');
    equal(ran.end, 'failed');
    match(ran.why, /platform cannot use \S+client\.keys.* \| .*namei -l/);
    deepEqual(actsLike(ran, /^linux-1: /), []);
    const installed = (host: string) => hostOf(p.state, host).packages['platform-agent']?.version;
    deepEqual(['linux-1', 'linux-2'].map(installed), ['4.12.0-1', '4.14.7-1']);
    made('linux-1', KEYS, { group: 'platform', mode: '0640' })(p.state);
    // One that is upgraded is not started again.
    made('linux-2', KEYS, MODE_OF_ROOT)(p.state);
    done(await p.run('agents.yaml', { verb: 'resume', past: ran.recorded, name: 'resumed' }));
    equal(installed('linux-1'), '4.14.7-1');
  }),
  warnedOf(
    "a dashboard's sign-in at the management API that is wrong",
    /cannot use its management API: default: 401/,
    (s) =>
      edit(s, 'dashboard-1', '/usr/share/platform-dashboard/data/platform/config/platform.yml', (t) =>
        t.replace('"username":"', '"username":"former-'),
      ),
  ),
  scenario(
    'next start: a connector that is off, and one that a release below 4.8 lacks, need no keystore',
    async (stage) => {
      const off: Alter = (s) => {
        gone('server-2', '/var/platform/queue/keystore')(s);
        edit(s, 'server-2', '/var/platform/etc/platform.conf', (t) => t.replace(/(<indexer>\s*<enabled>)yes/, '$1no'));
      };
      doesNotMatch((await prepared(stage, off)).warned, /keystore/);
    },
  ),
  hidden(
    'a shipper that sends to Logstash, and could not be set up,',
    /template and pipelines could not be loaded: \/etc\/filebeat\/filebeat\.yml leads to no indexer/,
    (s) => toLogstash(s),
  ),
  whole('next start: a shipper that sends to Logstash is set up with a configuration of its own', async (stage) => {
    const p = await stage.platform();
    toLogstash(p.state, `${FILEBEAT}/setup.yml`);
    const wrong = p.clone();
    edit(wrong.state, 'server-2', `${FILEBEAT}/setup.yml`, (text) => text.replace(/username: .*/, 'username: another'));
    refused(await wrong.run('prepare.yaml', { answer: 'no', vars: SET_UP }), /setup\.yml leads to no indexer/);
    const ran = await p.run('upgrade-4.14.yaml', {
      answer: 'yes',
      vars: SET_UP,
    });
    done(ran);
    deepEqual(
      actsLike(ran, /filebeat setup/).filter((act) => !act.endsWith(` -c ${FILEBEAT}/setup.yml`)),
      [],
    );
    match(JSON.stringify(p.state.cluster.templates), /4\.14\.7/);
  }),
];

/** Each server's shipper sends to Logstash; what led it to the indexers is kept elsewhere. */
function toLogstash(state: PlatformState, kept?: string): void {
  for (const host of ['server-1', 'server-2']) {
    const before = textOf(state, host, `${FILEBEAT}/filebeat.yml`) ?? '';
    if (kept !== undefined) putFile(hostOf(state, host), kept, { text: before, mode: '0600' }, 1);
    edit(state, host, `${FILEBEAT}/filebeat.yml`, (text) =>
      text
        .replace(/^output\.elasticsearch\.hosts:\n(?: {2}- .*\n|# .*\n)*/m, '')
        .replace(/^output\.elasticsearch:\n(?: .*\n)*/m, 'output.logstash:\n  hosts:\n  - logstash:5044\n'),
    );
  }
}
