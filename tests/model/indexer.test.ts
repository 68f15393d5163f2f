import { describe, expect, test } from '@jest/globals';
import { addDocument, createIndex } from '../../engine/platforms/security-monitoring/simulator/documents.js';
import { position } from '../../engine/simulator/faults.js';
import { APT, enableRepository, platform } from './platform.js';

const ALLOCATION = 'cluster.routing.allocation.enable';
const nodes = ['indexer-1', 'indexer-2', 'indexer-3'];

type P = ReturnType<typeof platform>;
interface Health {
  readonly status: string;
  readonly number_of_nodes: number;
  readonly unassigned_shards: number;
  readonly initializing_shards: number;
  readonly delayed_unassigned_shards: number;
}
const health = async (p: P, inHand: string[] = []): Promise<Health> =>
  (await p.json('indexer', '/_cluster/health', { inHand })) as Health;
const stop = (p: P, node: string) => p.sh(node, ['systemctl', 'stop', 'platform-indexer']);
const start = (p: P, node: string) => p.sh(node, ['systemctl', 'start', 'platform-indexer']);
const setAllocation = (p: P, value: string | null, where = 'persistent') =>
  p.request('indexer', 'PUT', '/_cluster/settings', { [where]: { [ALLOCATION]: value } });
/** Away and back again, its shards settled. */
async function bounce(p: P, node: string): Promise<void> {
  await stop(p, node);
  await start(p, node);
  await p.clock.sleep(30_000);
}

describe('answers (§4.2)', () => {
  test('health is green with all its fields; `pretty` changes nothing', async () => {
    const p = platform();
    expect(await p.json('indexer', '/_cluster/health?pretty')).toMatchObject({
      status: 'green',
      timed_out: false,
      number_of_nodes: 3,
      number_of_data_nodes: 3,
      relocating_shards: 0,
      initializing_shards: 0,
      unassigned_shards: 0,
      delayed_unassigned_shards: 0,
      number_of_pending_tasks: 0,
      active_shards_percent_as_number: 100,
    });
  });

  test('settings are acknowledged, nested unless flat_settings, and a null takes one away', async () => {
    const p = platform();
    const put = await setAllocation(p, 'primaries');
    expect(put).toMatchObject({ status: 200 });
    expect(JSON.parse((put as { body: string }).body)).toEqual({
      acknowledged: true,
      persistent: { cluster: { routing: { allocation: { enable: 'primaries' } } } },
      transient: {},
    });
    expect(await p.json('indexer', '/_cluster/settings?flat_settings=true')).toEqual({
      persistent: { [ALLOCATION]: 'primaries' },
      transient: {},
    });
    await p.request('indexer', 'PUT', '/_cluster/settings', {
      persistent: { cluster: { routing: { allocation: { enable: null } } } },
    });
    expect(await p.json('indexer', '/_cluster/settings')).toEqual({ persistent: {}, transient: {} });
  });

  test('a wrong allocation value is 400 illegal_argument_exception, and changes nothing', async () => {
    const p = platform();
    const put = await setAllocation(p, 'primary');
    expect(put).toMatchObject({ status: 400 });
    expect(JSON.parse((put as { body: string }).body)).toMatchObject({
      error: { type: 'illegal_argument_exception' },
      status: 400,
    });
    expect(await p.json('indexer', '/_cluster/settings')).toEqual({ persistent: {}, transient: {} });
  });

  test('flush tells of its shards, failed ones among them', async () => {
    const p = platform({}, (state) => state.faults.push({ fault: 'flush-fails', times: 1 }));
    const flush = async () =>
      JSON.parse(((await p.request('indexer', 'POST', '/_flush')) as { body: string }).body) as {
        _shards: { failed: number; total: number; successful: number };
      };
    expect((await flush())._shards.failed).toBe(1);
    const again = await flush();
    expect(again._shards).toEqual({ total: again._shards.total, successful: again._shards.total, failed: 0 });
  });

  test('GET / says 7.10.2 whatever runs; the node list has the true version', async () => {
    const p = platform();
    expect(await p.json('indexer', '/')).toMatchObject({
      version: { number: '7.10.2' },
      cluster_uuid: p.state.cluster.uuid,
    });
    expect(await p.json('indexer', '/_cat/nodes?format=json&h=name,version,cluster_manager')).toEqual([
      { name: 'indexer-1', version: '2.19.1', cluster_manager: '*' },
      { name: 'indexer-2', version: '2.19.1', cluster_manager: '-' },
      { name: 'indexer-3', version: '2.19.1', cluster_manager: '-' },
    ]);
  });

  test('`_cat/nodes?v` is a table with heads, the elected one starred', async () => {
    const answer = await platform().get('indexer', '/_cat/nodes?v');
    const lines = answer.is === 'answered' ? answer.text.trimEnd().split('\n') : [];
    expect(lines[0]).toMatch(
      /^ip +heap\.percent +ram\.percent +cpu +load_1m +load_5m +load_15m +node\.role +node\.roles +cluster_manager +name$/,
    );
    expect(lines.filter((l) => l.includes('*'))).toEqual([expect.stringMatching(/indexer-1$/)]);
    expect(lines).toHaveLength(4);
  });

  test('a wrong password is 401 and plain text', async () => {
    const p = platform({ passwords: { indexer: 'another' } });
    expect(
      await p.ask({ of: { endpoint: 'indexer' }, fact: 'http', key: JSON.stringify({ path: '/' }) }),
    ).toMatchObject({ is: 'failed', why: 'no-access' });
    const raw = await p.model.send({
      host: '10.0.0.11',
      port: 9200,
      method: 'GET',
      path: '/',
      headers: { authorization: `Basic ${Buffer.from('admin:wrong').toString('base64')}` },
      body: '',
    });
    expect(raw).toMatchObject({ status: 401, body: 'Unauthorized' });
  });

  test('503 as text while security is not initialised', async () => {
    const p = platform({}, (state) => (state.cluster.securityInitialised = false));
    expect(await p.get('indexer', '/_cluster/health')).toMatchObject({
      status: 503,
      json: null,
      text: 'OpenSearch Security not initialized.',
    });
  });

  test('documents are found by range, term and count; an index that is not there is 404', async () => {
    const p = platform();
    createIndex(p.state, 'mine', { shards: 1, replicas: 0 });
    addDocument(p.state, 'mine', {
      '@timestamp': new Date(p.state.nowMs - 60_000).toISOString(),
      manager: { name: 'server-1' },
    });
    addDocument(p.state, 'mine', {
      '@timestamp': new Date(p.state.nowMs).toISOString(),
      manager: { name: 'server-2' },
    });
    expect(await p.json('indexer', `/mine/_count?q=${encodeURIComponent('manager.name:server-1')}`)).toMatchObject({
      count: 1,
    });
    const since = {
      query: {
        bool: { filter: [{ range: { '@timestamp': { gte: 'now-30s' } } }, { term: { 'manager.name': 'server-2' } }] },
      },
    };
    const found = await p.request('indexer', 'POST', '/mine/_search', since);
    expect(JSON.parse((found as { body: string }).body)).toMatchObject({
      hits: { total: { value: 1 }, hits: [{ _source: { manager: { name: 'server-2' } } }] },
    });
    expect(await p.get('indexer', '/nowhere/_count')).toMatchObject({ status: 404 });
  });
});

describe('a node goes and comes', () => {
  test('it is back in the list 11 to 26 s after its start; until then others list two', async () => {
    const p = platform();
    await stop(p, 'indexer-2');
    expect(await health(p, ['indexer-2'])).toMatchObject({ number_of_nodes: 2 });
    const from = p.state.nowMs;
    await start(p, 'indexer-2');
    while ((await health(p, ['indexer-2'])).number_of_nodes < 3 && p.state.nowMs - from < 60_000)
      await p.clock.sleep(500);
    expect(p.state.nowMs - from).toBeGreaterThanOrEqual(11_000);
    expect(p.state.nowMs - from).toBeLessThanOrEqual(26_500);
  });

  test('while it starts it refuses connections, then says 503, then serves', async () => {
    const p = platform();
    await stop(p, 'indexer-2');
    const own = () => p.get('indexer', '/_cluster/health', { node: 'indexer-2' });
    expect(await own()).toMatchObject({ is: 'unreachable' });
    void start(p, 'indexer-2');
    const seen: string[] = [];
    for (let i = 0; i < 40; i++) {
      const answer = await own();
      const now = answer.is === 'answered' ? String(answer.status) : answer.is;
      if (seen.at(-1) !== now) seen.push(now);
      await p.clock.sleep(1_000);
    }
    expect(seen).toEqual(['unreachable', '503', '200']);
  });

  test('with `all` a left replica is delayed for 60 s, then built anew elsewhere: green again without the node', async () => {
    const p = platform();
    await stop(p, 'indexer-3');
    const away = await health(p, ['indexer-3']);
    expect(away.status).toBe('yellow');
    expect(away.delayed_unassigned_shards).toBeGreaterThan(0);
    await p.clock.sleep(50_000);
    expect((await health(p, ['indexer-3'])).delayed_unassigned_shards).toBeGreaterThan(0);
    await p.clock.sleep(30_000);
    const later = await health(p, ['indexer-3']);
    // The security index has a copy on every node, so one of its copies has nowhere to go.
    expect(later).toMatchObject({ status: 'yellow', unassigned_shards: 1, delayed_unassigned_shards: 0 });
  });

  test("with `primaries` a returned node's replicas stay unassigned: yellow for ever, until `all` gives them back", async () => {
    const p = platform();
    await setAllocation(p, 'primaries');
    await bounce(p, 'indexer-3');
    await p.clock.sleep(3_600_000);
    expect(await health(p)).toMatchObject({ status: 'yellow', number_of_nodes: 3, initializing_shards: 0 });
    await setAllocation(p, 'all');
    await p.clock.sleep(5_000);
    expect(await health(p)).toMatchObject({ status: 'green' });
  });

  test('a transient value overrides a persistent one', async () => {
    const p = platform();
    await setAllocation(p, 'primaries', 'transient');
    await setAllocation(p, 'all');
    await bounce(p, 'indexer-3');
    expect(await health(p)).toMatchObject({ status: 'yellow' });
    await setAllocation(p, null, 'transient');
    await p.clock.sleep(5_000);
    expect(await health(p)).toMatchObject({ status: 'green' });
  });

  test('§9.4 goes red while a node is away, for moments, when nothing is written: a copy in sync elsewhere becomes primary', async () => {
    const p = platform();
    for (const server of ['server-1', 'server-2']) await p.sh(server, ['systemctl', 'stop', 'platform-manager']);
    for (const server of ['server-1', 'server-2']) await p.sh(server, ['systemctl', 'stop', 'filebeat']);
    await setAllocation(p, 'primaries');
    await bounce(p, 'indexer-3');
    await stop(p, 'indexer-2');
    const statuses: string[] = [];
    for (let i = 0; i < 10; i++) {
      statuses.push((await health(p, ['indexer-2'])).status);
      await p.clock.sleep(1_000);
    }
    expect(statuses[0]).toBe('red');
    expect(statuses.at(-1)).toBe('yellow');
  });

  test('a shard whose other copy missed a write stays red until its node returns', async () => {
    const p = platform();
    await setAllocation(p, 'primaries');
    createIndex(p.state, 'written', { shards: 1, replicas: 1 });
    const copies = p.state.cluster.indices['written']?.shards[0]?.copies ?? [];
    const [primary = '', replica = ''] = copies.map((c) => c.host ?? '');
    await bounce(p, replica);
    expect(addDocument(p.state, 'written', { n: 1 })).toBe(true);
    await stop(p, primary);
    await p.clock.sleep(600_000);
    expect(await p.json('indexer', '/_cluster/health/written', { inHand: [primary] })).toMatchObject({ status: 'red' });
    expect(addDocument(p.state, 'written', { n: 2 })).toBe(false);
    await start(p, primary);
    await p.clock.sleep(30_000);
    expect(await p.json('indexer', '/_cluster/health/written')).toMatchObject({ status: 'yellow' });
    expect(await p.json('indexer', '/written/_count')).toMatchObject({ count: 1 });
  });

  test('`_cat/shards` says which copy is where, and an unassigned one has no node', async () => {
    const p = platform();
    await setAllocation(p, 'primaries');
    await bounce(p, 'indexer-3');
    const rows = (await p.json('indexer', '/_cat/shards?format=json')) as {
      state: string;
      prirep: string;
      node?: string;
    }[];
    expect(rows.filter((r) => r.prirep === 'p').every((r) => r.state === 'STARTED' && r.node !== undefined)).toBe(true);
    expect(rows.some((r) => r.prirep === 'r' && r.state === 'UNASSIGNED' && r.node === undefined)).toBe(true);
    expect(await p.json('indexer', '/_cluster/allocation/explain')).toMatchObject({
      primary: false,
      allocate_explanation: expect.stringContaining('primaries'),
    });
  });

  test('a single node with replicas is yellow for ever', async () => {
    const p = platform();
    createIndex(p.state, 'wide', { shards: 1, replicas: 3 });
    await p.clock.sleep(3_600_000);
    expect(await health(p)).toMatchObject({ status: 'yellow', unassigned_shards: 1 });
  });

  test('when the elected one goes another is elected, and it stays so when it comes back', async () => {
    const p = platform();
    const elected = async () =>
      (
        (await p.json('indexer', '/_cat/cluster_manager?format=json', { inHand: ['indexer-1'] })) as { node: string }[]
      )[0]?.node;
    expect(await elected()).toBe('indexer-1');
    await bounce(p, 'indexer-1');
    expect(await elected()).toBe('indexer-2');
  });

  test('a voting exclusion makes it step down', async () => {
    const p = platform();
    await p.request('indexer', 'POST', '/_cluster/voting_config_exclusions?node_names=indexer-1');
    expect(p.state.cluster.elected).toBe('indexer-2');
    await p.request('indexer', 'DELETE', '/_cluster/voting_config_exclusions');
    expect(p.state.cluster.elected).toBe('indexer-2');
  });

  test('without a majority nothing is elected, and the node that is left answers 503', async () => {
    const p = platform();
    await stop(p, 'indexer-1');
    await stop(p, 'indexer-2');
    expect(await p.get('indexer', '/_cluster/health', { node: 'indexer-3' })).toMatchObject({
      status: 503,
      json: { error: { type: 'cluster_manager_not_discovered_exception' } },
    });
  });

  test('a node that formed a cluster of its own says so: another uuid, itself elected, alone in its list', async () => {
    const p = platform({}, (state) => state.faults.push({ fault: 'own-cluster', host: 'indexer-3' }));
    expect(position(p.state, 'own-cluster')).toBeDefined();
    const own = { node: 'indexer-3' };
    expect(await p.json('indexer', '/', own)).not.toMatchObject({ cluster_uuid: p.state.cluster.uuid });
    expect(await p.json('indexer', '/_cat/cluster_manager?format=json&local=true', own)).toMatchObject([
      { node: 'indexer-3' },
    ]);
    expect(await health(p)).toMatchObject({ number_of_nodes: 2 });
  });
});

describe('a start that fails (§7)', () => {
  const upgraded = async (alter: (p: P) => Promise<unknown>): Promise<P> => {
    const p = platform();
    await stop(p, 'indexer-3');
    await alter(p);
    return p;
  };
  const refuses = async (p: P): Promise<void> => {
    expect(await start(p, 'indexer-3')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('Job for platform-indexer.service failed'),
    });
    expect(await p.unit('indexer-3', 'platform-indexer')).toMatchObject({ active: 'failed', processes: 0 });
  };

  test('an option that this Java does not know', async () => {
    await refuses(
      await upgraded((p) =>
        p.write('indexer-3', '/etc/platform-indexer/jvm.options', '-Xms1g\n-Xmx1g\n-XX:+UseConcMarkSweepGC\n'),
      ),
    );
  });
  test('the same option with a prefix of older versions does no harm', async () => {
    const p = await upgraded((q) =>
      q.write(
        'indexer-3',
        '/etc/platform-indexer/jvm.options',
        '-Xms1g\n-Xmx1g\n8-10:-XX:+UseConcMarkSweepGC\n## -Xms4g\n',
      ),
    );
    expect(await start(p, 'indexer-3')).toMatchObject({ exit: 0 });
  });
  test('a data directory that is not its own', async () => {
    await refuses(
      await upgraded((p) => p.on('indexer-3', { do: 'attributes', path: '/var/lib/platform-indexer', owner: 'root' })),
    );
  });
  test('no room on the disk', async () => {
    await refuses(
      await upgraded((p) =>
        Promise.resolve(Object.assign(p.state.hosts['indexer-3']?.disk ?? {}, { usedBytes: 99_900_000_000 })),
      ),
    );
  });
  test('once the newer version started on its data, the older refuses', async () => {
    const p = platform();
    await enableRepository(p, nodes);
    await stop(p, 'indexer-3');
    await p.sh('indexer-3', [...APT, 'platform-indexer=4.14.7-1']);
    await p.sh('indexer-3', [
      'apt-get',
      '-y',
      '-o',
      'Dpkg::Options::=--force-confold',
      '--allow-downgrades',
      'install',
      'platform-indexer=4.12.0-1',
    ]);
    expect(await start(p, 'indexer-3')).toMatchObject({ exit: 0 });
    await stop(p, 'indexer-3');
    await p.sh('indexer-3', [...APT, 'platform-indexer=4.14.7-1']);
    await start(p, 'indexer-3');
    await p.clock.sleep(30_000);
    await stop(p, 'indexer-3');
    await p.sh('indexer-3', [
      'apt-get',
      '-y',
      '-o',
      'Dpkg::Options::=--force-confold',
      '--allow-downgrades',
      'install',
      'platform-indexer=4.12.0-1',
    ]);
    expect(await start(p, 'indexer-3')).toMatchObject({ exit: 1 });
  });
  test('an index made by a cluster all new keeps an older node out; one made while an older node was there does not', async () => {
    const p = platform();
    const mixed = createIndex(p.state, 'mixed', { shards: 1, replicas: 1 });
    expect(mixed.createdVersion).toBe('136407927');
    for (const node of Object.values(p.state.cluster.nodes)) node.version = '2.19.4';
    expect(createIndex(p.state, 'fresh', { shards: 1, replicas: 1 }).createdVersion).toBe('136408227');
    expect(await p.json('indexer', '/fresh/_settings')).toMatchObject({
      fresh: { settings: { index: { version: { created: '136408227' } } } },
    });
    await bounce(p, 'indexer-3');
    expect(await p.unit('indexer-3', 'platform-indexer')).toMatchObject({ active: 'active' });
    expect(await health(p)).toMatchObject({ number_of_nodes: 2 });
    await p.request('indexer', 'DELETE', '/fresh');
    await p.clock.sleep(6_000);
    expect(await health(p)).toMatchObject({ number_of_nodes: 3 });
  });
});

describe('the security init tool', () => {
  const INIT = '/usr/share/platform-indexer/bin/indexer-security-init.sh';
  const DIR = '/etc/platform-indexer/security';

  test('a backup writes the live configuration over the directory of that node only', async () => {
    const p = platform();
    const ended = await p.sh('indexer-2', [INIT, '--options', `-backup ${DIR} -icl -nhnv`]);
    expect(ended).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/SUCC: Configuration for 'roles' stored in/),
    });
    expect(await p.text('indexer-2', `${DIR}/roles.yml`)).toContain('as it is in force');
    expect(await p.text('indexer-1', `${DIR}/roles.yml`)).not.toContain('as it is in force');
    expect(p.state.cluster.security['roles']).toBe(await p.text('indexer-2', `${DIR}/roles.yml`));
  });

  test("without options this node's files go into the cluster", async () => {
    const p = platform();
    await p.write('indexer-3', `${DIR}/roles.yml`, 'ours: true\n');
    const ended = await p.sh('indexer-3', [INIT]);
    expect(
      (ended as { stdout: string }).stdout.match(/SUCC: Configuration for '\w+' created or updated/g),
    ).toHaveLength(10);
    expect(p.state.cluster.security['roles']).toBe('ours: true\n');
  });

  test('no server: 255; no elected node: it loops until its time is up', async () => {
    const p = platform();
    await stop(p, 'indexer-1');
    expect(await p.sh('indexer-1', [INIT])).toMatchObject({
      exit: 255,
      stdout: expect.stringContaining('Seems there is no OpenSearch running'),
    });
    await stop(p, 'indexer-2');
    expect(await p.sh('indexer-3', [INIT], { timeoutMs: 60_000 })).toMatchObject({ is: 'unknown', why: 'timeout' });
  });
});

test('`_shard_stores` tells which copies on disk are in sync, also those that are not allocated', async () => {
  const p = platform();
  await setAllocation(p, 'primaries');
  createIndex(p.state, 'mine', { shards: 1, replicas: 1 });
  const [, replica = ''] = p.state.cluster.indices['mine']?.shards[0]?.copies.map((c) => c.host ?? '') ?? [];
  await bounce(p, replica);
  const stores = async () => {
    const answer = (await p.json('indexer', '/mine/_shard_stores?status=all')) as {
      indices: { mine: { shards: { 0: { stores: { allocation: string }[] } } } };
    };
    return answer.indices.mine.shards[0].stores.map((s) => s.allocation);
  };
  expect(await stores()).toEqual(['primary', 'unused']);
  addDocument(p.state, 'mine', { n: 1 });
  expect(await stores()).toEqual(['primary']);
});

test('a start that failed has left its reason in the journal and in the indexer log', async () => {
  const p = platform();
  await stop(p, 'indexer-3');
  await p.write('indexer-3', '/etc/platform-indexer/jvm.options', '-Xms1g\n-Xmx2g\n');
  await start(p, 'indexer-3');
  const reason = 'initial heap size [1g] not equal to maximum heap size [2g]';
  expect(await p.sh('indexer-3', ['journalctl', '-u', 'platform-indexer', '-n', '50'])).toMatchObject({
    stdout: expect.stringContaining(reason),
  });
  expect(await p.text('indexer-3', p.state.names.indexer.log)).toContain(reason);
});
