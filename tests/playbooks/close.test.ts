import { describe, expect, test } from '@jest/globals';
import { foldAll } from '../../engine/journal/fold.js';
import { isUnfinished } from '../../engine/journal/state.js';
import { advance, startService } from '../../engine/platforms/security-monitoring/simulator/platform.js';
import type { Fault } from '../../engine/platforms/security-monitoring/simulator/state.js';
import { endView } from '../../engine/report/end/end-view.js';
import { closeView, type Release } from '../../engine/report/end/close-view.js';
import type { Event } from '../../engine/terms/event.js';
import { platform } from './platform-bench.js';

const ALLOCATION = 'cluster.routing.allocation.enable';
const WAYS = { where: '', backTo: ['4.12.0'] };
const NOTHING: Release['now'] = { components: [], away: [], status: undefined, wait: [] };
const stopped = async (fault: Fault, now: Release['now'] = NOTHING) => {
  const { run, state, project } = await platform();
  state.faults.push(fault);
  const ran = await run('apply');
  const means = { past: ran.recorded, state: foldAll(ran.events), plays: project.playbook.plays, now, ways: WAYS };
  const view = closeView(means, { color: false });
  return { run, state, ran, view };
};
const restored = (events: readonly Event[]): readonly string[] => [
  ...new Set(events.flatMap((e) => (e.e === 'temporary-restoring' ? [e.task.step.split('/').at(-1) ?? ''] : []))),
];

describe('what a release means, told before it is asked for', () => {
  test('in the middle of the indexers: where it stopped, versions, what is left undone, and the order of what is restored', async () => {
    const has = (host: string, component: string, installed: string | null, status = 'ii') => ({
      ...{ host, component, name: component, unit: component, installed, status, active: 'active' },
    });
    const components = [
      has('indexer-1', 'indexer', '4.12.0-1'),
      has('indexer-2', 'indexer', '4.14.7-1'),
      // The operator continued by hand.
      has('indexer-3', 'indexer', '4.14.7-1', 'iU'),
      has('server-1', 'manager', null, 'un'),
      has('server-1', 'shipper', '7.10.2-1', 'hi'),
    ];
    const now = { ...NOTHING, components, away: ['server-2', 'dashboard-1', 'linux-1', 'linux-2'] };
    const { view } = await stopped({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' }, now);
    expect(view).toContain(`Stopped in "Indexer / Upgrade each node", at "Start the indexer" (indexer-2).
Installed now:
  indexer-1: indexer 4.12.0-1
  indexer-2: indexer 4.14.7-1, was 4.12.0-1
  indexer-3: indexer 4.14.7-1 (partially installed: iU), was 4.12.0-1
  server-1: manager removed, was 4.12.0-1 · shipper 7.10.2-1
  server-2: not checked now; last known: manager 4.12.0-1 · shipper 7.10.2-1
`);
    expect(view).toContain(`Will not run:
  Indexer / Upgrade each node
    indexer-2: Start the indexer · Wait until the node has rejoined the cluster · Wait until nodes are in one cluster · Remove the version record · Enable shard allocation · Wait for green cluster health
    indexer-3, indexer-1: all steps
`);
    expect(view).toMatch(
      /^ {2}Indexer \/ Restore the cluster settings: .*Apply the security configuration · .*Wait for green cluster health · The security configuration was applied$/m,
    );
    expect(view).toContain(
      '  not started: Server, Dashboard, Saved objects, Agents, Verification, Changed files\nA new apply checks each',
    );
    expect(view).toContain(`Will be restored, in this order:
  1. packages unlocked on indexer-1, indexer-2, indexer-3, server-1, server-2, dashboard-1
       kept until now, because "Stop the indexer" started
  2. packages unlocked on linux-1, linux-2
       kept until now, because "Stop the indexer" started
  3. cluster.routing.allocation.enable: all, on indexer-1
       kept until now, because "Stop the indexer" started
  4. filebeat started on server-1, server-2
       kept until now, because "Stop the indexer" started
  5. platform-dashboard started on dashboard-1
       kept until now, because "Stop the indexer" started
Warning: services will run on mixed versions: "Indexer / Upgrade each node" is done on 0 of 3 hosts, partially on indexer-2.
`);
  });

  test('a node that is done counts as done, whatever lists of its play are empty', async () => {
    const { view } = await stopped({ fault: 'start-fails', host: 'indexer-3', unit: 'platform-indexer' });
    expect(view).toContain('"Indexer / Upgrade each node" is done on 1 of 3 hosts, partially on indexer-3.');
  });

  test('a service that was kept stopped in the middle of its own upgrade is reported as that; a host that cannot be asked, by what this run installed there', async () => {
    const { view } = await stopped({ fault: 'start-fails', host: 'server-2', unit: 'platform-manager' });
    expect(view).toContain(`. platform-manager started on server-2
       kept until now, because "Upgrade the manager" started and did not finish: services will run on mixed versions
`);
    expect(view).toContain(
      '  server-2: not checked now; last known: platform-manager 4.14.7-1, was manager 4.12.0-1 · shipper 7.10.2-1\n',
    );
  });

  test('what a failure gave back already is not told as undone', async () => {
    const { view } = await stopped({ fault: 'flush-fails' });
    expect(view).toContain('  Indexer / Protect the cluster\n    indexer-1: Flush the transaction log\n');
    expect(view).not.toContain('Enable the');
    expect(view).toContain('No temporary changes to restore.');
  });
});

test('the order told is the order taken, by a release and by a failure: what restricts the cluster goes before its clients start', async () => {
  const { run, ran } = await stopped({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' });
  const released = await run('close', { past: ran.recorded });
  expect([released.end, restored(released.events.slice(ran.events.length))]).toEqual([
    'closed',
    ['Lock the packages', 'Restrict shard allocation to primaries', 'Stop the shipper', 'Stop the dashboard'],
  ]);
});

test('a release leaves the hold of an agent whose host is off, says so and closes the run; a server that is off keeps it open', async () => {
  const { run, state, ran } = await stopped({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' });
  state.faults.push({ fault: 'unreachable', host: 'linux-1' }, { fault: 'unreachable', host: 'server-2' });
  const first = await run('close', { past: ran.recorded });
  state.faults.pop();
  const second = await run('close', { past: first.recorded });
  expect([first.end, isUnfinished(foldAll(first.events)), second.end, isUnfinished(foldAll(second.events))]).toEqual([
    'failed',
    true,
    'closed',
    false,
  ]);
  expect(endView(second.recorded, { color: false, width: 200 })).toBe(
    `✓ Run closed.
Not restored, host unreachable: Lock the packages (linux-1). The next run that makes the same temporary change restores it.`,
  );
  state.faults.length = 0;
  const indexer = state.hosts['indexer-2'];
  if (indexer !== undefined) startService(state, indexer, 'platform-indexer');
  advance(state, state.nowMs + 600_000);
  const again = await run('apply', { name: 'again' });
  expect([again.end, state.hosts['linux-1']?.packages['platform-agent']?.held]).toEqual(['done', false]);
});

test('after a close that could not restore everything, a resume makes again what was restored before it continues', async () => {
  const { run, state } = await platform();
  state.faults.push(
    { fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' },
    { fault: 'start-fails', host: 'dashboard-1', unit: 'platform-dashboard' },
  );
  const ran = await run('apply');
  const released = await run('close', { past: ran.recorded });
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
