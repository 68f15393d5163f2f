import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { actsLike, deepEqual, doesNotMatch, done, equal, hostOf, hostsOf, match, modeOf, ok, textOf } from '../look.js';
import { DISTURBING, edit, ours } from '../ours.js';
import type { JsonObject } from '../../../engine/terms/json.js';
import type { Platform, Told } from '../stage.js';
import { scenario, whole, type Scenario } from '../scenario.js';

const KEPT = '/var/backups/runbook/before-4.14';
const CENTRAL = ['indexer-1', 'indexer-2', 'indexer-3', 'server-1', 'server-2', 'dashboard-1'];

/** Each file below these directories of a host is in the backup with the same text, for root's eyes only. */
function backedUp(before: PlatformState, now: PlatformState, host: string, ...directories: readonly string[]): void {
  for (const directory of directories) {
    const files = Object.entries(hostOf(before, host).files).filter(
      ([path, { type }]) => path.startsWith(directory) && type === 'file',
    );
    ok(files.length > 0, `${host} has nothing in ${directory}`);
    for (const [path, { text, mode, owner }] of files) {
      // Of what is upgraded more than once before all is done, each version has its own.
      const kept = hostOf(now, host).files[`${KEPT}/4.12.0${path}`];
      deepEqual([path, kept?.text, kept?.mode, kept?.owner], [path, text, mode, owner]);
    }
  }
  equal(modeOf(now, host, KEPT), '0700');
}

/** Every configuration is in the backup as it was. */
export function allBackedUp(before: PlatformState, now: PlatformState): void {
  for (const { name } of hostsOf(before, 'indexer')) backedUp(before, now, name, '/etc/platform-indexer');
  for (const { name } of hostsOf(before, 'server'))
    backedUp(
      before,
      now,
      name,
      '/var/platform/etc',
      '/etc/filebeat',
      '/usr/share/filebeat/module/platform',
      '/var/platform/queue/keystore',
      '/var/lib/filebeat/filebeat',
    );
  for (const { name } of hostsOf(before, 'dashboard')) backedUp(before, now, name, '/etc/platform-dashboard');
  for (const { name } of hostsOf(before, 'agent')) backedUp(before, now, name, '/var/platform/etc');
}

/** The target and what it replaces lie on every central host; the repositories are off again. */
export function fetched(state: PlatformState): void {
  const packages = (host: string): readonly string[] =>
    Object.keys(hostOf(state, host).files)
      .flatMap((path) => {
        const [, name = '', version = ''] =
          /\/([a-z-]+?)[_-](\d[\d.]*-\d)[._](?:amd64|x86_64)\.(?:deb|rpm)$/.exec(path) ?? [];
        return name === '' ? [] : [`${path.startsWith(KEPT) ? 'kept ' : ''}${name} ${version}`];
      })
      .sort();
  for (const { name } of hostsOf(state, 'indexer'))
    deepEqual(packages(name), ['kept platform-indexer 4.12.0-1', 'platform-indexer 4.14.7-1']);
  for (const { name } of hostsOf(state, 'server'))
    deepEqual(packages(name), [
      'filebeat 7.10.2-2',
      'kept filebeat 7.10.2-1',
      'kept platform-manager 4.12.0-1',
      'platform-manager 4.14.7-1',
    ]);
  for (const { name } of hostsOf(state, 'dashboard'))
    deepEqual(packages(name), ['kept platform-dashboard 4.12.0-1', 'platform-dashboard 4.14.7-1']);
  repositoriesOff(state);
}

export function repositoriesOff(state: PlatformState): void {
  for (const { name, family } of Object.values(state.hosts))
    if (family === 'deb') match(textOf(state, name, '/etc/apt/sources.list.d/platform.list') ?? '', /^#deb /m);
    else match(textOf(state, name, '/etc/yum.repos.d/platform.repo') ?? '', /^enabled=0$/m);
}

/** What apt knew of the repository is gone: its index was asked for once more after the repository was disabled. */
function forgotten(ran: Told, state: PlatformState, name: string): void {
  if (hostOf(state, name).family !== 'deb') return;
  match(actsLike(ran, new RegExp(`^${name}: (write .*platform\\.list|apt-get update)`)).at(-1) ?? '', /apt-get update/);
}

/** `host package` of all that is held. */
export const held = (state: PlatformState): readonly string[] =>
  Object.values(state.hosts).flatMap((h) =>
    Object.entries(h.packages).flatMap(([name, p]) => (p.held ? [`${h.name} ${name}`] : [])),
  );
export const everyPackage = (state: PlatformState): readonly string[] =>
  Object.values(state.hosts).flatMap((h) => Object.keys(h.packages).map((name) => `${h.name} ${name}`));

export const prepare: readonly Scenario[] = [
  whole(
    'prepare.yaml by itself leaves a backup, a snapshot, the packages and the shipper’s files, and stops nothing',
    async (stage) => {
      const p = await ours(stage);
      const before = structuredClone(p.state);
      const paused: unknown[] = [];
      const ran = await p.run('prepare.yaml', {
        before: (act, now) => {
          if (/install .*platform-manager/.test(act))
            paused.push(DISTURBING.filter((unit) => hostOf(now, 'server-1').services[unit]?.active === 'active'));
        },
      });
      done(ran);
      // A host is asked for nothing that it does not need.
      for (const e of ran.events) {
        if (e.e !== 'settled' || !('host' in e.task.on) || !/Download the packages/.test(e.task.step)) continue;
        const role =
          /indexer|dashboard/.exec(e.name.toLowerCase())?.[0] ??
          (/manager|shipper/i.test(e.name) ? 'server' : undefined);
        ok(
          role === undefined || hostOf(p.state, e.task.on.host).roles.includes(role),
          `${e.name} on ${e.task.on.host}`,
        );
      }
      // The API is asked about all agents once, not by each host.
      equal(
        ran.events.filter((e) => e.e === 'settled' && e.name === 'Find agents below the managed versions').length,
        1,
      );
      const recorded = ran.events.flatMap((e) => (e.e === 'settled' ? [JSON.stringify(e.value ?? '')] : [])).join('\n');
      match(recorded, /"health":\{.*"status":"green".*"nodes":\[\{.*"elected":"indexer-1"/);
      match(recorded, /v4\.12\.0/);
      allBackedUp(before, p.state);
      fetched(p.state);
      deepEqual(paused.flat(), []);
      deepEqual(
        DISTURBING.filter((unit) => hostOf(p.state, 'server-1').services[unit]?.active !== 'active'),
        [],
      );
      deepEqual(held(p.state), everyPackage(p.state));
      match(ran.warned, /stay locked on all hosts after this run.*end-holds/);
      equal((ran.warned.match(/stay locked on all hosts/g) ?? []).length, 1);
      const [snapshot] = p.state.cluster.repositories['before-upgrades']?.snapshots ?? [];
      ok(snapshot !== undefined && snapshot.endMs <= p.state.nowMs, 'no snapshot was taken');
      // It takes longer than a step's usual limit, and is waited for at the first attempt.
      equal(ran.events.filter((e) => e.e === 'intent' && e.name === 'Take the snapshot').length, 1);
      match(snapshot.name, /^runbook-test$/);
      deepEqual(JSON.parse(textOf(p.state, 'indexer-1', `${KEPT}/ml-commons.json`) ?? ''), {
        models: [{ id: 'm1', name: 'ours' }],
        agents: [{ id: 'a1', name: 'night helper' }],
      });
      equal(modeOf(p.state, 'indexer-1', `${KEPT}/ml-commons.json`), '0600');
      for (const tenant of ['admin_tenant', 'global_tenant']) {
        match(
          textOf(p.state, 'dashboard-1', `${KEPT}/saved-objects/${tenant}.ndjson`) ?? '',
          tenant === 'admin_tenant' ? /root/ : /Night shift/,
        );
        equal(modeOf(p.state, 'dashboard-1', `${KEPT}/saved-objects`), '0700');
      }
      equal(textOf(p.state, 'dashboard-1', '/var/lib/runbook/pending/saved-objects'), 'pending\n');
      equal(modeOf(p.state, 'dashboard-1', '/var/lib/runbook/pending/saved-objects'), '0600');
      for (const name of ['server-1', 'server-2']) {
        match(textOf(p.state, name, `${KEPT}/fetched/index-template.json`) ?? '', /4\.14\.7/);
        match(textOf(p.state, name, `${KEPT}/fetched/index-template-4.12.0.json`) ?? '', /4\.12\.0/);
        ok(textOf(p.state, name, `${KEPT}/fetched/platform-filebeat-0.5.tar.gz`) !== undefined);
        match(
          textOf(p.state, name, `${KEPT}/fetched/files`) ?? '',
          /^[0-9a-f]{64} https\S+gz\n[0-9a-f]{64} https\S+json\n$/,
        );
        deepEqual(
          [modeOf(p.state, name, `${KEPT}/fetched`), modeOf(p.state, name, `${KEPT}/fetched/files`)],
          ['0700', '0600'],
        );
      }
      deepEqual(actsLike(ran, /systemctl (stop|restart) (platform|filebeat)/), []);
      for (const name of CENTRAL) forgotten(ran, p.state, name);
      const again = await p.run('prepare.yaml', { name: 'again' });
      done(again);
      deepEqual(actsLike(again, /snapshots?\/|copy|export|versionlock|apt-mark|download/), []);
    },
  ),
  scenario(
    'prepare.yaml exports the saved objects of every type that the dashboard reports, or of those that are named',
    async (stage) => {
      const exported = async (alter: (p: Platform) => void, vars: JsonObject = {}): Promise<[string, string]> => {
        const p = await ours(stage);
        p.state.savedObjects.push({ type: 'url', id: 'short-link', attributes: '{}' });
        alter(p);
        const ran = await p.run('prepare.yaml', { vars });
        done(ran);
        const all = Object.values(hostOf(p.state, 'dashboard-1').files).flatMap(
          ({ text }) => /^\{"type":.*/m.exec(text)?.input ?? [],
        );
        return [all.join('\n'), ran.warned];
      };
      const apart = (): void => undefined;
      const together = ({ state }: Platform): void => {
        edit(state, 'dashboard-1', '/etc/platform-dashboard/dashboard.yml', (text) =>
          text.replace('enabled: true', 'enabled: false'),
        );
      };
      for (const alter of [apart, together]) {
        match((await exported(alter))[0], /short-link/);
        if (alter === apart) {
          const [one] = await exported(alter, { saved_objects_tenants: ['admin_tenant'] });
          match(one, /"id":"root"/);
          doesNotMatch(one, /Night shift/);
        }
        const named = await exported(alter, { saved_objects_types: ['index-pattern'] });
        match(named[0], /alerts/);
        doesNotMatch(named[0], /short-link|Night shift/);
        const [fallback, warned] = await exported((p) => {
          alter(p);
          p.state.savedTypes = null;
        });
        match(fallback, /Night shift/);
        doesNotMatch(fallback, /short-link/);
        match(warned, /only config, dashboard, index-pattern, query, search, visualization are exported/);
      }
    },
  ),
  scenario('only the platform’s repository is enabled and disabled, of both package families', async (stage) => {
    const p = await ours(stage);
    const files = Object.values(p.state.hosts).map(
      ({ name, family }) =>
        [name, family === 'deb' ? '/etc/apt/sources.list.d/platform.list' : '/etc/yum.repos.d/platform.repo'] as const,
    );
    for (const [host, path] of files)
      edit(p.state, host, path, (text) =>
        path.endsWith('.repo')
          ? `[mirror]\nbaseurl=http://mirror.local/x\nenabled=0\n${text}`
          : `# deb packages of the platform\n#deb http://mirror.local/debian stable main\ndeb http://tools.local/debian stable main\n${text}`,
      );
    const texts = (): readonly unknown[] => files.map(([host, path]) => textOf(p.state, host, path));
    const before = texts();
    const enabled = new Set<string>();
    const ran = await p.run('prepare.yaml', {
      before: (_, state) => {
        for (const [host, path] of files)
          if (textOf(state, host, path) !== before[files.findIndex(([h]) => h === host)]) enabled.add(host);
      },
    });
    done(ran);
    deepEqual([...enabled].sort(), [...CENTRAL].sort());
    doesNotMatch(ran.asked, /is enabled already/);
    deepEqual(texts(), before);
  }),
];
