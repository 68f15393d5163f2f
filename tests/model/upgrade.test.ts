import { expect, test } from '@jest/globals';
import { APT, enableRepository, inventory, platform } from './platform.js';

const ALLOCATION = 'cluster.routing.allocation.enable';

test('a whole upgrade by hand, in the order of §9.2, ends green with everything at its version and no document lost', async () => {
  const p = platform();
  const hosts = inventory.hosts.map((h) => h.name);
  const health = (inHand: string[] = []) =>
    p.json('indexer', '/_cluster/health', { inHand }) as Promise<{
      status: string;
      number_of_nodes: number;
      initializing_shards: number;
    }>;
  const until = async (done: () => Promise<boolean>): Promise<void> => {
    for (let i = 0; i < 600 && !(await done()); i++) await p.clock.sleep(1_000);
    expect(await done()).toBe(true);
  };
  await enableRepository(p, hosts);
  const elected = ((await p.json('indexer', '/_cat/cluster_manager?format=json')) as { node: string }[])[0]?.node ?? '';

  expect(
    await p.sh('indexer-1', [
      p.state.names.indexer.security_init,
      '--options',
      `-backup ${p.state.names.indexer.security_dir} -icl -nhnv`,
    ]),
  ).toMatchObject({
    is: 'ended',
    exit: 0,
    stdout: expect.stringContaining("SUCC: Configuration for 'internalusers' stored in"),
  });
  expect(
    await p.request('indexer', 'PUT', '/_cluster/settings', { persistent: { [ALLOCATION]: 'primaries' } }),
  ).toMatchObject({ status: 200, body: expect.stringContaining('primaries') });
  expect(await p.request('indexer', 'POST', '/_flush')).toMatchObject({
    status: 200,
    body: expect.stringContaining('"failed":0'),
  });
  for (const server of ['server-1', 'server-2']) await p.sh(server, ['systemctl', 'stop', 'filebeat']);
  await p.sh('dashboard-1', ['systemctl', 'stop', 'platform-dashboard']);

  for (const node of ['indexer-1', 'indexer-2', 'indexer-3'].sort(
    (a, b) => Number(a === elected) - Number(b === elected),
  )) {
    await p.sh(node, ['systemctl', 'stop', 'platform-indexer']);
    expect(await health([node])).toMatchObject({ number_of_nodes: 2 });
    await p.job(node, [...APT, 'platform-indexer=4.14.7-1']);
    await p.sh(node, ['systemctl', 'start', 'platform-indexer']);
    await until(async () => {
      const now = await health([node]);
      return now.number_of_nodes === 3 && now.status !== 'red' && now.initializing_shards === 0;
    });
    expect((await health()).status).toBe('yellow');
  }
  await p.sh('indexer-1', [p.state.names.indexer.security_init]);
  await p.request('indexer', 'PUT', '/_cluster/settings', { persistent: { [ALLOCATION]: 'all' } });
  await until(async () => (await health()).status === 'green');

  for (const server of ['server-2', 'server-1']) {
    await p.job(server, [...APT, 'platform-manager=4.14.7-1']);
    await p.job(server, [...APT, 'filebeat=7.10.2-2']);
    await p.sh(server, ['systemctl', 'start', 'filebeat']);
  }
  await p.job('dashboard-1', [...APT, 'platform-dashboard=4.14.7-1']);
  await p.sh('dashboard-1', ['systemctl', 'start', 'platform-dashboard']);
  for (const agent of ['web-1', 'web-2']) await p.job(agent, [...APT, 'platform-agent=4.14.7-1']);
  await until(async () => {
    const status = (await p.json('api', '/agents?status=active&limit=5')) as {
      data?: { affected_items: { version: string }[] };
    };
    return status.data?.affected_items.filter((a) => a.version === 'v4.14.7').length === 3;
  });
  await until(
    async () =>
      ((await p.json('dashboard', '/api/status')) as { version?: { number: string } } | null)?.version?.number ===
      '4.14.7',
  );

  for (const [name, which] of [
    ['indexer-1', 'platform-indexer'],
    ['server-1', 'platform-manager'],
    ['dashboard-1', 'platform-dashboard'],
    ['web-1', 'platform-agent'],
  ] as const) {
    expect(await p.pkg(name, which)).toMatchObject({ installed: '4.14.7-1', status: 'ii' });
  }
  // Every alert that the managers wrote is found.
  const day = new Date(p.state.nowMs).toISOString().slice(0, 10).replaceAll('-', '.');
  await p.clock.sleep(30_000);
  const written = (await Promise.all(['server-1', 'server-2'].map((s) => p.text(s, p.state.names.manager.alerts)))).map(
    (t) => (t ?? '').trim().split('\n').length,
  );
  const found = (await p.json('indexer', `/platform-alerts-4.x-${day}/_count`)) as { count: number };
  expect(found.count).toBe(written.reduce((a, b) => a + b));
});
