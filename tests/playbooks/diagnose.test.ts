import { describe, expect, test } from '@jest/globals';
import { createIndex } from '../../engine/platforms/security-monitoring/simulator/documents.js';
import { stopService } from '../../engine/platforms/security-monitoring/simulator/platform.js';
import { shardsOf } from '../../engine/platforms/security-monitoring/simulator/shards.js';
import type { PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import { diagnosisOf, diagnosisView } from '../../engine/report/checks/diagnosis-view.js';
import { platform } from './platform-bench.js';
import { anotherAuthority, diagnose, edit, hostOf, restart } from './diagnose-bench.js';

const JVM = '/etc/platform-indexer/jvm.options';
const SHIPPER = '/etc/filebeat/filebeat.yml';
const INDEXER = 'platform-indexer';

interface Case {
  readonly it: string;
  readonly breakIt: (state: PlatformState) => void;
  /** What is reported, and of which item and host. */
  readonly finds: RegExp;
  readonly evidence?: RegExp;
  readonly remedy: RegExp;
  readonly from?: string;
}

const CASES: readonly Case[] = [
  {
    it: 'an indexer that ends at an earlier Java option',
    breakIt(state) {
      edit(state, 'indexer-2', `${JVM}.bak`, () => '-Xms8g\n-Xmx8g\n');
      edit(state, 'indexer-2', JVM, () => '-Xms8g\n-Xmx8g\n-XX:+UseConcMarkSweepGC\n');
      restart(state, 'indexer-2', INDEXER);
    },
    finds: /^7\.indexer-start indexer-2: platform-indexer does not run .*failed/,
    evidence: /Unrecognized VM option 'UseConcMarkSweepGC'/,
    remedy: /its log shows.*runbook resume/,
  },
  {
    it: 'Java options that differ from the saved copy',
    breakIt(state) {
      edit(state, 'indexer-2', `${JVM}.bak`, () => '-Xms8g\n-Xmx8g\n-Dours.password=hunter2hunter2\n');
      edit(state, 'indexer-2', JVM, () => '-Xms8g\n-Xmx8g\n-XX:+UseConcMarkSweepGC\n');
      restart(state, 'indexer-2', INDEXER);
    },
    finds: /^7\.indexer-start indexer-2: \S+jvm\.options differs from its saved copy/,
    evidence: /^-.*password.*hidden[\s\S]*^\+-XX:\+UseConcMarkSweepGC/m,
    remedy: /cp -p \S+jvm\.options\.bak/,
  },
  {
    it: 'heap lines that contradict one another, before anything fails of them',
    breakIt: (state) => edit(state, 'indexer-3', JVM, (t) => t.replace('-Xmx8g', '-Xmx4g')),
    finds: /^7\.indexer-start indexer-3: the heap lines contradict one another .*"8g", not "4g"/,
    evidence: /-Xms8g\n-Xmx4g/,
    remedy: /one value/,
  },
  {
    it: 'a disk at the watermark',
    breakIt(state) {
      hostOf(state, 'indexer-1').disk.usedBytes = 95_500_000_000;
    },
    finds: /^7\.indexer-start indexer-1: the file system of \/var\/lib\/platform-indexer is 96 % full/,
    evidence: /^\/dev\/vda1 .* 96% \/$/m,
    remedy: /make space/,
  },
  {
    it: 'data that belongs to another user',
    breakIt(state) {
      const entry = hostOf(state, 'indexer-1').files['/var/lib/platform-indexer'];
      if (entry !== undefined) entry.owner = 'root';
    },
    finds: /^7\.indexer-start indexer-1: files in \S+ do not belong to platform-indexer/,
    evidence: /^drwxr-x--- root:platform-indexer \/var\/lib\/platform-indexer$/m,
    remedy: /^chown -R platform-indexer: \/var\/lib\/platform-indexer/,
  },
  {
    it: 'a shipper whose configuration others can write',
    breakIt(state) {
      const entry = hostOf(state, 'server-1').files[SHIPPER];
      if (entry !== undefined) entry.mode = '0620';
    },
    finds: /^7\.shipper-connect server-1: \S+filebeat\.yml can be written by others/,
    evidence: /^-rw--w---- root:root/,
    remedy: /^chmod go-w/,
  },
  {
    it: 'a shipper whose hosts do not answer; its password is not shown',
    breakIt: (state) => edit(state, 'server-2', SHIPPER, (t) => t.replaceAll(/10\.0\.0\.1\d/g, '10.9.9.9')),
    finds: /^7\.shipper-connect server-2: \/usr\/bin\/filebeat test output does not reach an indexer/,
    evidence: /connect: connection refused[\s\S]*10\.9\.9\.9:9200/,
    remedy: /compare hosts/,
  },
  {
    it: 'an authority that is not where the shipper looks for it',
    breakIt: (state) => edit(state, 'server-1', SHIPPER, (t) => t.replace('certs/root-ca.pem', 'certs/ca.pem')),
    finds: /^7\.shipper-connect server-1: \/etc\/filebeat\/certs\/ca\.pem, .* is not there/,
    remedy: /correct its path/,
  },
  {
    it: 'a certificate that another authority signed',
    breakIt(state) {
      const lines =
        '  ssl.certificate: /etc/filebeat/certs/server-1.pem\n  ssl.key: /etc/filebeat/certs/server-1-key.pem\n';
      edit(state, 'server-1', SHIPPER, (t) =>
        t.includes('ssl.key') ? t : t.replace('  ssl.certificate_auth', `${lines}  ssl.certificate_auth`),
      );
      edit(state, 'server-1', '/etc/filebeat/certs/root-ca.pem', anotherAuthority);
    },
    finds: /^7\.shipper-connect server-1: \/etc\/filebeat\/certs\/server-1\.pem is not signed by/,
    evidence: /^issuer=/m,
    remedy: /same set of certificates/,
  },
  {
    it: 'a dashboard whose certificate has another name now',
    breakIt: (state) =>
      edit(state, 'dashboard-1', '/etc/platform-dashboard/dashboard.yml', (t) =>
        t.replace('dashboard.pem', 'dash.pem'),
      ),
    finds: /^7\.dashboard-errors dashboard-1: there is no certificate at \S+dash\.pem/,
    remedy: /restart-dashboard\.yaml/,
  },
  {
    it: 'a dashboard that is not ready',
    breakIt(state) {
      const entry = hostOf(state, 'dashboard-1').services['platform-dashboard'];
      if (entry !== undefined) entry.readyAtMs = state.nowMs + 3_600_000;
    },
    finds: /^7\.dashboard-errors dashboard-1: its status page does not report that it is available .*503/,
    remedy: /^clear the browser's cache.*restart-dashboard\.yaml/,
  },
  {
    it: 'an agent newer than the manager',
    breakIt(state) {
      const agents = state.management.agents.map((a) => (a.name === 'linux-1' ? { ...a, version: '4.15.0' } : a));
      state.management = { ...state.management, agents };
    },
    finds: /^7\.agents-connect server-1: 1 agent newer than 4\.14\.7: 001 linux-1/,
    remedy: /upgrade the manager first/,
  },
  {
    it: 'agents that are disconnected, with what the manager says of it',
    breakIt(state) {
      stopService(state, hostOf(state, 'linux-2'), 'platform-agent');
      edit(
        state,
        'server-1',
        '/var/platform/logs/platform.log',
        () => 'INFO: ours\n2026 ERROR: Duplicate agent name\n',
      );
    },
    finds: /^7\.agents-connect server-1: 1 of the agents are disconnected/,
    evidence: /^002 linux-2 \S*4\.14\.7 disconnected[\s\S]*ERROR: Duplicate agent name/,
    remedy: /agent's version/,
  },
  {
    it: 'an agent of an inventory host that does not run',
    breakIt: (state) => void stopService(state, hostOf(state, 'linux-2'), 'platform-agent'),
    finds: /^7\.agents-connect linux-2: platform-agent does not run/,
    remedy: /systemctl restart platform-agent/,
  },
  {
    it: 'a management API whose daemons are not ready',
    breakIt(state) {
      const entry = hostOf(state, 'server-1').services['platform-manager'];
      if (entry !== undefined) entry.readyAtMs = state.nowMs + 60_000;
    },
    finds: /^7\.agents-connect server-1: .*1017/,
    remedy: /^1017 means .*wait a minute/,
  },
  {
    it: 'a worker whose daemons died',
    breakIt(state) {
      state.faults.push({ fault: 'dead-daemons', host: 'server-2', unit: 'platform-manager' });
      restart(state, 'server-2', 'platform-manager');
    },
    finds: /^7\.agents-connect server-2: platform-manager does not run, or its daemons do not/,
    evidence: /not running/,
    remedy: /runbook resume/,
  },
  {
    it: 'shards on their way',
    breakIt(state) {
      const copy = shardsOf(state.cluster)[0]?.copies.find((c) => !c.primary);
      if (copy !== undefined) Object.assign(copy, { state: 'INITIALIZING', sinceMs: state.nowMs });
    },
    finds: /^7\.yellow indexer-\d: the cluster is yellow, and shards are on their way: 1 initializing/,
    evidence: /INITIALIZING/,
    remedy: /^wait/,
  },
  {
    it: 'allocation left at primaries',
    breakIt(state) {
      state.cluster.persistent['cluster.routing.allocation.enable'] = 'primaries';
      const copy = shardsOf(state.cluster)[0]?.copies.find((c) => !c.primary);
      if (copy !== undefined) Object.assign(copy, { state: 'UNASSIGNED', host: null, sinceMs: state.nowMs });
    },
    finds: /^7\.yellow indexer-\d: cluster\.routing\.allocation\.enable was left at "primaries"/,
    evidence: /UNASSIGNED[\s\S]*allocation is not permitted/,
    remedy: /runbook close; without one: runbook apply allow-allocation\.yaml/,
  },
  {
    it: 'replicas that no node can take',
    breakIt: (state) => void createIndex(state, 'lonely', { shards: 1, replicas: 3 }),
    finds: /^7\.yellow indexer-\d: indices want as many replicas as there are data nodes \(3\)/,
    evidence: /yellow\s+lonely/,
    remedy: /number_of_replicas/,
  },
  {
    it: 'a node that is away',
    breakIt: (state) => void stopService(state, hostOf(state, 'indexer-2'), INDEXER),
    finds: /^7\.indexer-start indexer-2: platform-indexer does not run .*inactive/,
    remedy: /systemctl start platform-indexer/,
  },
  {
    it: 'a package that is half configured',
    breakIt(state) {
      const entry = hostOf(state, 'indexer-3').packages[INDEXER];
      if (entry !== undefined) entry.status = 'iU';
    },
    finds: /^7\.component-fails indexer-3: platform-indexer 4\.14\.7-1: finish its half-done configuration/,
    remedy: /runbook resume .*runbook rollback/,
  },
  {
    it: 'components of two versions',
    breakIt(state) {
      const entry = hostOf(state, 'indexer-3').packages[INDEXER];
      if (entry !== undefined) entry.version = '4.12.0-1';
    },
    finds:
      /^7\.component-fails server-1: the central components do not have one version.*\(indexer-3: installed\.indexer is 4\.12\.0-1, not /,
    remedy: /do not continue with the next one/,
  },
  {
    it: 'a process that is older than its package',
    breakIt(state) {
      const entry = hostOf(state, 'dashboard-1').packages['platform-dashboard'];
      if (entry !== undefined) entry.changedAtMs = state.nowMs;
    },
    finds:
      /^7\.component-fails dashboard-1: a service did not start since its package changed.*needs_restart\.dashboard/,
    remedy: /runbook resume/,
  },
  {
    it: 'an older package on newer data',
    breakIt(state) {
      const node = state.cluster.nodes['indexer-2'];
      if (node !== undefined) node.dataVersion = '9.9.9';
      restart(state, 'indexer-2', INDEXER);
    },
    finds: /^7\.downgrade indexer-2: the installed indexer is older than the data/,
    evidence: /cannot downgrade a node from version \[9\.9\.9\]/,
    remedy: /runbook rollback/,
  },
  {
    it: 'one indexer below the floor beside newer ones',
    breakIt(state) {
      const entry = hostOf(state, 'indexer-1').packages[INDEXER];
      if (entry !== undefined) entry.version = '4.11.2-1';
    },
    finds: /^7\.downgrade indexer-1: a downgrade to 4\.11 or earlier is impossible/,
    remedy: /snapshot of §9\.3\.1/,
  },
];

describe('runbook diagnose finds', () => {
  test.each(CASES)('$it', async ({ breakIt, finds, evidence, remedy, from }) => {
    const { conditions, told } = await diagnose(breakIt, from === undefined ? {} : { from });
    const one = conditions
      .flatMap(({ spec, found }) => found.map((f) => ({ spec, ...f })))
      .find(({ spec, found, hosts }) => finds.test(`${spec ?? ''} ${hosts.join(', ')}: ${found.text}`));
    expect([told, one?.found.text !== undefined]).toEqual([told, true]);
    expect(one?.found.remedy).toMatch(remedy);
    if (evidence !== undefined) expect(one?.found.evidence.join('\n')).toMatch(evidence);
  });
});

test('of an upgrade that was interrupted: what is broken, and what the run keeps stopped, each with the way on', async () => {
  const stopped = await platform();
  stopped.state.faults.push({ fault: 'half-configured', host: 'indexer-3', package: INDEXER });
  expect((await stopped.run('apply')).end).toBe('failed');
  const { told, conditions } = await diagnose(undefined, {}, stopped.state);
  expect(told.map((t) => t.replace(/ \(.*$/, ''))).toEqual([
    '7.indexer-start indexer-3: platform-indexer does not run',
    '7.shipper-connect server-1, server-2: filebeat does not run',
    '7.dashboard-errors dashboard-1: platform-dashboard does not run',
    '7.yellow indexer-1: the cluster is red: 2 of 3 nodes are there',
    '7.yellow indexer-1: cluster.routing.allocation.enable was left at "primaries"',
    '7.component-fails indexer-3: platform-indexer 4.14.7-1: finish its half-done configuration',
    '7.component-fails server-1: the central components do not have one version',
  ]);
  const remedies = conditions.flatMap(({ found }) => found.map(({ found: f }) => f.remedy));
  expect(remedies.filter((remedy) => !/runbook (?:resume|release)|missing node/.test(remedy))).toEqual([]);
});

test('restricted allocation is what to restore first: no finding advises to wait for the shards', async () => {
  const { told } = await diagnose((state) => {
    state.cluster.persistent['cluster.routing.allocation.enable'] = 'primaries';
    const copy = shardsOf(state.cluster)[0]?.copies.find((c) => !c.primary);
    if (copy !== undefined) Object.assign(copy, { state: 'INITIALIZING', sinceMs: state.nowMs });
  });
  expect(told).toEqual([
    expect.stringContaining('7.yellow indexer-1: cluster.routing.allocation.enable was left at "primaries"'),
  ]);
});

describe('runbook diagnose finds nothing', () => {
  test.each(['4.7.5', '4.9.2', '4.11.2', '4.12.0', '4.13.1', '4.14.7'])('on a healthy platform of %s', async (from) => {
    const { told, notRun, conditions, ran } = await diagnose(undefined, { from });
    expect([told, notRun]).toEqual([[], 0]);
    expect(conditions.map((c) => c.spec)).toEqual([
      '7.indexer-start',
      '7.shipper-connect',
      '7.dashboard-errors',
      '7.agents-connect',
      '7.yellow',
      '7.component-fails',
      '7.downgrade',
    ]);
    expect(ran.end).toBe('done');
  });

  test('after a whole upgrade, though the managers logged errors on its way', async () => {
    const upgraded = await platform();
    expect((await upgraded.run('apply')).end).toBe('done');
    const { told, notRun } = await diagnose(undefined, {}, upgraded.state);
    expect([told, notRun]).toEqual([[], 0]);
  });

  test('below each threshold', async () => {
    const { told, notRun } = await diagnose((state) => {
      hostOf(state, 'indexer-1').disk.usedBytes = 94_000_000_000;
      edit(state, 'indexer-2', `${JVM}.bak`, () => '-Xms1g\n-Xmx1g\n');
      edit(state, 'indexer-2', JVM, (t) => `${t}\n-Xms9g\n-Xmx9g\n`);
      edit(state, 'server-1', '/var/platform/logs/platform.log', () => 'ERROR: of last week\n');
      createIndex(state, 'as many as there are', { shards: 1, replicas: 2 });
    });
    expect([told, notRun]).toEqual([[], 0]);
  });
});

describe('what cannot be looked at', () => {
  test('a kind of host that the inventory lacks is no condition to tell of', async () => {
    const { ran } = await diagnose();
    const without = ran.recorded.map((r) =>
      r.event.e === 'play-started' && r.event.spec === '7.dashboard-errors'
        ? {
            ...r,
            event: {
              e: 'play-skipped' as const,
              play: r.event.play,
              name: r.event.name,
              within: [],
              because: 'no host',
            },
          }
        : r,
    );
    expect(diagnosisOf(without).conditions.map((c) => c.spec)).toEqual([
      '7.indexer-start',
      '7.shipper-connect',
      '7.agents-connect',
      '7.yellow',
      '7.component-fails',
      '7.downgrade',
    ]);
  });

  test('an unreachable host is reported, and the rest is read', async () => {
    const { told, ran, notRun } = await diagnose((state) => {
      state.faults.push({ fault: 'unreachable', host: 'server-2' }, { fault: 'no-sudo', host: 'linux-1' });
      hostOf(state, 'indexer-1').disk.usedBytes = 99_000_000_000;
    });
    expect(told).toEqual([expect.stringMatching(/^7\.indexer-start indexer-1: the file system/)]);
    expect(notRun).toBe(2);
    const view = diagnosisView(ran.recorded, { color: false, width: 100 });
    expect(view).toContain(
      '? Shipper cannot connect to the indexer: nothing found in what was checked  §7.shipper-connect\n   ? server-2  not checked, see above\n',
    );
    expect(view).toContain('✓ Dashboard shows errors: nothing found');
    expect(view).toMatch(/1 found, 2 hosts not checked\. Nothing was changed\.$/);
    const lost = ran.events.flatMap((e) => (e.e === 'host-lost' ? [`${e.host} ${e.leftOut === true}`] : []));
    expect(lost.sort()).toEqual(['linux-1 true', 'server-2 true']);
  });

  test('no secret of a configuration is in what it tells', async () => {
    const { ran } = await diagnose((state) => {
      edit(state, 'server-2', SHIPPER, (t) => t.replaceAll(/10\.0\.0\.1\d/g, '10.9.9.9'));
      edit(
        state,
        'indexer-2',
        '/var/log/platform-indexer/platform-indexer.log',
        () => 'ERROR login password=hunter2hunter2 failed\n',
      );
      stopService(state, hostOf(state, 'indexer-2'), INDEXER);
    });
    const text = JSON.stringify(ran.events.filter((e) => e.e !== 'settled'));
    expect(text).toContain('ERROR login password=[hidden]');
    expect(text).not.toMatch(/hunter2|changeme-by-operator/);
    expect(JSON.stringify(ran.events)).not.toMatch(/hunter2|changeme-by-operator/);
  });

  test('it changes nothing', async () => {
    const parts = ({ hosts, cluster }: PlatformState): string => JSON.stringify([hosts, cluster]);
    let before = '';
    const { state, ran } = await diagnose((broken) => {
      restart(broken, 'indexer-2', INDEXER);
      before = parts(broken);
    });
    expect(parts(state) === before).toBe(true);
    expect(ran.events.filter((e) => e.e === 'intent' || (e.e === 'checked' && e.verdict === 'change'))).toEqual([]);
  });
});
