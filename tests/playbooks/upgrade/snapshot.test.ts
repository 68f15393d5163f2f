import { describe, expect, test } from '@jest/globals';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Event } from '../../../engine/terms/event.js';
import { platform } from '../platform-bench.js';

const refusals = (events: readonly Event[]): readonly string[] =>
  events.flatMap((e) =>
    e.e === 'settled' && (e.as === 'blocked' || e.as === 'failed') ? [`${e.name}: ${e.reason ?? ''}`] : [],
  );
const warnings = (events: readonly Event[]): string =>
  events.flatMap((e) => (e.e === 'warned' ? [e.text] : [])).join('\n');
const without =
  (vars: Record<string, string>): Parameters<typeof platform>[1] =>
  (p) => ({ ...p, extraVars: vars });
const names = (state: PlatformState): readonly string[] =>
  Object.values(state.cluster.repositories).flatMap((r) => r.snapshots.map((s) => s.name));
const HOUR_MS = 3_600_000;
const withSnapshot = (state: PlatformState, ageMs: number): void => {
  state.cluster.repositories['before-upgrades'] = {
    type: 'fs',
    location: '/mnt/snapshots',
    snapshots: [{ name: 'daily', indices: [], shards: 5, failedShards: 0, startMs: 0, endMs: state.nowMs - ageMs }],
  };
};
/** Steps that act: nothing but what is meant was begun. */
const acts = (events: readonly Event[]): readonly string[] => [
  ...new Set(events.flatMap((e) => (e.e === 'intent' ? [e.name] : []))),
];

describe('the snapshot of the indices (§9.3.1)', () => {
  test('is registered, taken once and waited for, before anything is stopped', async () => {
    const { run, state } = await platform();
    let states: readonly boolean[] = [];
    const { end } = await run('apply', {
      on: ({ event }, now) => {
        if (event.e === 'intent' && event.name === 'Stop the shipper')
          states = Object.values(now.cluster.repositories).flatMap((r) => r.snapshots.map((s) => s.endMs <= now.nowMs));
      },
    });
    expect([end, names(state), states]).toEqual(['done', ['runbook-test'], [true]]);
  });

  test('a young one that was taken by hand is enough, an old one is not', async () => {
    for (const [ageMs, taken] of [
      [24 * HOUR_MS - 600_000, []],
      [24 * HOUR_MS + 600_000, ['Take the snapshot']],
    ] as const) {
      const { run, state } = await platform();
      withSnapshot(state, ageMs);
      const { events } = await run('plan');
      const told = events.flatMap((e) => (e.e === 'checked' && e.verdict === 'change' ? [e.name] : []));
      expect(
        told.filter(
          (name) =>
            /snapshot|repository$/.test(name) && name !== 'Enable the repository' && name !== 'Disable the repository',
        ),
      ).toEqual(taken);
    }
  });

  test('nothing is begun where no repository is named', async () => {
    const { run } = await platform({}, without({ snapshot_repository: '' }));
    const { end, events } = await run('apply');
    expect([end, refusals(events), acts(events)]).toEqual([
      'refused',
      [
        expect.stringMatching(
          /no snapshot repository is named, and without a snapshot of at most 24h nothing is begun/,
        ),
      ],
      [],
    ]);
  });

  test('`snapshot: none` is a warning of the plan', async () => {
    const { run } = await platform({}, without({ snapshot: 'none', snapshot_repository: '' }));
    const { events } = await run('plan');
    expect([refusals(events), warnings(events)]).toEqual([
      [],
      expect.stringMatching(/no snapshot is taken.*loses all data/),
    ]);
  });

  test('a repository that may not be written to: one message, and nothing was begun', async () => {
    const { run, state } = await platform();
    state.faults.push({ fault: 'repository-denied' });
    const { end, events } = await run('apply');
    expect([end, refusals(events), acts(events)]).toEqual([
      'failed',
      [
        expect.stringMatching(
          /the indexer may not write to the snapshot repository before-upgrades at \/mnt\/snapshots/,
        ),
      ],
      ['Register the snapshot repository'],
    ]);
  });

  test('failed shards stop the run; once it is deleted, a resume takes another', async () => {
    const { run, state } = await platform();
    state.faults.push({ fault: 'snapshot-partial', times: 1 });
    const failed = await run('apply');
    expect([failed.end, refusals(failed.events)]).toEqual([
      'failed',
      [expect.stringMatching(/snapshot runbook-test is PARTIAL: 1 shards failed/)],
    ]);
    state.cluster.repositories['before-upgrades']?.snapshots.splice(0);
    const resumed = await run('resume', { past: failed.recorded });
    expect([resumed.end, names(state)]).toEqual(['done', ['runbook-test']]);
  });
});
