import { describe, expect, test } from '@jest/globals';
import type { FileEntry, PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Event } from '../../../engine/terms/event.js';
import { platform, runOn, shippedProject } from '../platform-bench.js';
import { hostOf } from '../platform-looks.js';

const refusals = (events: readonly Event[]): readonly string[] =>
  events.flatMap((e) =>
    e.e === 'settled' && (e.as === 'blocked' || e.as === 'failed') ? [`${e.name}: ${e.reason ?? ''}`] : [],
  );
const KEPT = '/var/backups/runbook/before-4.14/packages/';
/** In apt's cache, and `kept` in the directory beside the backup. */
const archives = (state: PlatformState, host: string): readonly string[] =>
  Object.keys(state.hosts[host]?.files ?? {}).flatMap((path) => {
    const name = /([^/]*)_amd64\.deb$/.exec(path)?.[1];
    if (name === undefined) return [];
    return path.startsWith(KEPT) ? [`kept ${name}`] : path.startsWith('/var/cache/apt/archives/') ? [name] : [];
  });
const enabled = (state: PlatformState): readonly string[] =>
  Object.values(state.hosts).flatMap((h) =>
    /^deb /m.test(h.files['/etc/apt/sources.list.d/platform.list']?.text ?? '') ? [h.name] : [],
  );
/** A repository that nothing can be fetched from. */
const UNFETCHED = { fault: 'download', path: '/4.x/apt/', status: 503, body: '' } as const;

/** Of central hosts: an agent's old package is asked for in its own turn. */
const noRollback = (events: readonly Event[]): readonly Event[] =>
  events.filter(
    (e) => e.e === 'warned' && /rollback to it is impossible/.test(e.text) && !e.text.includes('platform-agent'),
  );

describe('packages fetched before the first stop (§9.3.3)', () => {
  test('the target and what they come from are on every central host, and the repositories are disabled again', async () => {
    const { run } = await platform();
    let then: readonly (readonly string[])[] = [];
    const { end } = await run('apply', {
      on: ({ event }, now) => {
        if (event.e === 'intent' && event.name === 'Stop the shipper')
          then = [
            archives(now, 'indexer-2'),
            archives(now, 'server-1'),
            archives(now, 'dashboard-1'),
            enabled(now),
          ].map((list) => [...list].sort());
      },
    });
    expect(end).toBe('done');
    expect(then).toEqual([
      ['kept platform-indexer_4.12.0-1', 'platform-indexer_4.14.7-1'],
      ['filebeat_7.10.2-2', 'kept filebeat_7.10.2-1', 'kept platform-manager_4.12.0-1', 'platform-manager_4.14.7-1'],
      ['kept platform-dashboard_4.12.0-1', 'platform-dashboard_4.14.7-1'],
      [],
    ]);
  });

  test('the downtime holds no download: a repository that fails from then on stops no central component', async () => {
    const { run, state } = await platform();
    const { events } = await run('apply', {
      on: ({ event }, now) => {
        if (event.e === 'intent' && event.name === 'Stop the shipper' && now.faults.length === 0)
          now.faults.push(UNFETCHED);
        if (event.e === 'play-started' && event.play.endsWith('Upgrade Linux agents')) now.faults.length = 0;
      },
    });
    expect(refusals(events)).toEqual([]);
    expect(state.hosts['indexer-3']?.packages['platform-indexer']?.version).toBe('4.14.7-1');
    expect(state.hosts['server-2']?.packages['filebeat']?.version).toBe('7.10.2-2');
  });

  test('and nothing is asked of the download address between the first stop and the last start', async () => {
    const { run, state } = await platform();
    const times: number[] = [];
    const { end } = await run('apply', {
      on: ({ event, atMs }) => {
        if (event.e === 'intent' && event.name === 'Stop the shipper') times.push(atMs);
        if (event.e === 'settled' && event.name === 'Start the dashboard') times.push(atMs);
      },
    });
    const [first, last] = [Math.min(...times), Math.max(...times)];
    const within = (from: number, to: number): readonly string[] =>
      state.asked.flatMap(({ atMs, path }) => (atMs >= from && atMs <= to ? [path] : []));
    expect(end).toBe('done');
    expect(within(first, last)).toEqual([]);
    expect(within(0, first)).toEqual(
      expect.arrayContaining([
        '/4.x/apt/platform-manager_4.14.7-1_amd64.deb',
        '/4.x/filebeat/platform-filebeat-0.5.tar.gz',
        '/tags/v4.14.7/platform-template.json',
      ]),
    );
  });

  test('where the repository keeps only the newest version, a warning says that a rollback is impossible', async () => {
    const { run, state } = await platform();
    state.repository['platform-indexer'] = ['4.14.7-1'];
    const { end, events } = await run('apply');
    const told = events.flatMap((e) =>
      e.e === 'warned' && /rollback to it is impossible/.test(e.text) ? [e.text] : [],
    );
    expect([end, new Set(told)]).toEqual([
      'done',
      new Set(['no repository has platform-indexer 4.12.0-1 any more: a rollback to it is impossible']),
    ]);
  });

  test('a cache that was cleaned meanwhile is reported with every indexer still running, and the run goes on when it is filled', async () => {
    const { run, state } = await platform();
    const cleaned = new Map<string, FileEntry>();
    const host = hostOf(state, 'indexer-2');
    const failed = await run('apply', {
      on: ({ event }) => {
        if (event.e !== 'settled' || event.name !== 'Stop the dashboard') return;
        for (const [path, entry] of Object.entries(host.files)) {
          if (!path.startsWith('/var/cache/apt/archives/')) continue;
          cleaned.set(path, entry);
          Reflect.deleteProperty(host.files, path);
        }
      },
    });
    expect([failed.end, refusals(failed.events)]).toEqual([
      'failed',
      [expect.stringMatching(/^Package is downloaded: no enabled repository offers platform-indexer/)],
    ]);
    expect(host.services['platform-indexer']?.active).toBe('active');
    for (const [path, entry] of cleaned) host.files[path] = entry;
    expect((await run('resume', { past: failed.recorded })).end).toBe('done');
  });

  test('prepared days before, without what it comes from, it is upgraded with the repository gone; the warning that a rollback is impossible comes again', async () => {
    const { run, state } = await platform({ rpmHosts: ['indexer-2'] });
    for (const [name, versions] of Object.entries(state.repository))
      state.repository[name] = versions.filter((v) => !v.startsWith('4.12'));
    expect((await runOn(await shippedProject('prepare.yaml'), state, 'apply', { name: 'prepare' })).end).toBe('done');
    state.faults.push(UNFETCHED, { ...UNFETCHED, path: '/4.x/yum/' });
    const { end, events } = await run('apply', {
      on: ({ event }, now) => {
        if (event.e === 'play-started' && event.play.endsWith('Upgrade Linux agents')) now.faults.length = 0;
      },
    });
    expect([refusals(events), end, enabled(state)]).toEqual([[], 'done', []]);
    expect(noRollback(events)).toHaveLength(6);
  });

  test('the previous packages are archived: with the cache cleaned and that version offered no more, a rollback is still possible', async () => {
    const { run, state } = await platform({ rpmHosts: ['indexer-2'] });
    const prepare = await shippedProject('prepare.yaml');
    expect((await runOn(prepare, state, 'apply', { name: 'prepare' })).end).toBe('done');
    for (const [name, versions] of Object.entries(state.repository))
      state.repository[name] = versions.filter((v) => !v.startsWith('4.12') && v !== '7.10.2-1');
    for (const { files } of Object.values(state.hosts))
      for (const path of Object.keys(files))
        if (/^\/var\/cache\/.*\.(?:deb|rpm)$/.test(path)) Reflect.deleteProperty(files, path);
    const { end, events } = await run('apply');
    expect([refusals(events), end]).toEqual([[], 'done']);
    expect(noRollback(events)).toEqual([]);
  });

  test('no room for them is reported with everything still running', async () => {
    const { run, state } = await platform();
    const { end, events } = await run('apply', {
      on: ({ event }, now) => {
        if (event.e === 'intent' && event.name === 'Download the package [platform-indexer]' && now.faults.length === 0)
          now.faults.push({ fault: 'disk-full', host: 'indexer-2' });
      },
    });
    expect(end).toBe('failed');
    expect(refusals(events)[0]).toMatch(/^Download the package \[platform-indexer\]: the disk is full/);
    expect(Object.values(state.hosts).every((h) => Object.values(h.services).every((s) => s.active === 'active'))).toBe(
      true,
    );
  });
});
