import { describe, expect, test } from '@jest/globals';
import type { Fault, PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import type { Event } from '../../engine/terms/event.js';
import { crashingAt } from '../run/bench-hosts.js';
import { differences, endState } from './end-state.js';
import { platform } from './platform-bench.js';

const uncut = platform().then(async ({ run, state }) => {
  await run('apply');
  return endState(state);
});

const reasons = (events: readonly Event[]): string =>
  events
    .flatMap((e) => (e.e === 'settled' && e.as !== 'ok' && e.as !== 'done' ? [`${e.name}: ${e.reason ?? ''}`] : []))
    .join('\n');
const kept = (events: readonly Event[]): readonly string[] => {
  const end = events.at(-1);
  return end?.e === 'run-ended' ? [...new Set(end.notRestored.map((d) => d.name))].sort() : ['the run did not end'];
};
const allocation = (state: PlatformState): string | undefined =>
  state.cluster.persistent['cluster.routing.allocation.enable'];

const START = { fault: 'start-fails' } as const;
const FAILURES: readonly (readonly [string, Fault, RegExp, readonly string[]])[] = [
  ['a flush that fails', { fault: 'flush-fails' }, /Flush the transaction log: .*_shards\/failed is 1/, []],
  [
    'a security tool that says no success',
    {
      fault: 'program',
      host: 'indexer-1',
      program: '/usr/share/platform-indexer/bin/indexer-security-init.sh',
      exit: 0,
      stdout: 'Will connect\n',
    },
    /Back up the security configuration: .*does not say/,
    [],
  ],
  [
    'an indexer that does not start',
    { ...START, host: 'indexer-2', unit: 'platform-indexer' },
    /Start the indexer: /,
    ['Lock the packages', 'Restrict shard allocation to primaries', 'Stop the dashboard', 'Stop the shipper'],
  ],
  [
    'a package left half configured',
    { fault: 'half-configured', host: 'indexer-3', package: 'platform-indexer' },
    /Upgrade the package: .*post-installation/,
    ['Lock the packages', 'Restrict shard allocation to primaries', 'Stop the dashboard', 'Stop the shipper'],
  ],
  [
    'a manager whose daemons die',
    { fault: 'dead-daemons', host: 'server-2', unit: 'platform-manager' },
    /Start the manager: platform-manager: active, but no process is left, after a restart too/,
    ['Lock the packages', 'Stop the dashboard', 'Stop the manager', 'Stop the shipper'],
  ],
  [
    'a page instead of the template',
    { fault: 'download', path: '/tags/v4.14.7/platform-template.json', status: 404, body: '<html>404</html>' },
    /Download the index template: .*404/,
    [],
  ],
  [
    'a dashboard that does not start',
    { ...START, host: 'dashboard-1', unit: 'platform-dashboard' },
    /Start the dashboard: /,
    ['Lock the packages', 'Stop the dashboard'],
  ],
  ['an agent that does not start', { ...START, host: 'linux-1', unit: 'platform-agent' }, /Restart the agent: /, []],
];

describe('what fails on the way', () => {
  test.each(FAILURES)(
    '%s: stops there, keeps what must be kept, and resume ends as if nothing had been',
    async (_, fault, why, keeps) => {
      const { run, state } = await platform();
      state.faults.push(fault);
      const failed = await run('apply');
      expect([failed.end, reasons(failed.events), kept(failed.events)]).toEqual([
        'failed',
        expect.stringMatching(why),
        keeps,
      ]);
      state.faults.length = 0;
      const resumed = await run('resume', { past: failed.recorded });
      expect(reasons(resumed.events.slice(failed.events.length))).toBe('');
      expect([resumed.end, kept(resumed.events)]).toEqual(['done', []]);
      expect(differences(await uncut, endState(state))).toEqual([]);
    },
  );
});

test('a disk that fills up once it was found to have room: stops there, and resume ends as if nothing had been', async () => {
  const { run, state } = await platform();
  const failed = await run('apply', {
    on: ({ event }, now) => {
      if (
        event.e === 'settled' &&
        event.name === 'Disk space for indexer data is sufficient' &&
        now.faults.length === 0
      )
        now.faults.push({ fault: 'disk-full', host: 'indexer-2' });
    },
  });
  expect([failed.end, reasons(failed.events), kept(failed.events)]).toEqual([
    'failed',
    expect.stringMatching(/No space left/),
    [],
  ]);
  state.faults.length = 0;
  const resumed = await run('resume', { past: failed.recorded });
  expect([resumed.end, kept(resumed.events)]).toEqual(['done', []]);
  expect(differences(await uncut, endState(state))).toEqual([]);
});

test('what a failure gave back is in place again before a resume goes on: the cluster is never upgraded with allocation on "all"', async () => {
  const { run, state } = await platform();
  state.faults.push({ fault: 'flush-fails' });
  const failed = await run('apply');
  expect(allocation(state)).toBe('all');
  state.faults.length = 0;
  const during = new Set<string | undefined>();
  const resumed = await run('resume', {
    past: failed.recorded,
    on: ({ event }, now) => {
      if (event.e === 'intent' && event.name === 'Stop the indexer') during.add(allocation(now));
    },
  });
  expect([resumed.end, [...during], allocation(state)]).toEqual(['done', ['primaries'], 'all']);
});

/** Once every host has its repository enabled. */
const NO_INDEX: Fault = { fault: 'download', path: '/4.x/apt/', status: 503, body: '' };

test('a controller that dies while temporary changes are restored after a failure, at each of its effects: resume comes to the same end', async () => {
  const failing = async (nth?: number) => {
    const { run, state } = await platform();
    state.faults.push(NO_INDEX);
    const cut = await run('apply', nth === undefined ? {} : { actor: crashingAt(nth, 'after') });
    state.faults.length = 0;
    return { run, state, cut };
  };
  const { cut: whole } = await failing();
  const effects = whole.events.filter((e) => e.e === 'effect').length;
  const begun = whole.events.findIndex((e) => e.e === 'temporary-restoring');
  const before = whole.events.slice(0, begun).filter((e) => e.e === 'effect').length;
  expect(effects - before).toBeGreaterThan(2);
  for (let nth = before + 1; nth <= effects; nth += 3) {
    const { run, state, cut } = await failing(nth);
    expect(cut.end).toBe('interrupted');
    const resumed = await run('resume', { past: cut.recorded });
    expect([nth, resumed.end, reasons(resumed.events.slice(cut.events.length))]).toEqual([nth, 'done', '']);
    expect(differences(await uncut, endState(state))).toEqual([]);
  }
});

test('one step is restored on its hosts in parallel', async () => {
  const { run, state } = await platform();
  state.faults.push(NO_INDEX);
  const { recorded } = await run('apply');
  const of = (e: Event['e']): readonly number[] =>
    recorded.flatMap(({ event, atMs }) =>
      event.e === e && 'task' in event && event.task.step.endsWith('/Enable the repository') ? [atMs] : [],
    );
  const [begun, restored] = [of('temporary-restoring'), of('temporary-restored')];
  expect(begun.length).toBeGreaterThan(5);
  expect(restored.length).toBe(begun.length);
  // A write costs 20 ms of the model's time.
  expect(Math.max(...restored) - Math.min(...begun)).toBeLessThan(100);
});
