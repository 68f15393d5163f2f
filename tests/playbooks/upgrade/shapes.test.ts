import { describe, expect, test } from '@jest/globals';
import { createIndex } from '../../../engine/platforms/security-monitoring/simulator/documents.js';
import { joinedHosts } from '../../../engine/platforms/security-monitoring/simulator/cluster.js';
import { healthOf } from '../../../engine/platforms/security-monitoring/simulator/health.js';
import type { Project } from '../../../engine/language/project.js';
import type { ModelSeed } from '../../../engine/platforms/security-monitoring/simulator/create.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Ran } from '../../run/bench-hosts.js';
import { platform } from '../platform-bench.js';
import { actedAtAll, actedOn, actsOf, endOf, hostOf, versionsOf, warningsOf } from '../platform-looks.js';
import { DASHBOARD, SERVERS, shaped, SHAPES, THREE, type Shape } from '../platform-shapes.js';

const on = (shape: Shape, seed: Partial<ModelSeed> = {}) => platform(seed, shaped(shape));
const orderOf = ({ events }: Ran, play: string): readonly string[] =>
  events.flatMap((e) => (e.e === 'host-chosen' && e.play.endsWith(play) ? [e.host] : []));
const notRestored = ({ events }: Ran): unknown => {
  const end = events.at(-1);
  return end?.e === 'run-ended' ? end.notRestored : end;
};

/** Green, every node there, allocation open, and every unit of the platform running as what its package is. */
function expectHealthy(state: PlatformState): void {
  expect(healthOf(state)).toMatchObject({ status: 'green', number_of_nodes: Object.keys(state.cluster.nodes).length });
  expect(state.cluster.persistent['cluster.routing.allocation.enable']).toBe('all');
  for (const [name, host] of Object.entries(state.hosts))
    for (const [unit, service] of Object.entries(host.services)) {
      const [runs] = Object.values(host.packages).flatMap((p) => (p.version === service.runs ? [p.version] : []));
      expect([name, unit, service.active, service.runs]).toEqual([name, unit, 'active', runs]);
    }
}

describe.each(Object.entries(SHAPES))('%s', (_, shape) => {
  test('is planned, brought to the target, and left alone the second time', async () => {
    const { run, state } = await on(shape);
    const planned = await run('plan');
    expect([...endOf(planned), ...actedAtAll(planned)]).toEqual(['done']);
    const ran = await run('apply');
    expect([endOf(ran), notRestored(ran)]).toEqual([['done'], []]);
    expect(
      Object.values(versionsOf(state))
        .flat()
        .filter((v) => v !== '4.14.7-1'),
    ).toEqual(['7.10.2-2']);
    expectHealthy(state);
    const second = await run('apply', { name: 'second' });
    expect([...endOf(second), ...actedAtAll(second)]).toEqual(['done']);
  });
});

// But of agents, which it has none of.
test('of everything on one host a plan knows as much as of a host for each', async () => {
  const undecided = async (asked: ReturnType<typeof platform>): Promise<readonly string[]> => {
    const { events } = await (await asked).run('plan');
    return [...new Set(events.flatMap((e) => (e.e === 'undecided' && !/agent/.test(e.name) ? [e.name] : [])))].sort();
  };
  expect(await undecided(on(SHAPES['everything on one host'] ?? {}))).toEqual(await undecided(platform()));
});

describe('a single indexer whose indices want replicas', () => {
  const single = () => on(SHAPES['a single indexer'] ?? {}, { replicas: 1 });
  const GREEN = ['Wait for green cluster health', 'Cluster is green'];
  const reasons = ({ events }: Ran): readonly string[] =>
    events.flatMap((e) => (e.e === 'settled' && GREEN.includes(e.name) ? [e.reason ?? ''] : []));

  test('is asked about once, and goes through to its end; the second time nothing is asked or changed', async () => {
    const { run, state } = await single();
    const ran = await run('apply', { answer: 'yes' });
    expect([endOf(ran), notRestored(ran), healthOf(state).status]).toEqual([['done'], [], 'yellow']);
    expect(ran.events.filter((e) => e.e === 'answered')).toHaveLength(1);
    expect(reasons(ran)).toEqual([
      ...Array.from({ length: 2 }, () => expect.stringMatching(/replicas can be on no node/)),
      ...Array.from({ length: 2 }, () => expect.stringMatching(/can be on no node.*which was accepted$/)),
    ]);
    const second = await run('apply', { name: 'second' });
    expect([...endOf(second), ...actedAtAll(second)]).toEqual(['done']);
  });

  test('is not begun without a yes', async () => {
    const { run } = await single();
    const ran = await run('apply', { answer: 'no' });
    expect([ran.end, actedAtAll(ran).filter((name) => /Stop/.test(name))]).toEqual(['refused', []]);
  });

  test('that a node could take later are waited for as ever, and those that were not accepted end the wait soon', async () => {
    const { run, state } = await on(SHAPES['a single indexer'] ?? {});
    const ran = await run('apply', {
      on: ({ event }, now) => {
        if (event.e === 'settled' && event.name === 'Enable shard allocation')
          createIndex(now, 'late', { shards: 1, replicas: 1 });
      },
    });
    const [end, why] = endOf(ran);
    expect([end, why]).toEqual([
      'failed',
      expect.stringMatching(/^Wait for green cluster health: the cluster does not become green/),
    ]);
    expect(why).toMatch(/1 replica can be on no node.*10 readings in a row.*number_of_replicas/);
    Reflect.deleteProperty(state.cluster.indices, 'late');
    expect(endOf(await run('resume', { past: ran.recorded }))).toContain('done');
  });
});

test('several dashboards are upgraded one at a time, the next only when the one before answers', async () => {
  const { run, state } = await on(SHAPES['three dashboards'] ?? {});
  let most = 0;
  let least = 3;
  const ran = await run('apply', {
    on: ({ event }) => {
      if (event.e !== 'host-chosen' || !event.play.endsWith('Upgrade each dashboard')) return;
      const ready = ['dashboard-1', 'dashboard-2', 'dashboard-3'].filter((name) => {
        const service = hostOf(state, name).services['platform-dashboard'];
        return service?.active === 'active' && service.readyAtMs <= state.nowMs && service.runs === '4.14.7-1';
      }).length;
      [most, least] = [Math.max(most, ready), Math.min(least, ready)];
    },
  });
  expect([endOf(ran), orderOf(ran, 'Upgrade each dashboard'), least, most]).toEqual([
    ['done'],
    ['dashboard-1', 'dashboard-2', 'dashboard-3'],
    0,
    2,
  ]);
});

describe('five indexers, of which three may be elected and hold no data', () => {
  const shape = { ...THREE, 'indexer-4': 'indexer', 'indexer-5': 'indexer', ...SERVERS, ...DASHBOARD };
  const managers = ['indexer-1', 'indexer-2', 'indexer-4'];
  const nodeRoles = Object.fromEntries(
    Object.keys(shape)
      .filter((h) => h.startsWith('indexer'))
      .map((h) => [h, managers.includes(h) ? ['cluster_manager'] : ['data', 'ingest']]),
  );

  test('those that only hold data first, then those that may be elected, and the elected one last', async () => {
    const { run, state } = await on(shape, { nodeRoles });
    expect(state.cluster.elected).toBe('indexer-1');
    const ran = await run('apply');
    expect([endOf(ran), orderOf(ran, 'Upgrade each node')]).toEqual([
      ['done'],
      ['indexer-3', 'indexer-5', 'indexer-2', 'indexer-4', 'indexer-1'],
    ]);
    expectHealthy(state);
  });

  test('one that is elected while the others are upgraded is the last', async () => {
    const { run, state } = await on(shape, { nodeRoles });
    const ran = await run('apply', {
      on: ({ event }) => {
        if (event.e === 'host-left' && event.host === 'indexer-5') state.cluster.elected = 'indexer-2';
      },
    });
    expect([endOf(ran), orderOf(ran, 'Upgrade each node')]).toEqual([
      ['done'],
      ['indexer-3', 'indexer-5', 'indexer-1', 'indexer-4', 'indexer-2'],
    ]);
  });
});

test('a node that starts and does not return stops the run: no other is touched, what is not restored yet is reported, and a resume continues', async () => {
  const { run, state } = await platform();
  let lost = true;
  const first = await run('apply', {
    on: ({ event }) => {
      if (event.e !== 'settled' || event.name !== 'Start the indexer' || !lost) return;
      state.timers = state.timers.filter((t) => t.due !== 'node');
    },
  });
  const [end, why] = endOf(first);
  expect([end, why]).toEqual([
    'failed',
    expect.stringMatching(/^Wait until the node has rejoined the cluster: indexer-2 is not back/),
  ]);
  expect(why).toMatch(/journalctl -u platform-indexer.*; then start it/s);
  expect([actedOn(first, 'Stop the indexer'), joinedHosts(state)]).toEqual([['indexer-2'], ['indexer-1', 'indexer-3']]);
  lost = false;
  const { starts = 0 } = hostOf(state, 'indexer-2').services['platform-indexer'] ?? {};
  state.timers.push({ atMs: state.nowMs + 1_000, due: 'node', host: 'indexer-2', starts });
  const resumed = await run('resume', { past: first.recorded });
  expect([resumed.end, notRestored(resumed)]).toEqual(['done', []]);
  expectHealthy(state);
});

describe('a distribution with names of its own', () => {
  /** Every name that carries a brand, in another one; `{{platform.…}}` is the inventory's block, and no brand. */
  const branded = (project: Project): Project => ({
    ...project,
    inventory: {
      ...project.inventory,
      names: JSON.parse(
        JSON.stringify(project.platform.names)
          .replaceAll(/(?<!\{\{|by_release )platform/g, 'acme')
          .replaceAll('filebeat', 'carrier'),
      ) as Project['inventory']['names'],
    },
  });
  /** What was executed, less what files hold: programs and their arguments, paths, units, addresses. */
  const executed = (ran: Ran): string =>
    JSON.stringify(
      actsOf(ran).flatMap(({ change }) => change.actions),
      (key, value: unknown) => (key === 'content' ? undefined : value),
    );

  test('is planned and upgraded by its names alone, and no neutral name is in anything that was executed', async () => {
    const { run, state } = await platform({ from: '4.7.5' }, branded);
    expect(endOf(await run('plan'))).toEqual(['done']);
    const ran = await run('apply');
    expect([endOf(ran), notRestored(ran)]).toEqual([['done'], []]);
    expect(Object.keys(versionsOf(state)).sort()).toEqual([
      'acme-agent',
      'acme-dashboard',
      'acme-indexer',
      'acme-manager',
      'carrier',
    ]);
    expectHealthy(state);
    expect(executed(ran)).toMatch(/acme/);
    expect(executed(ran).match(/.{30}(?:platform|filebeat).{30}/g) ?? []).toEqual([]);
    const second = await run('apply', { name: 'second' });
    expect([...endOf(second), ...actedAtAll(second)]).toEqual(['done']);
  });
});

describe('between two nodes', () => {
  const reallocate = (project: Project): Project => ({
    ...project,
    inventory: {
      ...project.inventory,
      names: { ...project.inventory.names, indexer: { between_nodes: 'reallocate' } },
    },
  });
  /** How the cluster was when each node was taken. */
  async function statusBeforeEach(change?: (p: Project) => Project): Promise<{ ran: Ran; statuses: string[] }> {
    const { run, state } = await platform({}, change);
    const statuses: string[] = [];
    const ran = await run('apply', {
      on: ({ event }) => {
        if (event.e === 'host-chosen' && event.play.endsWith('Upgrade each node'))
          statuses.push(healthOf(state).status);
      },
    });
    expect([endOf(ran), notRestored(ran)]).toEqual([['done'], []]);
    expectHealthy(state);
    return { ran, statuses };
  }
  const departs = expect.stringContaining('§9.4 restricts allocation until every node is upgraded') as unknown;

  test('replicas stay unassigned, as §9.4 has it', async () => {
    const { ran, statuses } = await statusBeforeEach();
    expect(statuses).toEqual(['green', 'yellow', 'yellow']);
    expect(warningsOf(ran)).not.toContainEqual(departs);
  });

  test('asked to reallocate, green is waited for, and the plan says that this departs from §9.4', async () => {
    const { ran, statuses } = await statusBeforeEach(reallocate);
    expect(statuses).toEqual(['green', 'green', 'green']);
    expect(warningsOf(ran)).toContainEqual(departs);
    const planned = await (await platform({}, reallocate)).run('plan');
    expect([endOf(planned), warningsOf(planned)]).toEqual([['done'], expect.arrayContaining([departs])]);
  });

  test('a node that fails leaves allocation on primaries, reported, and restored by close', async () => {
    const { run, state } = await platform({}, reallocate);
    state.faults.push({ fault: 'start-fails', host: 'indexer-3', unit: 'platform-indexer' });
    const first = await run('apply');
    expect(first.end).toBe('failed');
    expect(state.cluster.persistent['cluster.routing.allocation.enable']).toBe('primaries');
    expect(JSON.stringify(notRestored(first))).toContain('Restrict shard allocation to primaries');
    await run('close', { past: first.recorded });
    expect(state.cluster.persistent['cluster.routing.allocation.enable']).toBe('all');
  });
});
