import { stopService } from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import { createIndex } from '../../../engine/platforms/security-monitoring/simulator/documents.js';
import { putFile } from '../../../engine/simulator/files.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { refKey } from '../../../engine/terms/fact.js';
import type { Reader } from '../../../engine/terms/machine.js';
import type { TaskId } from '../../../engine/terms/task.js';
import { shaped, SHAPES } from '../../playbooks/platform-shapes.js';
import { deepEqual, equal, hostOf, ok } from '../look.js';
import { edit, enableRepository, remove, running } from '../ours.js';
import { scenario, whole, type Scenario } from '../scenario.js';
import type { Platform } from '../stage.js';

type Alter = (state: PlatformState) => unknown;

/** Only this is found when the platform is altered so, and the fix is said; nothing is changed. */
const finding = (
  name: string,
  alter: Alter,
  finds: readonly RegExp[],
  vars = {},
  change?: Platform['change'],
): Scenario =>
  scenario(`doctor: ${name}`, async (stage) => {
    const p = await stage.platform({ from: '4.12.0' }, change);
    alter(p.state);
    const before = JSON.stringify(p.state.hosts);
    const { events } = await p.plan('doctor.yaml', { options: { diagnosing: true }, vars });
    equal(JSON.stringify(p.state.hosts) === before, true);
    const hostIn = (task: TaskId | undefined): string => (task !== undefined && 'host' in task.on ? task.on.host : '');
    const found = events.flatMap((e) =>
      e.e === 'found'
        ? [`${hostIn(e.task)}: ${e.text} | ${e.remedy}`]
        : e.e === 'warned'
          ? [`${hostIn(e.task)}: warning: ${e.text}`]
          : [],
    );
    for (const one of finds)
      ok(
        found.some((line) => one.test(line)),
        `${String(one)} is not in ${found.join('\n')}`,
      );
    deepEqual(
      found.filter((line) => !finds.some((one) => one.test(line))),
      [],
    );
  });

const stops =
  (host: string, unit: string): Alter =>
  (s) =>
    stopService(s, hostOf(s, host), unit);
const version =
  (host: string, name: string, to: string): Alter =>
  (s) =>
    Object.assign(hostOf(s, host).packages[name] ?? {}, { version: to });

const DOES_NOT_RUN = 'does not run .*\\| systemctl start ';
const free = (path: string) => new RegExp(`indexer-2: only 1 GB are free where ${path} is.*\\| (free|delete old)`);
const withTarget =
  (target: string): Platform['change'] =>
  ({ inventory, ...rest }) => ({
    ...rest,
    inventory: { ...inventory, platform: { ...inventory.platform, target } },
  });
const packages = [
  ['indexer-1', 'platform-indexer'],
  ['server-1', 'platform-manager'],
  ['server-1', 'filebeat'],
  ['dashboard-1', 'platform-dashboard'],
  ['linux-1', 'platform-agent'],
] as const;

export const baseline: readonly Scenario[] = [
  whole('baseline: each value is read, with what is worse and how much may be lost', async (stage) => {
    const p = await stage.platform({ from: '4.14.7' });
    const { events } = await p.plan('baseline.yaml');
    deepEqual(
      events.flatMap((e) => (e.e === 'settled' ? [[e.name, e.value]] : [])),
      [
        ['Alerts in the last hour', { value: 0, worse: 'less', tolerance: '50%', wait: '5m' }],
        ['Documents in the states indices', { value: 0, worse: 'less', tolerance: '50%', wait: '5m' }],
        ['Agents active', { value: 3, worse: 'less', tolerance: '5%', wait: '5m' }],
        ['Agents disconnected', { value: 0, worse: 'more', tolerance: '5%', wait: '5m' }],
        ['Agents pending', { value: 0, worse: 'more', tolerance: '5%', wait: '5m' }],
        ['Own rules loaded', { value: 14, worse: 'less', wait: '5m' }],
        ['Own decoders loaded', { value: 6, worse: 'less', wait: '5m' }],
        ['User that the dashboard signs in', { value: 'admin', worse: 'other', wait: '5m' }],
      ],
    );
  }),
];

export const doctor: readonly Scenario[] = [
  finding('a platform in order has no problems', () => undefined, []),
  ...packages.map(([host, name]) =>
    finding(
      `${name} of another version than the upgrade expects`,
      version(host, name, '4.14.9-1'),
      [
        name === 'filebeat'
          ? /server-1: the upgrade expects shipper .*\| .*shipper: install/
          : new RegExp(`${host}: a component is newer than 4\\.14\\.7 .*\\| set platform.target`),
      ],
      { shipper: 'keep' },
    ),
  ),
  ...packages.map(([host, name]) =>
    finding(`a role without ${name}`, (s) => Reflect.deleteProperty(hostOf(s, host).packages, name), [
      new RegExp(`${host}: a package that the roles of this host need is not installed .*\\| correct roles`),
      ...(/indexer|dashboard/.test(name) ? [new RegExp(`^${host}: plug-in \\S+ .* came with no package`)] : []),
    ]),
  ),
  ...[
    ['server-2', 'filebeat'],
    ['server-2', 'platform-manager'],
    ['dashboard-1', 'platform-dashboard'],
  ].map(([host = '', unit = '']) =>
    finding(`${unit} that is stopped`, stops(host, unit), [new RegExp(`${host}: ${unit} ${DOES_NOT_RUN}${unit}`)]),
  ),
  finding('an agent that is stopped is a warning', stops('linux-2', 'platform-agent'), [
    /linux-2: warning: platform-agent does not run/,
  ]),
  finding(
    'keys that an agent cannot read are a warning',
    (s) => Object.assign(hostOf(s, 'linux-2').files['/var/platform/etc/client.keys'] ?? {}, { mode: '0600' }),
    [/linux-2: warning: platform cannot use \S+client\.keys/],
  ),
  finding('an indexer that is stopped', stops('indexer-2', 'platform-indexer'), [
    new RegExp(`indexer-2: platform-indexer ${DOES_NOT_RUN}platform-indexer`),
    /indexer-1: the cluster has 2 nodes, the inventory 3 .*\| compare GET/,
    /indexer-1: the indexer cluster is yellow: .*\| .*allocation\/explain/,
  ]),
  finding(
    'a file of SAML that one indexer lacks',
    (s) => {
      for (const name of ['indexer-1', 'indexer-3'])
        putFile(hostOf(s, name), '/etc/platform-indexer/security/idp.xml', { text: 'a' }, 1);
    },
    [/indexer-2: indexer-2 and indexer-1 have different files in .*\| copy what is missing/],
  ),
  finding('a single indexer is a platform in order', () => undefined, [], {}, shaped(SHAPES['a single indexer'] ?? {})),
  scenario('doctor: what cannot be read is reported by each check that needs it', async (stage) => {
    const denied = (real: Reader): Reader => ({
      ask: async (needs, context) => {
        const answers = new Map(await real.ask(needs, context));
        for (const need of needs)
          if (need.fact === 'http') answers.set(refKey(need), { is: 'failed', why: 'unreadable', reason: '403' });
        return answers;
      },
    });
    const p = await stage.platform({ from: '4.12.0' });
    const { events } = await p.plan('doctor.yaml', { options: { diagnosing: true }, reader: denied });
    deepEqual(
      events.flatMap((e) => (e.e === 'undecided' ? [e.name] : [])),
      [
        'Cluster health can be read',
        'All indexer nodes are in the cluster',
        'Each indexer responds and is in this cluster',
        'Node names match the inventory',
        'Cluster is green',
        'Each replica has a node',
        'Node list can be read',
        'Cluster settings can be read',
        'Disk watermarks and shard limits are OK',
        'No index policies are active',
        'Snapshots can be read',
        'Management API can be read',
        'Agents can be listed',
        'Find agents below the managed versions',
        'Agents are managed by a 4.14 server',
        'Dashboard status can be read',
        'Dashboard reaches the management API',
      ],
    );
  }),
  finding(
    'a full disk',
    (s) => (hostOf(s, 'indexer-2').disk.usedBytes = hostOf(s, 'indexer-2').disk.totalBytes - 1e9),
    [free('/'), free('/var/lib/platform-indexer'), /flood-stage watermark.*\| make room on its data/],
  ),
  finding('limits of disk space are those of the inventory', () => undefined, [/at least 900 TB are asked for/], {
    disk_refuse_below: '900TB',
  }),
  finding('a clock that is off', (s) => (hostOf(s, 'server-2').clockSkewMs = 125_000), [
    /server-2: .*\| timedatectl set-ntp true/,
  ]),
  finding(
    'files of a package that were changed on the host',
    (s) =>
      s.faults.push({
        ...{ fault: 'program', host: 'indexer-1', program: 'dpkg', exit: 1 },
        stdout: '??5??????   /usr/share/platform-indexer/bin/opensearch\n',
      }),
    [/indexer-1: warning: files of platform-indexer were changed on the host/],
  ),
  finding('no repository', (s) => remove(s, 'server-1', /sources\.list\.d/), [
    /server-1: neither .* has an entry of https:\/\/packages\.example\.com.*\| add the repository/,
  ]),
  finding('a unit that may disturb', (s) => (hostOf(s, 'server-2').services['puppet'] = { ...running }), [
    /server-2: warning: server-2: puppet\.service may upgrade packages/,
  ]),
  finding(
    "a dashboard's own sign-in at the management API that is wrong",
    (s) =>
      edit(s, 'dashboard-1', '/usr/share/platform-dashboard/data/platform/config/platform.yml', (text) =>
        text.replace('"username":"', '"username":"former-'),
      ),
    [/^dashboard-1: .*cannot use its management API: default: 401.*\| correct address, user and password/],
  ),
  finding(
    'a unit that the run pauses is no problem',
    (s) => (hostOf(s, 'server-2').services['puppet'] = { ...running }),
    [],
    { disturbing_units: 'pause' },
  ),
  finding(
    'a snapshot without a repository',
    () => undefined,
    [/vars\.snapshot_repository is not set.*\| set snapshot_/],
    {
      snapshot_repository: '',
    },
  ),
  finding('a snapshot that is left out needs no repository', () => undefined, [], {
    ...{ snapshot_repository: '', snapshot: 'none' },
  }),
  finding(
    'certificates that end too early',
    () => undefined,
    ['indexer', 'server', 'dashboard'].map((role) => new RegExp(`^${role}-\\d: .*\\| renew the certificate`)),
    { certificate_valid_for: '36500d' },
  ),
  finding(
    'a target of another release line is one problem',
    () => undefined,
    [/^indexer-1: platform\.target is 4\.15\.0, .*\| set platform\.target/],
    {},
    withTarget('4.15.0'),
  ),
  finding('a shipper that the run installs may have any version', version('server-1', 'filebeat', '7.9.0-1'), [], {
    shipper: 'install',
  }),
  finding(
    'limits for a warning are those of the inventory',
    (s) => (hostOf(s, 'server-2').clockSkewMs = 2_000),
    [/: warning: .*only .* free/, /^server-2: warning: .*clock/],
    { disk_warn_below: '900TB', data_warn_below: '900TB', clock_warn_above: '1s' },
  ),
  finding(
    'a host that cannot be reached does not end the checks of the others',
    (s) => {
      s.faults.push({ fault: 'unreachable', host: 'server-2' });
      Reflect.deleteProperty(hostOf(s, 'linux-1').packages, 'platform-agent');
      hostOf(s, 'dashboard-1').clockSkewMs = 125_000;
      stopService(s, hostOf(s, 'dashboard-1'), 'platform-dashboard');
    },
    [
      /^linux-1: a package that the roles of this host need is not installed/,
      /^dashboard-1: .*\| timedatectl set-ntp true/,
      /^dashboard-1: platform-dashboard does not run/,
    ],
  ),
  finding(
    'an enabled repository that does not offer the release',
    (s) => {
      enableRepository(s, 'indexer-2');
      hostOf(s, 'indexer-2').packageIndex = {};
    },
    [/^indexer-2: .*4\.14\.7.*\| apt-get update/],
  ),
  // What a plan refuses or warns of, doctor does too.
  finding(
    'a unit that may disturb is a problem where the inventory says so',
    (s) => (hostOf(s, 'server-2').services['puppet'] = { ...running }),
    [/^server-2: server-2: puppet\.service may upgrade packages .*\| stop them/],
    { disturbing_units: 'error' },
  ),
  finding(
    'a /tmp on which no programs run',
    (s) => putFile(hostOf(s, 'indexer-2'), '/proc/mounts', { text: 'tmpfs /tmp tmpfs rw,noexec 0 0\n' }, 1),
    [/^indexer-2: warning: .*noexec/],
  ),
  finding('index policies', (s) => s.cluster.policies.push('a'), [/^indexer-1: warning: policies manage indices/]),
  finding(
    'a second pair of heap lines, which cannot be reapplied',
    (s) => edit(s, 'indexer-2', '/etc/platform-indexer/jvm.options', (text) => `${text}\n-Xms2g\n-Xmx2g\n`),
    [/^indexer-2: .*jvm\.options: .*contradict each other \| leave one/],
  ),
  finding(
    'a manager configuration into which nothing can be added',
    (s) =>
      edit(s, 'server-2', '/var/platform/etc/platform.conf', (text) =>
        text.replace('  </ruleset>\n', '  </ruleset>\n  <ruleset>\n    <list>etc/lists/ours</list>\n  </ruleset>\n'),
      ),
    [/^server-2: .*<ruleset> stands 2 times .*\| merge them by hand/, /^server-2: .*etc\/lists\/ours/],
  ),
  finding(
    'a manager configuration that its own test refuses',
    (s) =>
      edit(s, 'server-2', '/var/platform/etc/platform.conf', (text) =>
        text.replace('etc/lists/audit-keys', 'etc/lists/gone'),
      ),
    [/^server-2: .* status 1: .*etc\/lists\/gone/],
  ),
  finding(
    'a node that has another name in the cluster',
    () => undefined,
    [/^indexer-1: an indexer's node has another name .*\| set the variable node_name/],
    { node_name: 'node-x' },
  ),
  finding(
    'a package that is half installed',
    (s) => Object.assign(hostOf(s, 'indexer-3').packages['platform-indexer'] ?? {}, { status: 'iU' }),
    [/^indexer-3: platform-indexer 4\.12\.0-1: finish its half-done .*\| do not continue/],
  ),
  finding(
    'a process that is older than its package',
    (s) => Object.assign(hostOf(s, 'server-2').packages['platform-manager'] ?? {}, { changedAtMs: s.nowMs }),
    [/^server-2: a service did not start since its package changed.*\| runbook resume/],
  ),
  finding(
    'agents that a 4.14 server does not manage',
    (s) => {
      const agents = s.management.agents.map((a) => (a.name === 'linux-1' ? { ...a, version: '4.8.2' } : a));
      s.management = { ...s.management, agents };
    },
    [/^indexer-1: warning: 1 of 2 agents are below 4\.9: .*linux-1/],
  ),
  finding('replicas that can be on no node', (s) => createIndex(s, 'lonely', { shards: 1, replicas: 3 }), [
    /^indexer-1: warning: .*lonely.* can be on no node/,
  ]),
  finding(
    'offline packages that are not in the folder',
    () => undefined,
    [/^(indexer|server|dashboard|linux)-\d: .*\/srv\/none/],
    { offline_packages: '/srv/none' },
  ),
];
