import { readFileSync } from 'node:fs';
import { createIndex } from '../../../engine/platforms/security-monitoring/simulator/documents.js';
import { putFile } from '../../../engine/simulator/files.js';
import {
  advance,
  startService,
  stopService,
} from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import { shardsOf } from '../../../engine/platforms/security-monitoring/simulator/shards.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { deepEqual, doesNotMatch, equal, hostOf, hostsOf, match, ok, textOf, unitOf } from '../look.js';
import { edit } from '../ours.js';
import { scenario, type Scenario } from '../scenario.js';
import type { Stage, Told as Ran } from '../stage.js';

const JVM = '/etc/platform-indexer/jvm.options';
const otherAuthority = readFileSync(new URL('../../language/fixtures/root-ca.pem', import.meta.url), 'utf8');
const LOG = '/var/log/platform-indexer/platform-indexer.log';
const SHIPPER = '/etc/filebeat/filebeat.yml';

interface Told {
  readonly lines: readonly string[];
  readonly evidence: string;
  /** What could not be looked at. */
  readonly undecided: readonly string[];
}

/** `7.yellow indexer-1: what was found | what to do`; and each finding with its evidence, \0 between them. */
async function diagnosis(
  stage: Stage,
  alter: (state: PlatformState) => unknown,
  from = '4.14.7',
  tags?: string,
): Promise<Told> {
  const p = await stage.platform({ from });
  alter(p.state);
  const before = JSON.stringify(p.state.hosts);
  const ran = await p.plan('diagnose.yaml', {
    options: { diagnosing: true, ...(tags === undefined ? {} : { tags: new Set([tags]) }) },
  });
  equal(JSON.stringify(p.state.hosts) === before, true);
  ok(ran.end === 'done' || p.state.faults.length > 0, ran.why);
  const found = ran.events.flatMap((e) => (e.e === 'found' ? [e] : []));
  return {
    lines: found.map((e) => `${e.spec ?? ''} ${'host' in e.task.on ? e.task.on.host : ''}: ${e.text} | ${e.remedy}`),
    undecided: ran.events.flatMap((e) => (e.e === 'undecided' ? [`${e.name}: ${e.because}`] : [])),
    evidence: found.map((e) => [e.name, ...e.evidence].join('\n')).join('\n\0\n'),
  };
}

/** Only this is found, with this evidence. */
const finding = (
  name: string,
  alter: (state: PlatformState) => unknown,
  finds: RegExp | readonly RegExp[],
  evidence?: RegExp,
): Scenario =>
  scenario(`diagnose: ${name}`, async (stage) => {
    const told = await diagnosis(stage, alter);
    for (const one of [finds].flat())
      ok(
        told.lines.some((line) => one.test(line)),
        `${String(one)} is not in ${told.lines.join('\n')}`,
      );
    deepEqual(
      told.lines.filter((line) => ![finds].flat().some((one) => one.test(line))),
      [],
    );
    if (evidence !== undefined) match(told.evidence, evidence);
  });

const restart = (state: PlatformState, name: string, unit: string): void => {
  stopService(state, hostOf(state, name), unit);
  advance(state, state.nowMs + 1_000);
  startService(state, hostOf(state, name), unit);
  advance(state, state.nowMs + 3_000);
};
/** It runs no more, and its journal says why. */
const ended = (state: PlatformState, name: string, unit: string): void => {
  stopService(state, hostOf(state, name), unit);
  unitOf(state, name, unit).journal.push('Main process exited, code=exited, status=1/FAILURE');
};
const stale =
  (host: string, name: string) =>
  (state: PlatformState): unknown =>
    Object.assign(hostOf(state, host).packages[name] ?? {}, { changedAtMs: state.nowMs });
const half =
  (host: string, name: string) =>
  (state: PlatformState): unknown =>
    Object.assign(hostOf(state, host).packages[name] ?? {}, { status: 'iU' });
const STATUS = ['analysisd', 'remoted', 'modulesd', 'db', 'execd', 'monitord', 'logcollector', 'syscheckd']
  .map((daemon) => `platform-${daemon} is running...\n`)
  .join('');
/** What a node that is away makes of the cluster: yellow, and no advice that is for another cause. */
const AWAY = /^7\.yellow indexer-1: the cluster is yellow, and shards are on their way: .* [1-9]\d* delayed/;
const replica = (state: PlatformState) => shardsOf(state.cluster)[0]?.copies.find((c) => !c.primary) ?? {};

export const diagnose: readonly Scenario[] = [
  ...['4.7.5', '4.9.2', '4.12.0', '4.14.7'].map((from) =>
    scenario(`diagnose: a platform of ${from} in order has nothing, and all of it was looked at`, async (stage) => {
      const told = await diagnosis(stage, () => undefined, from);
      deepEqual([told.lines, told.undecided], [[], []]);
    }),
  ),
  scenario('diagnose: nothing below each threshold', async (stage) => {
    const told = await diagnosis(stage, (s) => {
      hostOf(s, 'indexer-1').disk.usedBytes = 94_000_000_000;
      putFile(hostOf(s, 'indexer-1'), `${JVM}.bak`, { text: '-Xms1g\n-Xmx1g\n' }, 1);
      // Of an earlier start: it runs with the options that it has.
      unitOf(s, 'indexer-1', 'platform-indexer').journal.push('Unrecognized VM option');
      edit(s, 'indexer-2', JVM, (t) => `${t}\n-Xms9g\n-Xmx9g\n`);
      createIndex(s, 'as many as there are', { shards: 1, replicas: 2 });
    });
    deepEqual(told.lines, []);
  }),
  finding(
    'an indexer that ends at a Java option',
    (s) => {
      edit(s, 'indexer-2', JVM, () => '-Xms8g\n-Xmx8g\n-XX:+UseConcMarkSweepGC\n');
      restart(s, 'indexer-2', 'platform-indexer');
    },
    [/^7\.indexer-start indexer-2: platform-indexer does not run .*\| .*runbook resume/, AWAY],
    /Unrecognized VM option/,
  ),
  finding(
    'Java options that differ from the saved copy',
    (s) => {
      putFile(hostOf(s, 'indexer-2'), `${JVM}.bak`, { text: '-Xms8g\n-Xmx8g\n' }, 1);
      edit(s, 'indexer-2', JVM, () => '-Xms8g\n-Xmx8g\n-XX:+UseConcMarkSweepGC\n');
      restart(s, 'indexer-2', 'platform-indexer');
    },
    [
      /^7\.indexer-start indexer-2: platform-indexer does not run/,
      /^7\.indexer-start indexer-2: \S+jvm\.options differs from its saved copy.*\| .*cp -p/,
      AWAY,
    ],
    /^\+-XX:\+UseConcMarkSweepGC/m,
  ),
  finding(
    'an indexer that runs and is in no cluster',
    (s) => {
      Object.assign(s.cluster.nodes['indexer-3'] ?? {}, { joined: false });
    },
    /^7\.indexer-start indexer-3: platform-indexer runs, but indexer-3 is not in the node list/,
  ),
  finding(
    'heap lines that contradict one another',
    (s) => edit(s, 'indexer-3', JVM, (t) => t.replace('-Xmx8g', '-Xmx4g')),
    /^7\.indexer-start indexer-3: the heap lines contradict/,
    /-Xms8g\n-Xmx4g/,
  ),
  finding(
    'a disk at the watermark',
    (s) => (hostOf(s, 'indexer-1').disk.usedBytes = 95_500_000_000),
    /^7\.indexer-start indexer-1: the file system .* is 96 % full/,
    /96%/,
  ),
  finding(
    'data that belongs to another user',
    (s) => Object.assign(hostOf(s, 'indexer-1').files['/var/lib/platform-indexer'] ?? {}, { owner: 'root' }),
    /^7\.indexer-start indexer-1: files in .*\| chown -R/,
    /root:platform-indexer/,
  ),
  finding('a node that is away', (s) => stopService(s, hostOf(s, 'indexer-2'), 'platform-indexer'), [
    /^7\.indexer-start indexer-2: platform-indexer does not run/,
    AWAY,
  ]),
  finding(
    'a directory deep in the data that its user cannot enter',
    (s) => {
      const deep = '/var/lib/platform-indexer/nodes/0/indices/abc/0/index';
      putFile(hostOf(s, 'indexer-1'), `${deep}/segments_1`, { text: '', owner: 'platform-indexer' }, 1);
      for (const [path, entry] of Object.entries(hostOf(s, 'indexer-1').files))
        if (path.startsWith('/var/lib/platform-indexer/nodes'))
          Object.assign(entry, { owner: 'platform-indexer', ...(path === deep ? { mode: '0600' } : {}) });
    },
    /^7\.indexer-start indexer-1: files in .* or it cannot write or enter them .*\| .*chmod -R u\+rwX/,
    /^drw-------.*\/0\/index$/m,
  ),
  finding(
    'a node that is away, its Java options as they were saved',
    (s) => {
      putFile(hostOf(s, 'indexer-2'), `${JVM}.bak`, { text: textOf(s, 'indexer-2', JVM) ?? '' }, 1);
      stopService(s, hostOf(s, 'indexer-2'), 'platform-indexer');
    },
    [/^7\.indexer-start indexer-2: platform-indexer does not run/, AWAY],
  ),
  finding(
    'a node that left the cluster, with what its log says',
    (s) => {
      Object.assign(s.cluster.nodes['indexer-3'] ?? {}, { joined: false });
      putFile(hostOf(s, 'indexer-3'), LOG, { text: '[INFO] ours\n[WARN] master not discovered\n' }, 1);
    },
    /^7\.indexer-start indexer-3: platform-indexer runs, but/,
    /^\[WARN\] master not discovered$/m,
  ),
  finding(
    'a shipper that does not run',
    (s) => ended(s, 'server-2', 'filebeat'),
    /^7\.shipper-connect server-2: filebeat does not run/,
    /code=exited/,
  ),
  finding(
    'a shipper of another version',
    (s) => Object.assign(hostOf(s, 'server-2').packages['filebeat'] ?? {}, { version: '7.9.0-1' }),
    /^7\.shipper-connect server-2: shipper 7\.9\.0-1 is installed; .* on 7\.10\.2 .*\| set shipper: install/,
  ),
  finding(
    'a shipper whose configuration others can write',
    (s) => Object.assign(hostOf(s, 'server-1').files[SHIPPER] ?? {}, { mode: '0620' }),
    [/^7\.shipper-connect server-1: \S+filebeat\.yml can be written by others/, /^7\.shipper-connect/],
    /-rw--w----/,
  ),
  finding(
    'a shipper whose hosts do not answer',
    (s) => edit(s, 'server-2', SHIPPER, (t) => t.replaceAll(/10\.0\.0\.1\d/g, '10.9.9.9')),
    /^7\.shipper-connect server-2: .*test output does not reach/,
    /connection refused[\s\S]*10\.9\.9\.9/,
  ),
  finding(
    'an authority that is not where the shipper looks for it',
    (s) => edit(s, 'server-1', SHIPPER, (t) => t.replace('certs/root-ca.pem', 'certs/ca.pem')),
    [/^7\.shipper-connect server-1: \/etc\/filebeat\/certs\/ca\.pem, .* is not there/, /^7\.shipper-connect server-1/],
  ),
  finding(
    'a key that the shipper does not have',
    (s) => {
      own(s);
      Reflect.deleteProperty(hostOf(s, 'server-1').files, '/etc/filebeat/certs/server-1-key.pem');
    },
    /^7\.shipper-connect server-1: there is no key/,
    /Shipper key and certificate match\n[^\0]*subject=/,
  ),
  finding(
    'a certificate that another authority signed',
    (s) => {
      own(s);
      edit(s, 'server-1', '/etc/filebeat/certs/root-ca.pem', () => otherAuthority);
    },
    [
      /^7\.shipper-connect server-1: \S+server-1\.pem is not signed by \S+root-ca\.pem/,
      /^7\.shipper-connect server-1: \S+ test output does not reach an indexer/,
    ],
    /subject=[\s\S]*subject=/,
  ),
  scenario('diagnose: a shipper that names no certificates is asked for none', async (stage) => {
    const told = await diagnosis(stage, (s) =>
      edit(s, 'server-1', SHIPPER, (t) => t.replaceAll(/^\s*(output\.elasticsearch\.)?ssl\..*\n/gm, '')),
    );
    deepEqual(told.lines, []);
  }),
  ...['certificate', 'certificate_authorities'].map((key) =>
    scenario(`diagnose: a shipper that names no ${key} is not asked who signed what`, async (stage) => {
      const told = await diagnosis(stage, (s) => {
        own(s);
        edit(s, 'server-1', SHIPPER, (t) =>
          t.replaceAll(new RegExp(`^\\s*(output\\.elasticsearch\\.)?ssl\\.${key}:.*\\n`, 'gm'), ''),
        );
      });
      deepEqual(
        told.lines.filter((line) => line.includes('is not signed by')),
        [],
      );
    }),
  ),
  finding(
    'a dashboard that does not run',
    (s) => ended(s, 'dashboard-1', 'platform-dashboard'),
    /^7\.dashboard-errors dashboard-1: platform-dashboard does not run/,
    /code=exited/,
  ),
  finding(
    'a dashboard whose certificate has another name now',
    (s) =>
      edit(s, 'dashboard-1', '/etc/platform-dashboard/dashboard.yml', (t) => t.replace('dashboard.pem', 'dash.pem')),
    /^7\.dashboard-errors dashboard-1: there is no certificate at \S+dash\.pem/,
  ),
  finding(
    'a dashboard’s key that it cannot read',
    (s) =>
      Object.assign(hostOf(s, 'dashboard-1').files['/etc/platform-dashboard/certs/dashboard-key.pem'] ?? {}, {
        owner: 'root',
        mode: '0400',
      }),
    /^7\.dashboard-errors dashboard-1: .*read/,
  ),
  finding(
    'a dashboard that is not ready',
    (s) => {
      Object.assign(unitOf(s, 'dashboard-1', 'platform-dashboard'), { readyAtMs: s.nowMs + 3_600_000 });
      unitOf(s, 'dashboard-1', 'platform-dashboard').journal.push('server is not ready yet');
    },
    /^7\.dashboard-errors dashboard-1: its status page/,
    /Status page reports available[^\0]*not ready yet/,
  ),
  finding(
    'an agent newer than the manager',
    (s) => {
      s.management = {
        ...s.management,
        agents: s.management.agents.map((a) => (a.name === 'linux-1' ? { ...a, version: '4.15.0' } : a)),
      };
    },
    /^7\.agents-connect server-1: 1 agent newer than 4\.14\.7: .*linux-1/,
  ),
  finding(
    'an agent that does not run, with what the manager says of it',
    (s) => {
      ended(s, 'linux-2', 'platform-agent');
      edit(s, 'server-1', '/var/platform/logs/platform.log', () => 'INFO: ours\n2026 ERROR: Duplicate agent name\n');
    },
    [
      /^7\.agents-connect server-1: 1 of the agents are disconnected/,
      /^7\.agents-connect linux-2: platform-agent does not run/,
    ],
    /linux-2 \S*4\.14\.7 disconnected[\s\S]*Duplicate agent[\s\S]*code=exited/,
  ),
  finding(
    'a management API whose daemons are not ready',
    (s) => {
      unitOf(s, 'server-1', 'platform-manager').readyAtMs = s.nowMs + 60_000;
      edit(s, 'server-1', '/var/platform/logs/platform.log', () => 'ERROR: analysisd starts slowly\n');
    },
    /^7\.agents-connect server-1: the management API does not answer.*1017.*\| .*wait a minute; if it lasts/,
    /Management API responds\n[^\0]*starts slowly/,
  ),
  finding(
    'a management API that does not answer',
    (s) => ended(s, 'server-1', 'platform-manager'),
    [
      /^7\.agents-connect server-1: platform-manager does not run/,
      /^7\.agents-connect server-1: the management API does not answer.*\| .*endpoints\.api/,
    ],
    /Management API responds\n[^\0]*not running/,
  ),
  finding(
    'a daemon that is dead beside a healthy one, for it cannot read its file',
    (s) => {
      Object.assign(hostOf(s, 'server-1').files['/var/platform/etc/platform.conf'] ?? {}, {
        owner: 'root',
        group: 'root',
      });
      s.faults.push({
        ...{ fault: 'program', host: 'server-1', program: 'platform-control', exit: 1 },
        stdout: STATUS.replace('-db is running', '-db not running'),
      });
    },
    /^7\.agents-connect server-1: platform-manager does not run, or its daemons do not/,
    /^platform-db not running[\s\S]*root:root \/var\/platform\/etc\/platform\.conf/m,
  ),
  finding(
    'agents that a 4.14 server does not manage',
    (s) => {
      const agents = s.management.agents.map((a) => (a.name === 'linux-1' ? { ...a, version: '4.8.2' } : a));
      s.management = { ...s.management, agents };
    },
    /^7\.agents-connect server-1: 1 of 2 agents are below 4\.9, .*\| upgrade the package/,
    /001 linux-1/,
  ),
  ...['server-1', 'server-2'].map((host) =>
    finding(
      `daemons that died on ${host}`,
      (s) => {
        s.faults.push({ fault: 'dead-daemons', host, unit: 'platform-manager' });
        restart(s, host, 'platform-manager');
      },
      [
        new RegExp(`^7\\.agents-connect ${host}: platform-manager does not run, or its daemons do not`),
        /^7\.agents-connect/,
      ],
      /not running/,
    ),
  ),
  ...['server-1', 'server-2'].map((host) =>
    finding(
      `one daemon that does not run on ${host}`,
      (s) =>
        s.faults.push({
          fault: 'program',
          host,
          program: 'platform-control',
          exit: 1,
          stdout: 'platform-analysisd not running...\nplatform-remoted is running...\n',
        }),
      new RegExp(`^7\\.agents-connect ${host}: platform-manager does not run, or its daemons do not`),
      /Manager is running\n[^\0]*analysisd not running/,
    ),
  ),
  finding(
    'a manager that does not run',
    (s) => stopService(s, hostOf(s, 'server-2'), 'platform-manager'),
    /^7\.agents-connect server-2: platform-manager does not run/,
  ),
  finding(
    'shards on their way',
    (s) => {
      Object.assign(replica(s), { state: 'INITIALIZING', sinceMs: s.nowMs });
      // Another one waits its turn, which is no finding of its own.
      Object.assign(shardsOf(s.cluster)[1]?.copies.find((c) => !c.primary) ?? {}, {
        ...{ state: 'UNASSIGNED', host: null, sinceMs: s.nowMs },
      });
    },
    /^7\.yellow indexer-1: the cluster is yellow, and shards are on their way: 1 initializing/,
    /INITIALIZING/,
  ),
  finding(
    'a red cluster',
    (s) => {
      for (const copy of shardsOf(s.cluster)[0]?.copies ?? [])
        Object.assign(copy, { state: 'UNASSIGNED', host: null, sinceMs: s.nowMs });
    },
    [
      /^7\.yellow indexer-1: the cluster is red: 3 of 3 nodes are there/,
      /^7\.dashboard-errors dashboard-1: its status page/,
    ],
    /\sp\s+UNASSIGNED/,
  ),
  finding(
    'a red cluster with an initializing shard: only the missing primary is reported',
    (s) => {
      const [first, second] = shardsOf(s.cluster);
      for (const copy of first?.copies ?? [])
        Object.assign(copy, { state: 'UNASSIGNED', host: null, sinceMs: s.nowMs });
      Object.assign(second?.copies.find((c) => !c.primary) ?? {}, { state: 'INITIALIZING', sinceMs: s.nowMs });
    },
    [/^7\.yellow indexer-1: the cluster is red/, /^7\.dashboard-errors dashboard-1: its status page/],
  ),
  scenario('diagnose: a transient allocation of all is none that was left', async (stage) => {
    const told = await diagnosis(stage, (s) => (s.cluster.transient['cluster.routing.allocation.enable'] = 'all'));
    deepEqual(told.lines, []);
  }),
  scenario('diagnose: an indexer that runs is not judged by what its log said long ago', async (stage) => {
    const told = await diagnosis(stage, (s) => {
      putFile(hostOf(s, 'indexer-2'), LOG, { text: 'IllegalStateException: cannot downgrade a node\n' }, 1);
    });
    deepEqual(told.lines, []);
  }),
  scenario('diagnose: 4.12 is no older format than 4.14, and 4.11 is', async (stage) => {
    const told = await diagnosis(
      stage,
      (s) => Object.assign(hostOf(s, 'indexer-1').packages['platform-indexer'] ?? {}, { version: '4.11.2-1' }),
      '4.12.0',
    );
    match(told.lines.join('\n'), /^7\.downgrade indexer-1: a downgrade to 4\.11/m);
  }),
  finding(
    'an indexer whose log says that the version of the data is not supported',
    (s) => {
      ended(s, 'indexer-2', 'platform-indexer');
      putFile(hostOf(s, 'indexer-2'), LOG, { text: 'IllegalStateException: index version not supported\n' }, s.nowMs);
    },
    [/^7\.downgrade indexer-2: /, /^7\.indexer-start indexer-2: platform-indexer does not run/, AWAY],
    /not older than the data[^\0]*version not supported/,
  ),
  finding(
    'a cluster that does not answer',
    (s) => {
      for (const { name } of hostsOf(s, 'indexer')) stopService(s, hostOf(s, name), 'platform-indexer');
    },
    [
      /^7\.indexer-start indexer-\d: platform-indexer does not run/,
      /^7\.shipper-connect server-\d: \S+ test output does not reach an indexer/,
      /^7\.dashboard-errors dashboard-1: its status page/,
      /^7\.yellow indexer-1: the indexers do not report the health of the cluster/,
    ],
  ),
  finding(
    'allocation left at primaries',
    (s) => {
      s.cluster.persistent['cluster.routing.allocation.enable'] = 'primaries';
      Object.assign(replica(s), { state: 'UNASSIGNED', host: null, sinceMs: s.nowMs });
    },
    /^7\.yellow indexer-1: cluster\.routing\.allocation\.enable was left at "primaries"/,
    /UNASSIGNED[\s\S]*allocation is not permitted/,
  ),
  finding(
    'a transient allocation',
    (s) => (s.cluster.transient['cluster.routing.allocation.enable'] = 'none'),
    /^7\.yellow indexer-1: .*transient: none/,
  ),
  finding(
    'replicas that no node can take',
    (s) => createIndex(s, 'lonely', { shards: 1, replicas: 3 }),
    /^7\.yellow indexer-1: indices want as many replicas as there are data nodes \(3\)/,
    /yellow\s+lonely/,
  ),
  finding(
    'a system index whose replicas no node can take',
    (s) => createIndex(s, '.opendistro_security', { shards: 1, replicas: 3 }),
    /^7\.yellow indexer-1: system indices want as many replicas as there are data nodes \(3\).*\| no data is lost/,
    /yellow\s+\.opendistro_security/,
  ),
  finding(
    'a shard that is nowhere for another reason',
    (s) => {
      Object.assign(replica(s), { state: 'UNASSIGNED', host: null, sinceMs: s.nowMs });
    },
    /^7\.yellow indexer-1: the cluster is yellow: 1 shards are placed nowhere/,
    /All replicas are assigned[^\0]*\sr\s+UNASSIGNED/,
  ),
  ...(
    [
      ['indexer-3', 'platform-indexer', 'indexer'],
      ['server-2', 'platform-manager', 'manager'],
      ['server-2', 'filebeat', 'shipper'],
      ['dashboard-1', 'platform-dashboard', 'dashboard'],
      ['linux-2', 'platform-agent', 'agent'],
    ] as const
  ).flatMap(([host, name, component]) => [
    finding(`a ${name} that is half configured`, half(host, name), [
      new RegExp(`^7\\.component-fails ${host}: ${name} \\S+: finish its half-done configuration`),
      /^7\.component-fails/,
    ]),
    finding(
      `a ${name} whose process is older than its package`,
      stale(host, name),
      new RegExp(`^7\\.component-fails ${host}: a service did not start since .*needs_restart\\.${component}`),
    ),
    scenario(`diagnose: a ${name} that does not run is not said to run its version before`, async (stage) => {
      const told = await diagnosis(stage, (s) => {
        stale(host, name)(s);
        stopService(s, hostOf(s, host), name);
      });
      ok(told.lines.some((line) => line.includes(`${name} does not run`)));
      doesNotMatch(told.lines.join('\n'), /did not start since/);
    }),
    scenario(`diagnose: a ${name} that is not installed is not said to be half configured`, async (stage) => {
      const told = await diagnosis(stage, (s) => Reflect.deleteProperty(hostOf(s, host).packages, name));
      doesNotMatch(told.lines.join('\n'), new RegExp(`component-fails ${host}: (?!the central)`));
      deepEqual(
        told.undecided.filter((line) => line.includes('is fully installed')),
        [],
      );
    }),
  ]),
  ...(
    [
      ['server-1', 'indexer-3', 'platform-indexer'],
      ['indexer-1', 'server-2', 'platform-manager'],
      ['indexer-1', 'server-2', 'filebeat'],
      ['linux-1', 'dashboard-1', 'platform-dashboard'],
      ['indexer-1', 'linux-2', 'platform-agent'],
    ] as const
  ).map(([host, origin, name]) =>
    scenario(`diagnose: a ${name} of the operator’s own, on ${host}, need not have restarted`, async (stage) => {
      const told = await diagnosis(stage, (s) => {
        const { packages, services } = structuredClone(hostOf(s, origin));
        Object.assign(hostOf(s, host).packages, { [name]: packages[name] });
        Object.assign(hostOf(s, host).services, { [name]: services[name] });
        stale(host, name)(s);
      });
      deepEqual(told.lines, []);
    }),
  ),
  ...(
    [
      ['indexer-3', 'platform-indexer'],
      ['server-2', 'platform-manager'],
      ['dashboard-1', 'platform-dashboard'],
    ] as const
  ).map(([host, name]) =>
    finding(
      `components of two versions (${name})`,
      (s) => Object.assign(hostOf(s, host).packages[name] ?? {}, { version: '4.12.0-1' }),
      /^7\.component-fails server-1: the central components do not have one version/,
    ),
  ),
  finding(
    'an older package on newer data',
    (s) => {
      Object.assign(s.cluster.nodes['indexer-2'] ?? {}, { dataVersion: '9.9.9' });
      restart(s, 'indexer-2', 'platform-indexer');
    },
    [
      /^7\.downgrade indexer-2: the installed indexer is older than the data/,
      /^7\.indexer-start indexer-2: platform-indexer does not run/,
      AWAY,
    ],
    /not older than the data[^\0]*cannot downgrade a node/,
  ),
  finding(
    'one indexer below the floor beside newer ones',
    (s) => Object.assign(hostOf(s, 'indexer-1').packages['platform-indexer'] ?? {}, { version: '4.11.2-1' }),
    [/^7\.downgrade indexer-1: a downgrade to 4\.11/, /^7\.component-fails server-1/],
  ),
  ...(
    [
      ['indexer-1', 0],
      ['server-1', 2],
      ['server-2', 0],
      ['dashboard-1', 1],
      ['linux-1', 0],
    ] as const
  ).map(([host, without]) =>
    scenario(`diagnose: run as a playbook, it goes on when ${host} cannot be reached`, async (stage) => {
      const p = await stage.platform({ from: '4.14.7' });
      const whole = await p.plan('diagnose.yaml');
      p.state.faults.push({ fault: 'unreachable', host });
      const ran = await p.plan('diagnose.yaml');
      equal(playsOf(ran).size, playsOf(whole).size - without);
    }),
  ),
  scenario('diagnose: after a run that stopped the services, none of them is a finding', async (stage) => {
    const p = await stage.platform({ from: '4.14.7' });
    for (const [host, unit] of STOPPED) stopService(p.state, hostOf(p.state, host), unit);
    const without = async (tag: string): Promise<number> => {
      const options = { diagnosing: true, skipTags: new Set([tag]) } as const;
      const { events } = await p.plan('diagnose.yaml', { options });
      return events.filter((e) => e.e === 'found' && /^\S+ does not run/.test(e.text)).length;
    };
    deepEqual([await without('none'), await without('running')], [STOPPED.length, 0]);
  }),
  scenario('diagnose: each tag alone goes on when a host cannot be reached', async (stage) => {
    for (const tag of ['indexer', 'shipper', 'dashboard', 'agents', 'cluster', 'component', 'downgrade']) {
      const p = await stage.platform({ from: '4.14.7' });
      const options = { tags: new Set([tag]) } as const;
      const whole = await p.plan('diagnose.yaml', { options });
      for (const host of ['indexer-3', 'server-2', 'linux-2']) p.state.faults.push({ fault: 'unreachable', host });
      equal(playsOf(await p.plan('diagnose.yaml', { options })).size, playsOf(whole).size, tag);
    }
  }),
  scenario('diagnose: a host that cannot be reached is left out, and the others are looked at', async (stage) => {
    const told = await diagnosis(stage, (s) => {
      s.faults.push(
        { fault: 'unreachable', host: 'server-2' },
        { fault: 'unreachable', host: 'indexer-3' },
        { fault: 'unreachable', host: 'linux-1' },
      );
      hostOf(s, 'indexer-1').disk.usedBytes = 99_000_000_000;
      stopService(s, hostOf(s, 'linux-2'), 'platform-agent');
    });
    match(told.lines.join('\n'), /^7\.indexer-start indexer-1: the file system/m);
    match(told.lines.join('\n'), /linux-2: platform-agent does not run/);
  }),
  scenario('diagnose: a Windows host is asked for no unit', async (stage) => {
    const p = await stage.platform({ from: '4.14.7' }, (project) => {
      const [one] = project.inventory.hosts;
      const pc = { ...one, name: 'pc', address: '10.0.0.99', roles: ['windows_agent'] } as typeof one & object;
      return { ...project, inventory: { ...project.inventory, hosts: [...project.inventory.hosts, pc] } };
    });
    const ran = await p.plan('diagnose.yaml', { options: { diagnosing: true } });
    deepEqual([ran.end, ran.events.filter((e) => e.e === 'found').length], ['done', 0]);
    deepEqual(
      ran.events.filter(
        (e) => (e.e === 'settled' || e.e === 'undecided') && 'host' in e.task.on && e.task.on.host === 'pc',
      ),
      [],
    );
  }),
  scenario(
    'diagnose: in the middle of an upgrade two versions and a held allocation are no findings',
    async (stage) => {
      const p = await stage.platform({ from: '4.14.7', at: { 'dashboard-1': '4.13.1' } });
      p.state.cluster.persistent['cluster.routing.allocation.enable'] = 'primaries';
      const foundIn = async (skipTags: readonly string[]): Promise<number> => {
        const options = { diagnosing: true, skipTags: new Set(skipTags) } as const;
        return (await p.plan('diagnose.yaml', { options })).events.filter((e) => e.e === 'found').length;
      };
      deepEqual([await foundIn([]), await foundIn(['at-rest'])], [2, 0]);
    },
  ),
  ...(
    [
      ['indexer', /indexer-start/, 1],
      ['shipper', /shipper-connect/, 1],
      ['dashboard', /dashboard-errors/, 1],
      ['agents', /agents-connect/, 3],
      ['manager', /agents-connect server-2/, 1],
      ['agent', /agents-connect linux-2/, 1],
      ['cluster', /yellow/, 1],
      ['component', /component-fails/, 2],
      ['downgrade', /downgrade/, 1],
    ] as const
  ).map(([tag, spec, finds]) =>
    scenario(`diagnose: --tags ${tag} looks at that alone`, async (stage) => {
      const told = await diagnosis(stage, broken, '4.14.7', tag);
      deepEqual([told.lines.length, told.lines.filter((line) => !spec.test(line))], [finds, []]);
    }),
  ),
];

/** The plays of which a step looked at a host. */
const playsOf = (ran: Ran): ReadonlySet<string> =>
  new Set(ran.events.flatMap((e) => (e.e === 'settled' ? [e.task.step.replace(/\/[^/]*$/, '')] : [])));

const STOPPED = [
  ['indexer-2', 'platform-indexer'],
  ['server-2', 'filebeat'],
  ['server-2', 'platform-manager'],
  ['dashboard-1', 'platform-dashboard'],
  ['linux-2', 'platform-agent'],
] as const;

/** Something of every condition. */
function broken(s: PlatformState): void {
  hostOf(s, 'indexer-1').disk.usedBytes = 95_500_000_000;
  stopService(s, hostOf(s, 'server-2'), 'filebeat');
  stopService(s, hostOf(s, 'dashboard-1'), 'platform-dashboard');
  stopService(s, hostOf(s, 'linux-2'), 'platform-agent');
  stopService(s, hostOf(s, 'server-2'), 'platform-manager');
  s.cluster.persistent['cluster.routing.allocation.enable'] = 'primaries';
  Object.assign(hostOf(s, 'indexer-3').packages['platform-indexer'] ?? {}, { version: '4.11.0-1' });
  half('server-2', 'filebeat')(s);
}

function own(s: PlatformState): void {
  const lines =
    '  ssl.certificate: /etc/filebeat/certs/server-1.pem\n  ssl.key: /etc/filebeat/certs/server-1-key.pem\n';
  edit(s, 'server-1', SHIPPER, (t) =>
    t.includes('ssl.key') ? t : t.replace('  ssl.certificate_auth', `${lines}  ssl.certificate_auth`),
  );
}
