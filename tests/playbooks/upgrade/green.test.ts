import { describe, expect, test } from '@jest/globals';
import type { ModelSeed } from '../../../engine/platforms/security-monitoring/simulator/create.js';
import { createIndex } from '../../../engine/platforms/security-monitoring/simulator/documents.js';
import type { Project } from '../../../engine/language/project.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Ran } from '../../run/bench-hosts.js';
import { interruptedAfter } from '../interrupted-after.js';
import { platform, runOn, shippedProject, type Around } from '../platform-bench.js';
import { actedAtAll, actedOn, endOf } from '../platform-looks.js';
import { shaped } from '../platform-shapes.js';

const ENABLE = 'cluster.routing.allocation.enable';
const ONE_OF_EACH = shaped({ 'indexer-1': 'indexer', 'server-1': 'server master', 'dashboard-1': 'dashboard' });
const stopped = (ran: Ran): readonly string[] => actedOn(ran, 'Stop the indexer');

/** Takes the replicas of an index from their nodes, for a reason of the cluster's own. */
function loseReplicas(state: PlatformState, index: string, reason: string): void {
  for (const { copies } of state.cluster.indices[index]?.shards ?? [])
    for (const copy of copies.slice(1)) Object.assign(copy, { host: null, state: 'UNASSIGNED', reason });
}

/** An index without a replica until it is fixed by hand: it may not be placed, whatever allocation says. */
function broken(state: PlatformState): void {
  state.cluster.persistent[ENABLE] = 'primaries';
  loseReplicas(state, '.kibana_1', 'ALLOCATION_FAILED');
}

/** A platform that was prepared, on which indexer.yaml is applied by itself. */
async function alone(seed: Partial<ModelSeed> = {}) {
  const { project, run, state } = await platform(seed, (p) => p, 'prepare.yaml');
  expect(endOf(await run('apply', { answer: 'yes', name: 'prepare' }))).toEqual(['done']);
  const indexer = { ...(await shippedProject('indexer.yaml')), inventory: project.inventory };
  return { state, run: (around: Around = {}) => runOn(indexer, state, 'apply', around) };
}

/** An upgrade that ends after a step on a host: interrupted, or its run folder lost with all that it would restore. */
async function endedAfter(step: string, host: string, released: boolean, shape = (p: Project) => p) {
  const bench = await platform({}, shape);
  const first = await interruptedAfter(bench, step, host);
  if (released) expect((await bench.run('close', { past: first.recorded })).end).toBe('closed');
  return { ...bench, first };
}

describe('before the first indexer is stopped the cluster is green', () => {
  test('also where one node was upgraded before', async () => {
    const { run, state } = await platform({ at: { 'indexer-2': '4.14.7' } });
    broken(state);
    const ran = await run('apply', { answer: 'yes' });
    expect(endOf(ran)).toEqual(['refused', expect.stringMatching(/^Cluster is green: the indexer cluster is yellow/)]);
    expect(actedAtAll(ran).filter((name) => name !== 'Shard allocation is at its default')).toEqual([]);
  });

  test('also where indexer.yaml is applied by itself', async () => {
    const { run, state } = await alone();
    broken(state);
    const ran = await run();
    expect([...endOf(ran).slice(0, 1), ...actedAtAll(ran)]).toEqual(['refused']);
  });

  test('also where it was green when the preparation looked', async () => {
    const { run } = await platform();
    const ran = await run('apply', {
      on: ({ event: e }, now) => {
        if (e.e === 'play-started' && e.name === 'Target packages are available') broken(now);
      },
    });
    expect([ran.end, stopped(ran)]).toEqual(['failed', []]);
  });

  test('replicas that no node can take are asked about again by indexer.yaml when there are new ones, and only then', async () => {
    const { run, state } = await alone({ replicas: 3 });
    createIndex(state, '.another', { shards: 1, replicas: 3 });
    const denied = await run({ answer: 'no' });
    expect([denied.end, stopped(denied)]).toEqual(['refused', []]);
    expect(endOf(await run({ answer: 'yes', name: 'second' }))).toEqual(['done']);
    expect(endOf(await (await alone({ replicas: 3 })).run())).toEqual(['done']);
  });
});

describe('in the middle of an upgrade it is green but for what the upgrade leaves without a node', () => {
  const INTERRUPTED = [
    ['Stop the indexer', 'indexer-2'],
    ['Remove the version record', 'indexer-3'],
    ['Start the indexer', 'indexer-1'],
  ] as const;
  const cases = INTERRUPTED.flatMap(([step, host]) =>
    (['resumed', 'closed', 'lost'] as const).map((how) => ({ step, host, how })),
  );
  test.each(cases)('"$step" on $host, then $how: it goes on to the end', async ({ step, host, how }) => {
    const { run, state, first } = await endedAfter(step, host, how === 'closed');
    // A day's index that was made while replicas were not allocated.
    const index = createIndex(state, 'made-meanwhile', { shards: 1, replicas: 1 });
    loseReplicas(state, 'made-meanwhile', 'INDEX_CREATED');
    for (const shard of index.shards) shard.inSync = shard.inSync.slice(0, 1);
    const ran =
      how === 'resumed'
        ? await run('resume', { past: first.recorded })
        : await run('apply', { name: 'second', answer: 'yes' });
    expect(endOf(ran).filter((line) => !line.startsWith('Stop'))).toContain('done');
  });

  test('replicas whose primary is on a newer node wait for the older nodes, also when all shards may move', async () => {
    const { run, state } = await endedAfter('Remove the version record', 'indexer-2', true);
    state.cluster.persistent[ENABLE] = 'all';
    const index = createIndex(state, 'written-by-the-newer', { shards: 1, replicas: 1 });
    for (const [i, copy] of (index.shards[0]?.copies ?? []).entries())
      Object.assign(
        copy,
        i === 0 ? { host: 'indexer-2' } : { host: null, state: 'UNASSIGNED', reason: 'INDEX_CREATED' },
      );
    expect(endOf(await run('apply', { name: 'second', answer: 'yes' }))).toEqual(['done']);
  });

  test('a shard that the cluster gave up on is no part of it', async () => {
    const { run, state } = await endedAfter('Remove the version record', 'indexer-2', false);
    loseReplicas(state, '.kibana_1', 'ALLOCATION_FAILED');
    const ran = await run('apply', { name: 'second', answer: 'yes' });
    expect([ran.end, stopped(ran)]).toEqual(['refused', []]);
    expect(endOf(ran)[1]).toMatch(/yellow: replica of \.kibana_1 0 has no started copy/);
  });

  test('an only indexer that an interrupted upgrade left stopped: it is refused at once, before any change', async () => {
    const { run } = await endedAfter('Upgrade the package', 'indexer-1', false, ONE_OF_EACH);
    const ran = await run('apply', { name: 'second', answer: 'yes' });
    expect([...endOf(ran), ...actedAtAll(ran)]).toEqual([
      'refused',
      expect.stringMatching(/^At least one indexer is running: no indexer runs, so the cluster cannot be checked/),
    ]);
    expect(ran.recorded.filter(({ event: e }) => e.e === 'waiting')).toEqual([]);
  });

  test('replicas that could be placed are waited for, and not given up', async () => {
    const { run, state } = await endedAfter('Remove the version record', 'indexer-2', true);
    state.cluster.persistent[ENABLE] = 'all';
    const ran = await run('apply', { name: 'second', answer: 'yes' });
    expect(endOf(ran)).toEqual(['done']);
    expect(state.cluster.persistent[ENABLE]).toBe('all');
  });
});
