import { describe, expect, test } from '@jest/globals';
import { foldAll } from '../../engine/journal/fold.js';
import type { Fault } from '../../engine/model/state.js';
import { releaseView } from '../../engine/report/release-view.js';
import type { Event } from '../../engine/terms/event.js';
import { platform } from './platform-bench.js';

const ALLOCATION = 'cluster.routing.allocation.enable';
const WAYS = { where: '', backTo: ['4.12.0'] };
const stopped = async (fault: Fault) => {
  const { run, state, project } = await platform();
  state.faults.push(fault);
  const ran = await run('apply');
  const view = releaseView(ran.recorded, foldAll(ran.events), project.playbook.plays, { color: false }, WAYS);
  return { run, state, ran, view };
};
const givenBack = (events: readonly Event[]): readonly string[] => [
  ...new Set(events.flatMap((e) => (e.e === 'giving-back' ? [e.task.step.split('/').at(-1) ?? ''] : []))),
];

describe('what a release means, told before it is asked for', () => {
  test('in the middle of the indexers: where it stopped, versions, what nobody will do, and the order of what is given back', async () => {
    const { view } = await stopped({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' });
    expect(view).toMatch(
      /^It stopped in "Indexer \/ Upgrade each node", at "Start the indexer" \(indexer-2\)\.\nAs far as this run knows:\n/,
    );
    expect(view).toContain('  indexer-1, indexer-3: still indexer 4.12.0-1\n');
    expect(view).toContain('  indexer-2: platform-indexer 4.14.7-1 (was indexer 4.12.0-1)\n');
    expect(view).toContain(`This run will not make any more:
  Indexer / Upgrade each node
    indexer-2: Start the indexer · Wait for the node to rejoin · The node is in the same cluster · Let all shards move before the next node · Wait for green before the next node
    indexer-3, indexer-1: all of it
`);
    expect(view).toMatch(
      /^ {2}Indexer \/ Give the cluster back: .*Apply the security configuration · .*Wait for green$/m,
    );
    expect(view).toContain(
      '  nothing of Server, Dashboard, Saved objects, Agents, Verify and close was begun\nA new apply judges each',
    );
    expect(view).toContain(`Will be given back, in this order:
  1. Hold the packages until their turn (indexer-1, indexer-2, indexer-3, server-1, server-2, dashboard-1)
  2. Let only primary shards move (indexer-1)
  3. Stop the shipper (server-1, server-2)
  4. Stop the dashboard (dashboard-1)
What is started again works with what is there: 0 of 3 hosts done with "Indexer / Upgrade each node", indexer-2 half-way.
`);
  });

  test('what a failure gave back already is not told as undone', async () => {
    const { view } = await stopped({ fault: 'flush-fails' });
    expect(view).toContain('  Indexer / Protect the cluster\n    indexer-1: Flush the transaction log\n');
    expect(view).not.toContain('Enable the');
    expect(view).toContain('Nothing is still in place.');
  });
});

test('the order told is the order taken, by a release and by a failure: what restricts the cluster goes before its clients start', async () => {
  const { run, ran } = await stopped({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' });
  const released = await run('release', { past: ran.recorded });
  expect([released.end, givenBack(released.events.slice(ran.events.length))]).toEqual([
    'released',
    ['Hold the packages until their turn', 'Let only primary shards move', 'Stop the shipper', 'Stop the dashboard'],
  ]);
});

test('of a release that could not give everything back, a resume makes anew what was given back before it goes on', async () => {
  const { run, state } = await platform();
  state.faults.push(
    { fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' },
    { fault: 'start-fails', host: 'dashboard-1', unit: 'platform-dashboard' },
  );
  const ran = await run('apply');
  const released = await run('release', { past: ran.recorded });
  expect([released.end, state.hosts['server-1']?.services['filebeat']?.active]).toEqual(['failed', 'active']);
  state.faults.length = 0;
  const atEachStop: unknown[] = [];
  const resumed = await run('resume', {
    past: released.recorded,
    on: ({ event: e }, { hosts, cluster }) => {
      if (e.e !== 'intent' || e.name !== 'Stop the indexer') return;
      atEachStop.push([hosts['server-1']?.services['filebeat']?.active, cluster.persistent[ALLOCATION]]);
    },
  });
  expect([resumed.end, atEachStop]).toEqual([
    'done',
    [
      ['inactive', 'primaries'],
      ['inactive', 'primaries'],
    ],
  ]);
});
