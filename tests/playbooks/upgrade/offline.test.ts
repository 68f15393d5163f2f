import { afterAll, describe, expect, test } from '@jest/globals';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Project } from '../../../engine/language/project.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Event } from '../../../engine/terms/event.js';
import { crashingAt } from '../../run/bench-hosts.js';
import { differences, endState } from '../end-state.js';
import { offlineFolder, type Packed } from './offline-folder.js';
import { platform, runOn, shippedProject } from '../platform-bench.js';

const root = mkdtempSync(join(tmpdir(), 'runbook-offline-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

const RPM_HOSTS = ['indexer-2', 'dashboard-1', 'linux-2'];
const ALL: readonly Packed[] = ['4.14.7-1', '4.12.0-1'].flatMap((version) =>
  (['deb', 'rpm'] as const).flatMap((family) => [
    ...['platform-indexer', 'platform-manager', 'platform-dashboard', 'platform-agent'].map((name) => ({
      name,
      version,
      family,
    })),
    { name: 'filebeat', version: version === '4.14.7-1' ? '7.10.2-2' : '7.10.2-1', family },
  ]),
);

/** The platform without a repository that answers, and a folder of packages on the controller. */
async function offline(folder: string, packages: readonly Packed[] = ALL) {
  const path = offlineFolder(join(root, folder), packages);
  const at = (p: Project): Project => ({
    ...p,
    inventory: { ...p.inventory, platform: { ...p.inventory.platform, offline_packages: path } },
  });
  const bench = await platform({ rpmHosts: RPM_HOSTS }, at);
  for (const name of Object.keys(bench.state.repository)) bench.state.repository[name] = [];
  for (const family of ['apt', 'yum'])
    bench.state.faults.push({ fault: 'download', path: `/4.x/${family}/`, status: 503, body: '' });
  return { ...bench, path };
}

const refusals = (events: readonly Event[]): readonly string[] => [
  ...new Set(
    events.flatMap((e) => (e.e === 'settled' && (e.as === 'blocked' || e.as === 'failed') ? [e.reason ?? ''] : [])),
  ),
];
const versions = (state: PlatformState): readonly string[] =>
  [
    ...new Set(
      Object.values(state.hosts).flatMap((h) => Object.entries(h.packages).map(([n, p]) => `${n} ${p.version}`)),
    ),
  ].sort();
const acted = (events: readonly Event[]): readonly string[] =>
  events.flatMap((e) => (e.e === 'intent' ? [`${e.name}: ${e.change.summary}`] : []));

describe('packages from a folder of the controller (§9.3.3)', () => {
  test('upgrade the whole platform, both families, and no repository is enabled or asked', async () => {
    const { run, state } = await offline('whole');
    const enabled = new Set<string>();
    const ran = await run('apply', {
      on: (_, now) => {
        for (const h of Object.values(now.hosts))
          if (
            /^(?:deb |enabled=1)/m.test(
              Object.entries(h.files).find(([path]) => /platform\.(list|repo)$/.test(path))?.[1].text ?? '',
            )
          )
            enabled.add(h.name);
      },
    });
    expect([refusals(ran.events), ran.end]).toEqual([[], 'done']);
    expect(versions(state)).toEqual([
      'filebeat 7.10.2-2',
      'platform-agent 4.14.7-1',
      'platform-dashboard 4.14.7-1',
      'platform-indexer 4.14.7-1',
      'platform-manager 4.14.7-1',
    ]);
    expect([[...enabled], acted(ran.events).filter((a) => /apt-get update|makecache|expire-cache/.test(a))]).toEqual([
      [],
      [],
    ]);
    expect(
      Object.keys(state.hosts['indexer-2']?.files ?? {})
        .filter((p) => p.endsWith('.rpm'))
        .sort(),
    ).toEqual([
      '/var/backups/runbook/before-4.14/packages/platform-indexer-4.12.0-1.x86_64.rpm',
      '/var/cache/dnf/offline/platform-indexer-4.14.7-1.x86_64.rpm',
    ]);
    const second = await run('apply');
    expect([second.end, acted(second.events)]).toEqual(['done', []]);
  });

  const SHIPPERS = { '/4.x/filebeat/platform-filebeat-0.5.tar.gz': 'platform-filebeat-0.5.tar.gz', '/4.x/filebeat/platform-filebeat-0.4.tar.gz': 'platform-filebeat-0.4.tar.gz', '/tags/v4.14.7/platform-template.json': 'platform-template-4.14.7.json', '/tags/v4.12.0/platform-template.json': 'platform-template-4.12.0.json' }; // prettier-ignore

  /** No repository has what the shippers need; the folder has it, beside the packages. */
  async function carried(folder: string) {
    const bench = await offline(folder);
    const others = Object.entries(SHIPPERS).map(([served, name]) => {
      bench.state.faults.push({ fault: 'download', path: served, status: 503, body: '' });
      return [name, Buffer.from(bench.state.downloads[served]?.latin1 ?? '', 'latin1')] as const;
    });
    offlineFolder(bench.path, ALL, Object.fromEntries(others));
    return bench;
  }

  test('and with what the shippers need beside them, the controller asks no address either', async () => {
    const { run, state } = await carried('carried');
    const ran = await run('apply');
    expect([refusals(ran.events), ran.end]).toEqual([[], 'done']);
    expect(state.asked.filter(({ path }) => path in SHIPPERS)).toEqual([]);
  });

  test('one of those files that is not what its hash says is refused, with everything still running', async () => {
    const { run, path } = await carried('carried-altered');
    appendFileSync(join(path, 'platform-template-4.14.7.json'), ' ');
    const ran = await run('apply');
    expect(refusals(ran.events)).toEqual([
      expect.stringMatching(/platform-template-4\.14\.7\.json has the SHA-256 [0-9a-f]{64}, and SHA256SUMS says/),
    ]);
    expect(acted(ran.events).filter((a) => /^Stop /.test(a))).toEqual([]);
  });

  test('are uploaded as the plan said', async () => {
    const { run } = await offline('planned');
    const told = (await run('plan')).events.flatMap((e) =>
      e.e === 'checked' && e.change !== undefined && e.change.summary.includes('uploaded')
        ? [JSON.stringify([e.task, e.change.summary])]
        : [],
    );
    const ran = await run('apply');
    const made = ran.events.flatMap((e) =>
      e.e === 'intent' && e.change.summary.includes('uploaded') ? [JSON.stringify([e.task, e.change.summary])] : [],
    );
    // Three indexers, two servers with two packages and a dashboard and two agents, each in two versions.
    expect([made.length, made.sort()]).toEqual([20, told.sort()]);
  });

  test('a run that is cut in an upload is resumed to the same end', async () => {
    const whole = await offline('uncut');
    const uploads: number[] = [];
    let effects = 0;
    await whole.run('apply', {
      actor: (real) => ({
        ...real,
        perform: (on, action, context) => {
          effects += 1;
          if (action.do === 'upload') uploads.push(effects);
          return real.perform(on, action, context);
        },
      }),
    });
    const { run, state } = await offline('uncut');
    const cut = await run('apply', { actor: crashingAt(uploads[4] ?? 0, 'before') });
    expect(cut.end).toBe('interrupted');
    const resumed = await run('resume', { past: cut.recorded });
    expect([resumed.end, differences(endState(whole.state), endState(state))]).toEqual(['done', []]);
  });

  test('serve the rollback too, where the old ones are not on the hosts any more', async () => {
    const { run, state, project } = await offline('back');
    expect((await run('apply')).end).toBe('done');
    const files = state.hosts['dashboard-1']?.files ?? {};
    for (const path of Object.keys(files)) if (/\.rpm/.test(path)) Reflect.deleteProperty(files, path);
    const shipped = await shippedProject('rollback-dashboard.yaml');
    const rollback_packages = { indexer: '4.12.0-1', manager: '4.12.0-1', dashboard: '4.12.0-1', shipper: '' };
    const extraVars = { ...shipped.extraVars, rollback_to: '4.12.0', rollback_packages };
    const ran = await runOn({ ...shipped, inventory: project.inventory, extraVars }, state, 'apply', {
      name: 'back',
      answer: 'yes',
    });
    expect([refusals(ran.events), ran.end]).toEqual([[], 'done']);
    expect(acted(ran.events).filter((a) => /Enable|makecache|Fetch|Download|package/.test(a))).toEqual([
      'Download the previous package [platform-dashboard]: platform-dashboard 4.12.0-1 uploaded, SHA256SUMS vouches for it',
      'Install the previous dashboard package: platform-dashboard 4.14.7-1 → 4.12.0-1',
    ]);
  });

  test('are checked by their signature where dnf checks it', async () => {
    const { run, state } = await offline('unsigned');
    const host = state.hosts['indexer-2'];
    if (host !== undefined) host.signatures = 'no key';
    const ran = await run('apply');
    expect([ran.end, refusals(ran.events)]).toEqual([
      'failed',
      [expect.stringMatching(/signature of the package cannot be checked/)],
    ]);
    expect(Object.values(state.hosts).every((h) => Object.values(h.services).every((s) => s.active === 'active'))).toBe(
      true,
    );
  });
});

describe('a folder that will not do is one message, before anything is changed', () => {
  const without = (name: string, version: string, family: string): readonly Packed[] =>
    ALL.filter((p) => p.name !== name || p.version !== version || p.family !== family);

  test.each<readonly [string, readonly Packed[], RegExp]>([
    [
      'a package of the wrong version, whatever its file is called',
      ALL.map((p) => (p.name === 'platform-manager' && p.version === '4.14.7-1' ? { ...p, says: '4.14.6-1' } : p)),
      /has no platform-manager 4\.14\.7-1 for amd64 \(DEB\), but .*platform-manager_4\.14\.7-1_amd64\.deb \(4\.14\.6-1, amd64\)/,
    ],
    [
      'none for the one host of the other family',
      without('platform-indexer', '4.14.7-1', 'rpm'),
      /has no platform-indexer 4\.14\.7-1 for x86_64 \(RPM\), but /,
    ],
    [
      'none for an agent',
      without('platform-agent', '4.14.7-1', 'rpm'),
      /has no platform-agent 4\.14\.7-1 for x86_64 \(RPM\)/,
    ],
  ])('%s', async (called, packages, reason) => {
    const { run } = await offline(`missing ${called.replaceAll(/\W+/g, '-')}`, packages);
    const ran = await run('apply');
    expect([ran.end, refusals(ran.events), acted(ran.events)]).toEqual([
      'refused',
      [expect.stringMatching(reason)],
      [],
    ]);
  });

  test('a file that is not what its hash says', async () => {
    const { run, path } = await offline('altered');
    appendFileSync(join(path, 'platform-dashboard_4.14.7-1_amd64.deb'), 'x');
    const ran = await run('apply');
    expect([ran.end, refusals(ran.events), acted(ran.events)]).toEqual([
      'refused',
      [expect.stringMatching(/: platform-dashboard_4\.14\.7-1_amd64\.deb has the SHA-256 .*, and SHA256SUMS says /)],
      [],
    ]);
  });
});
