import { describe, expect, test } from '@jest/globals';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Event } from '../../../engine/terms/event.js';
import { taskKey } from '../../../engine/terms/task.js';
import { hintText } from '../../../engine/terms/hint.js';
import { crashingAt } from '../../run/bench-hosts.js';
import { platform } from '../platform-bench.js';

const versionsOf = (state: PlatformState): Record<string, readonly (string | null | undefined)[]> =>
  Object.fromEntries(
    Object.entries(state.hosts).map(([name, host]) => [name, Object.values(host.packages).map((p) => p.version)]),
  );
const changes = (events: readonly Event[]): readonly string[] =>
  events.flatMap((e) => (e.e === 'intent' ? [`${e.name}: ${e.change.summary}`] : []));
const refusal = (events: readonly Event[]): string =>
  events
    .flatMap((e) =>
      e.e === 'settled' && (e.as === 'blocked' || e.as === 'failed')
        ? [`${e.reason ?? ''} | ${hintText(e.hint ?? '')}`]
        : [],
    )
    .join('\n');

const UPGRADED = {
  'indexer-1': ['4.14.7-1'],
  'indexer-2': ['4.14.7-1'],
  'indexer-3': ['4.14.7-1'],
  'server-1': ['4.14.7-1', '7.10.2-2'],
  'server-2': ['4.14.7-1', '7.10.2-2'],
  'dashboard-1': ['4.14.7-1'],
  'linux-1': ['4.14.7-1'],
  'linux-2': ['4.14.7-1'],
};

describe('an upgrade from 4.12.0', () => {
  test('brings everything to the target, the elected manager last and the master after the worker, and leaves nothing temporary behind', async () => {
    const { run, state } = await platform();
    const elected = state.cluster.elected;
    const ran = await run('apply');
    expect(refusal(ran.events)).toBe('');
    expect(ran.end).toBe('done');
    expect(versionsOf(state)).toEqual(UPGRADED);
    const order = (play: string): readonly string[] =>
      ran.events.flatMap((e) => (e.e === 'host-chosen' && e.play.endsWith(play) ? [e.host] : []));
    expect(order('Upgrade each node').at(-1)).toBe(elected);
    expect(order('Upgrade each server')).toEqual(['server-2', 'server-1']);
    expect(ran.events.at(-1)).toMatchObject({ e: 'run-ended', as: 'done', notRestored: [] });
    for (const host of Object.values(state.hosts))
      expect(JSON.stringify(host.files['/etc/apt/sources.list.d/platform.list'])).toContain('#deb');
  });

  test('the second time has nothing to do: no change, no restart', async () => {
    const { run, state } = await platform();
    await run('apply');
    const services = JSON.stringify(Object.values(state.hosts).map((h) => h.services));
    const second = await run('apply');
    expect([second.end, changes(second.events)]).toEqual(['done', []]);
    expect(JSON.stringify(Object.values(state.hosts).map((h) => h.services))).toBe(services);
  });

  test('a plan leaves the platform as it is, and each change that it tells is made just so', async () => {
    const { run, state } = await platform();
    const before = structuredClone(state.hosts);
    const planned = await run('plan');
    expect(state.hosts).toEqual(before);
    const told = planned.events.flatMap((e) =>
      e.e === 'checked' && e.change !== undefined ? [[e.task, e.change.summary, e.change.diff] as const] : [],
    );
    const undecided = new Set(planned.events.flatMap((e) => (e.e === 'undecided' ? [e.name] : [])));
    // A step of several rounds is reported by its first.
    const begun = new Set<string>();
    const made = (await run('apply')).events.flatMap((e) => {
      if (e.e !== 'intent' || undecided.has(e.name) || begun.has(taskKey(e.task))) return [];
      begun.add(taskKey(e.task));
      return [[e.task, e.change.summary, e.change.diff] as const];
    });
    // The merged options are known once the package is on the host, and shown then.
    const key = ([task, summary, diff]: readonly [unknown, string, string | undefined]): string =>
      JSON.stringify([task, summary, summary.includes('; keeps your settings in jvm.options') ? undefined : diff]);
    expect(made.map(key).sort()).toEqual(told.map(key).sort());
    expect([...undecided].sort()).toEqual([
      'A snapshot was taken before the first indexer, as prepare.yaml does',
      'Add the ruleset fragment',
      'Archive the previous agent package',
      'Archive the security backup',
      'Certificate is valid [indexer connector]',
      'Certificate is valid [shipper]',
      'Dashboard key and certificate still match',
      "Dashboard's files are as before the upgrade",
      "Dashboard's further files are as before the upgrade",
      'Default route exists',
      'Download the current package for rollback [filebeat]',
      'Download the current package for rollback [platform-dashboard]',
      'Download the current package for rollback [platform-indexer]',
      'Download the current package for rollback [platform-manager]',
      'Import missing saved objects',
      'Indexer connector has its credentials',
      'Indexer connector reaches the indexer',
      "Indexer's files are as before the upgrade",
      "Indexer's further files are as before the upgrade",
      'Install the shipper module',
      'Module files have no local changes',
      'No users, roles or mappings were lost',
      'Package is available [filebeat]',
      'Package is available [platform-dashboard]',
      'Package is available [platform-indexer]',
      'Package is available [platform-manager]',
      'Pipeline has no local changes',
      "Restore the operator's indexer connector",
      'Security backup is complete',
      "Server's files are as before the upgrade",
      'Shipper module can be installed',
      'Shipper module is extracted',
      'Take the snapshot',
    ]);
  });

  test('a plan warns of nothing that the upgrade fixes, and of what it does not', async () => {
    const warnings = async (
      past: (run: Awaited<ReturnType<typeof platform>>['run']) => Promise<unknown>,
    ): Promise<string[]> => {
      const { run } = await platform({ remoteAgents: [{ name: 'older', version: '4.8.0' }] });
      await past(run);
      return (await run('plan')).events.flatMap((e) => (e.e === 'warned' ? [e.text] : []));
    };
    expect((await warnings(() => Promise.resolve())).join()).not.toMatch(/below 4\.14\.7/);
    expect((await warnings((run) => run('apply'))).join()).toMatch(/1 of 3 agents is below 4\.14\.7: older/);
  });

  test('an elected manager that moves while the upgrade runs is still the last', async () => {
    const { run, state } = await platform();
    let moved = false;
    const ran = await run('apply', {
      on: ({ event }) => {
        if (event.e !== 'host-left' || !event.play.endsWith('Upgrade each node') || moved) return;
        moved = true;
        state.cluster.elected = 'indexer-2';
      },
    });
    const order = ran.events.flatMap((e) =>
      e.e === 'host-chosen' && e.play.endsWith('Upgrade each node') ? [e.host] : [],
    );
    expect([ran.end, order.at(-1)]).toEqual(['done', order.includes('indexer-2') ? order.at(-1) : '']);
    expect(new Set(order).size).toBe(3);
  });
});

describe('a run that is cut', () => {
  const both = [3, 14, 22, 27, 28, 30, 33, 41, 52, 60].flatMap((n) => [[n, 'before'] as const, [n, 'after'] as const]);
  // By turns before one effect and after the next, unless all crash points are asked for.
  const some = both.filter((_, i) => process.env['CRASH_POINTS'] === 'all' || i % 4 === 0 || i % 4 === 3);
  test.each(some)('at effect %d, %s it happened, is resumed to the same end', async (nth, when) => {
    const { run, state } = await platform();
    const cut = await run('apply', { actor: crashingAt(nth, when) });
    expect(cut.end).toBe('interrupted');
    const resumed = await run('resume', { past: cut.recorded });
    expect(refusal(resumed.events)).toBe('');
    expect([resumed.end, versionsOf(state)]).toEqual(['done', UPGRADED]);
    expect(resumed.events.at(-1)).toMatchObject({ notRestored: [] });
    // No healthy node is stopped a second time, no step that is settled is settled again.
    const settled = resumed.events.flatMap((e) => (e.e === 'settled' && e.as === 'done' ? [taskKey(e.task)] : []));
    expect(settled.filter((s, i) => settled.indexOf(s) !== i)).toEqual([]);
  });
});

describe('what fails on the way', () => {
  test('once the first node was stopped, allocation, shippers and dashboard are kept and listed; release gives them back', async () => {
    const { run, state } = await platform();
    state.faults.push({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' });
    const failed = await run('apply');
    expect(failed.end).toBe('failed');
    const end = failed.events.at(-1);
    expect(end).toMatchObject({
      e: 'run-ended',
      untouched: expect.arrayContaining([expect.stringContaining('Server')]) as unknown,
    });
    const notRestored = end?.e === 'run-ended' ? end.notRestored.map((d) => d.name) : [];
    expect([...new Set(notRestored)].sort()).toEqual([
      'Lock the packages',
      'Restrict shard allocation to primaries',
      'Stop the dashboard',
      'Stop the shipper',
    ]);
  });
});

/** What only an operator changes: packages, services and configuration. (The platform itself goes on writing below /var.) */
const kept = (state: PlatformState): unknown =>
  Object.values(state.hosts).map(({ packages, services, files }) => ({
    packages,
    services,
    configuration: Object.entries(files).filter(([path]) => path.startsWith('/etc/')),
  }));

describe('refused before the first change', () => {
  const refused = async (
    text: RegExp,
    prepare: Parameters<typeof platform>[1],
    alter: (state: PlatformState) => void = () => undefined,
    seed = {},
    options = {},
  ): Promise<void> => {
    const { run, state } = await platform(seed, prepare);
    alter(state);
    const before = structuredClone(kept(state));
    const ran = await run('apply', { options });
    expect(refusal(ran.events)).toMatch(text);
    expect([ran.end, changes(ran.events)]).toEqual(['refused', []]);
    expect(kept(state)).toEqual(before);
  };
  const target =
    (version: string): Parameters<typeof platform>[1] =>
    (p) => ({ ...p, inventory: { ...p.inventory, platform: { ...p.inventory.platform, target: version } } });
  const same: Parameters<typeof platform>[1] = (p) => p;

  test('a target outside release line 4.14', () =>
    refused(/4\.15\.0, which is not of release line 4\.14/, target('4.15.0')));
  test('a target older than what is installed', () =>
    refused(/cannot be brought to 4\.14\.1.*set platform\.target/s, target('4.14.1'), undefined, { from: '4.14.6' }));
  test('an agent newer than the target', () =>
    refused(/newer than 4\.14\.7: .*laptop-9/, same, undefined, {
      remoteAgents: [{ name: 'laptop-9', version: '4.15.0' }],
    }));
  test('central components that would end at different versions', () =>
    refused(
      /central components would end at different versions/,
      same,
      undefined,
      {},
      { limit: new Set(['indexer-1', 'indexer-2', 'indexer-3']) },
    ));
  test('a cluster that is not green', () =>
    refused(/the indexer cluster is yellow/, same, (state) => {
      state.cluster.persistent['cluster.routing.allocation.enable'] = 'primaries';
      for (const index of Object.values(state.cluster.indices))
        for (const shard of index.shards)
          for (const copy of shard.copies.slice(1)) Object.assign(copy, { host: null, state: 'UNASSIGNED' });
    }));
});
