import { describe, expect, test } from '@jest/globals';
import type {
  HostState,
  PlatformState,
  ServiceEntry,
} from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { hintText } from '../../../engine/terms/hint.js';
import type { Event } from '../../../engine/terms/event.js';
import type { Project } from '../../../engine/language/project.js';
import type { Ran } from '../../run/bench-hosts.js';
import { platform } from '../platform-bench.js';

const refusals = (events: readonly Event[]): readonly string[] =>
  events.flatMap((e) => (e.e === 'settled' && (e.as === 'blocked' || e.as === 'failed') ? [e.reason ?? ''] : []));
const warnings = (events: readonly Event[]): string =>
  events.flatMap((e) => (e.e === 'warned' ? [`${e.text} ${hintText(e.hint ?? '')}`] : [])).join('\n');

/** What a plan refuses and warns of on a platform that was altered so. */
async function planned(alter: (state: PlatformState) => void): Promise<{ refused: readonly string[]; warned: string }> {
  const { run, state } = await platform();
  alter(state);
  const { events } = await run('plan');
  return { refused: refusals(events), warned: warnings(events) };
}
const at = (state: PlatformState, host: string): HostState => {
  const found = state.hosts[host];
  if (found === undefined) throw new Error(`no host ${host}`);
  return found;
};
const leave = (state: PlatformState, host: string, freeBytes: number): void => {
  const { disk } = at(state, host);
  disk.usedBytes = disk.totalBytes - freeBytes;
};
const shards = (state: PlatformState, limit: number): void => {
  state.cluster.persistent['cluster.max_shards_per_node'] = String(limit);
};
const openShards = (state: PlatformState): number =>
  Object.values(state.cluster.indices).flatMap((i) => i.shards.flatMap((s) => s.copies)).length;
const unit = (): ServiceEntry => ({
  active: 'active',
  enabled: true,
  startedAtMs: 1,
  needsReload: false,
  starts: 1,
  processes: 1,
  readyAtMs: 1,
  runs: '',
  journal: [],
});
const mount = (state: PlatformState, options: string): void => {
  const mounts = at(state, 'server-1').files['/proc/mounts'];
  if (mounts !== undefined) mounts.text = `/dev/vda / ext4 rw 0 0\ntmpfs /tmp tmpfs ${options} 0 0\n`;
};
const plugin = (state: PlatformState, name: string, engine: string): void => {
  at(state, 'indexer-2').files[`/usr/share/platform-indexer/plugins/${name}/plugin-descriptor.properties`] = {
    type: 'file',
    text: `name=${name}\nopensearch.version=${engine}\n`,
    encoding: 'utf8',
    owner: 'root',
    group: 'root',
    mode: '0644',
    changedAtMs: 1,
  };
};
const dashboardPlugin = (state: PlatformState, name: string, engine: string): void => {
  at(state, 'dashboard-1').files[`/usr/share/platform-dashboard/plugins/${name}/opensearch_dashboards.json`] = {
    type: 'file',
    text: JSON.stringify({ id: name, version: '1.0.0', opensearchDashboardsVersion: engine }),
    encoding: 'utf8',
    owner: 'root',
    group: 'root',
    mode: '0644',
    changedAtMs: 1,
  };
};

describe('a platform in good order', () => {
  test('is neither refused nor warned about', async () => {
    expect(await planned(() => undefined)).toEqual({
      refused: [],
      warned: expect.not.stringMatching(/\bonly\b.*free|clock|shards are in use|noexec|polic/) as unknown,
    });
  });
});

describe('refused before the first change', () => {
  test.each<readonly [string, (state: PlatformState) => void, RegExp]>([
    ['a full disk', (s) => leave(s, 'dashboard-1', 2_999_999_999), /only 2\.9 GB are free where \/ is/],
    [
      'a flooded disk',
      (s) => leave(s, 'indexer-3', 5_000_000_000),
      /indexer-3 \(95 % used\) is over the flood-stage watermark/,
    ],
    ['too many shards', (s) => shards(s, Math.floor(openShards(s) / 3)), /shards are in use: 98 % are too many/],
    [
      'a plug-in of no package',
      (s) => plugin(s, 'ours', '2.19.1'),
      /plug-in ours \(for 2\.19\.1\) came with no package/,
    ],
    [
      'a plug-in for another engine',
      (s) => plugin(s, 'ours', '2.11.0'),
      /plug-in ours \(for 2\.11\.0\) was built for another engine/,
    ],
    [
      "a dashboard's plug-in of no package",
      (s) => dashboardPlugin(s, 'ours', '2.19.1'),
      /plug-in ours \(for 2\.19\.1\) came with no package, so platform-dashboard's upgrade/,
    ],
    [
      "a dashboard's plug-in for another engine",
      (s) => dashboardPlugin(s, 'ours', '2.11.0'),
      /plug-in ours \(for 2\.11\.0\) was built for another engine than 2\.19\.1: the dashboard does not start/,
    ],
    [
      "an indexer's certificate that is not there",
      (s) => Reflect.deleteProperty(at(s, 'indexer-2').files, '/etc/platform-indexer/certs/indexer.pem'),
      /there is no certificate at \/etc\/platform-indexer\/certs\/indexer\.pem/,
    ],
    [
      "a shipper's key that is not there",
      (s) => Reflect.deleteProperty(at(s, 'server-2').files, '/etc/filebeat/certs/server-2-key.pem'),
      /there is no key at \/etc\/filebeat\/certs\/server-2-key\.pem/,
    ],
    ['a clock far off', (s) => (at(s, 'server-2').clockSkewMs = 200_000), /3 min 20 s ahead of the controller's/],
  ])('%s', async (_, alter, reason) => {
    const { refused } = await planned(alter);
    expect(refused).toEqual([expect.stringMatching(reason)]);
  });
});

describe('warned about', () => {
  test.each<readonly [string, (state: PlatformState) => void, RegExp]>([
    [
      'a disk with little room',
      (s) => leave(s, 'server-1', 9_999_999_999),
      /only 9\.9 GB are free where \/ is: below 10 GB/,
    ],
    ['many shards', (s) => shards(s, Math.ceil(openShards(s) / 3 / 0.9)), /shards are in use/],
    ['a clock that is off', (s) => (at(s, 'server-2').clockSkewMs = -60_000), /the clock is 1 min( \d s)? behind/],
    ['/tmp without execution', (s) => mount(s, 'rw,nosuid,noexec,relatime'), /\/tmp is mounted noexec/],
    ['index policies', (s) => s.cluster.policies.push('rollover'), /policies manage indices/],
    [
      'a snapshot under way',
      (s) => {
        s.cluster.repositories['nightly'] = {
          type: 'fs',
          location: '/mnt/x',
          snapshots: [
            { name: 'n1', indices: [], shards: 1, failedShards: 0, startMs: s.nowMs, endMs: s.nowMs + 3_600_000 },
          ],
        };
      },
      /a snapshot is being made/,
    ],
  ])('%s, and not refused', async (_, alter, text) => {
    const { refused, warned } = await planned(alter);
    expect([refused, warned]).toEqual([[], expect.stringMatching(text)]);
  });
});

describe('units that upgrade packages or start what is stopped', () => {
  const pausing = (p: Project): Project => ({ ...p, extraVars: { disturbing_units: 'pause' } });

  test('are named by plan and run, and left alone where the inventory says nothing', async () => {
    const { run, state } = await platform();
    at(state, 'indexer-1').services['apt-daily-upgrade.timer'] = unit();
    Object.assign(at(state, 'server-1').services, { puppet: unit(), 'salt-minion': unit() });
    const told = ({ events }: Ran): readonly string[] =>
      warnings(events)
        .split('\n')
        .filter((text) => text.includes('may upgrade packages or start services'))
        .sort();
    const NAMED = [
      expect.stringMatching(/^indexer-1: apt-daily-upgrade\.timer may upgrade.*disturbing_units: pause/),
      expect.stringMatching(/^server-1: puppet\.service, salt-minion\.service may upgrade/),
    ];
    expect(told(await run('plan'))).toEqual(NAMED);
    const ran = await run('apply', {
      on: (_, now) => {
        expect(at(now, 'indexer-1').services['apt-daily-upgrade.timer']?.active).toBe('active');
        expect(at(now, 'server-1').services['puppet']?.active).toBe('active');
      },
    });
    expect([ran.end, told(ran)]).toEqual(['done', NAMED]);
  });

  test('are paused for the run and started again at its end where the inventory says so', async () => {
    const { run, state } = await platform({}, pausing);
    at(state, 'indexer-1').services['apt-daily-upgrade.timer'] = unit();
    at(state, 'server-1').services['puppet'] = unit();
    const during = new Set<string | undefined>();
    const ran = await run('apply', {
      on: ({ event }, now) => {
        if (event.e === 'intent' && event.name === 'Stop the indexer')
          during.add(
            `${at(now, 'indexer-1').services['apt-daily-upgrade.timer']?.active ?? ''} ${at(now, 'server-1').services['puppet']?.active ?? ''}`,
          );
      },
    });
    expect([ran.end, refusals(ran.events), [...during]]).toEqual(['done', [], ['inactive inactive']]);
    expect([
      at(state, 'indexer-1').services['apt-daily-upgrade.timer']?.active,
      at(state, 'server-1').services['puppet']?.active,
    ]).toEqual(['active', 'active']);
  });

  test('one that is paused and started again meanwhile stops the run before the next node', async () => {
    const { run, state } = await platform({}, pausing);
    at(state, 'server-1').services['puppet'] = unit();
    const ran = await run('apply', {
      on: ({ event }, now) => {
        if (event.e === 'intent' && event.name === 'Upgrade the package')
          Object.assign(at(now, 'server-1').services['puppet'] ?? {}, unit());
      },
    });
    expect(ran.end).toBe('failed');
    expect(JSON.stringify(ran.events.slice(-6))).toMatch(/puppet/);
  });

  test('are refused where that is said', async () => {
    const { run, state } = await platform({}, (p) => ({ ...p, extraVars: { disturbing_units: 'error' } }));
    at(state, 'server-1').services['puppet'] = unit();
    const { end, events } = await run('plan');
    expect([end, refusals(events)]).toEqual([
      'refused',
      [expect.stringMatching(/server-1: puppet\.service may upgrade packages/)],
    ]);
  });
});

test('replicas that no node can take: an operator is asked, and a no stops before the first change', async () => {
  const oneNode = (p: Parameters<NonNullable<Parameters<typeof platform>[1]>>[0]) => ({
    ...p,
    inventory: {
      ...p.inventory,
      hosts: p.inventory.hosts.filter((h) => h.name !== 'indexer-2' && h.name !== 'indexer-3'),
    },
  });
  const { project } = await platform({}, oneNode);
  const alone = await platform({ inventory: project.inventory }, oneNode);
  for (const index of Object.values(alone.state.cluster.indices))
    for (const shard of index.shards)
      shard.copies.push({ host: null, primary: false, state: 'UNASSIGNED', sinceMs: 0 });
  const ran = await alone.run('apply', { answer: 'no' });
  expect([ran.end, refusals(ran.events)]).toEqual(['refused', [expect.stringMatching(/stays so.*was answered "no"/s)]]);
  expect(ran.events.filter((e) => e.e === 'intent').map((e) => e.name)).toEqual([
    'Confirm replicas that cannot be assigned',
  ]);
});

test('the plan names the index whose only in-sync copy is on the node that it stops, as the run would', async () => {
  const { warned } = await planned(({ cluster }) => {
    const index = Object.assign(cluster.indices['platform-alerts-4.x-2026.11.20'] ?? { shards: [] }, { replicas: 0 });
    for (const shard of index.shards) {
      const all = shard.copies.splice(0);
      shard.copies.push({ ...all[0], host: 'indexer-2', primary: true, state: 'STARTED', sinceMs: 0 });
      shard.inSync = ['indexer-2'];
    }
  });
  expect(warned.match(/\S+ has the only in-sync copy of \S+/g)).toEqual([
    'indexer-2 has the only in-sync copy of platform-alerts-4.x-2026.11.20:',
  ]);
});
