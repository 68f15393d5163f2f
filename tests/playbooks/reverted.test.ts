import { describe, expect, test } from '@jest/globals';
import { startService } from '../../engine/platforms/security-monitoring/simulator/platform.js';
import type { PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import { endView } from '../../engine/report/end/end-view.js';
import type { Event } from '../../engine/terms/event.js';
import { differences, endState } from './end-state.js';
import { platform } from './platform-bench.js';

/** A configuration management starts the shipper again, once, after the nth indexer was upgraded. */
const meddling = (nth: number) => {
  let left = 0;
  return ({ event }: { readonly event: Event }, state: PlatformState): void => {
    if (event.e !== 'host-left' || !event.play.endsWith('Upgrade each node')) return;
    left += 1;
    const host = state.hosts['server-1'];
    if (left === nth && host !== undefined) startService(state, host, 'filebeat');
  };
};
const allocation = (state: PlatformState): string | undefined =>
  state.cluster.persistent['cluster.routing.allocation.enable'];

describe('a stopped unit that runs again', () => {
  test.each([1, 2, 3])('after host %d: the run stops before it goes on, and names unit and host', async (nth) => {
    const { run, state } = await platform();
    const ran = await run('apply', { on: meddling(nth) });
    const upgraded = ran.events.filter((e) => e.e === 'host-left' && e.play.endsWith('Upgrade each node')).length;
    expect([ran.end, upgraded]).toEqual(['failed', nth]);
    const view = endView(ran.recorded, { color: false, width: 100 });
    expect(view).toContain(
      '✗ server-1  Stop the shipper   §9.4.4\n  it no longer holds ("filebeat stops, /var/platform/logs/alerts/alerts.json kept" is due again): an operator or a program reverted it',
    );
    expect(view).toMatch(/Stopped: before .*: "Stop the shipper" was reverted\./);
    expect(allocation(state)).toBe('primaries');
  });

  test('is stopped again by a resume, which then comes to the same end', async () => {
    const uncut = await platform();
    await uncut.run('apply');
    const { run, state } = await platform();
    const ran = await run('apply', { on: meddling(1) });
    const resumed = await run('resume', { past: ran.recorded });
    const since = resumed.events.slice(ran.events.length);
    const stops = since.flatMap((e) =>
      e.e === 'intent' && e.name === 'Stop the shipper' && 'host' in e.task.on ? [e.task.on.host] : [],
    );
    expect([resumed.end, stops]).toEqual(['done', ['server-1']]);
    expect(differences(endState(uncut.state), endState(state))).toEqual([]);
  });

  test('and allocation that was set back by hand: made again before the next node is touched', async () => {
    const { run, state } = await platform();
    let once = false;
    const ran = await run('apply', {
      on: ({ event }) => {
        if (event.e !== 'host-left' || once) return;
        once = true;
        state.cluster.persistent['cluster.routing.allocation.enable'] = 'all';
      },
    });
    expect([ran.end, (ran.events.at(-1) as { reason?: string }).reason]).toEqual([
      'failed',
      expect.stringContaining('"Restrict shard allocation to primaries" was reverted'),
    ]);
    const during = new Set<string | undefined>();
    const resumed = await run('resume', {
      past: ran.recorded,
      on: ({ event }, now) => {
        if (event.e === 'intent' && event.name === 'Stop the indexer') during.add(allocation(now));
      },
    });
    expect([resumed.end, [...during], allocation(state)]).toEqual(['done', ['primaries'], 'all']);
  });
});

test('what the run itself ended is not taken for the act of another', async () => {
  const { run } = await platform();
  const ran = await run('apply');
  expect([ran.end, ran.events.filter((e) => e.e === 'temporary-reverted')]).toEqual(['done', []]);
});

test('a plan restores what its own steps predict as restored: nothing of it is left to the end, nor reported', async () => {
  const { run } = await platform();
  const planned = await run('plan');
  const made = planned.events.filter((e) => e.e === 'temporary-made').length;
  expect(made).toBeGreaterThan(10);
  expect(planned.events.filter((e) => e.e === 'temporary-restored' && e.by === 'step')).toHaveLength(made);
  expect(planned.events.filter((e) => e.e === 'temporary-restoring')).toEqual([]);
});
