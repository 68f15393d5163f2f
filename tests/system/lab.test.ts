import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Recorded } from '../../engine/terms/event.js';
import { ask, call, green } from '../lab/indexer-client.js';
import { operatorRemark } from '../lab/indexer-config.js';
import { rootOf } from '../lab/disk.js';
import { inventoryFile } from '../lab/inventory.js';
import { agents, dashboardReady, eventsFlow } from '../lab/platform-client.js';
import { onHost, secret } from '../lab/ssh.js';
import { runDir } from '../lab/state.js';
import { hostNamed, hostsOf } from '../lab/topology.js';
import { startWriter, stopWriter, verifyWritten } from '../lab/writer.js';
import { awayOf, requests, span, tellAway } from './support/away.js';
import { watchElection, type Election } from './support/election.js';
import { freshLab } from './support/lab.js';
import {
  analyzerOptions,
  everywhere,
  insertedInto,
  isRepositoryOff,
  JVM_OPTIONS,
  MANAGER_CONFIG,
  newDefaults,
  operatorOptions,
  optionLines,
  ownershipOn,
  packagesOn,
  readOn,
  repositoryFile,
  startsOn,
  wanted,
} from './support/platform.js';
import { comparedAndTold, report } from './support/report.js';
import { eventsOf, runbook, start, tellOf, type Ran, type Running } from './support/runbook.js';
import { differences, kindsOf, takeSnapshot } from './support/snapshot.js';

/** To this the indexer's package appends new keys, from 4.14 on. */
const INDEXER_CONFIG = '/etc/platform-indexer/opensearch.yml';
/** What the operator of this platform wrote: an upgrade leaves these files alone, byte for byte. */
const OWN_FILES: readonly (readonly [host: string, path: string])[] = [
  ...['server-1', 'server-2'].map((name) => [name, '/etc/filebeat/filebeat.yml'] as const),
  ['dashboard-1', '/etc/platform-dashboard/dashboard.yml'],
  ...['linux-1', 'linux-2'].map((name) => [name, '/var/platform/etc/platform.conf'] as const),
  ...hostsOf().map((host) => [host.name, repositoryFile(host)] as const),
];

const SERVERS = hostsOf(['server']);
const PLAYBOOK = 'upgrade-4.14.yaml';
const inventory = (): string[] => ['-i', inventoryFile()];
const readOwn = (): Record<string, string> =>
  Object.fromEntries(
    OWN_FILES.map(([host, path]) => [`${host}:${path}`, readOn(hostNamed(host), path).toString('latin1')]),
  );
const managerOwnership = (): Record<string, string> =>
  Object.fromEntries(SERVERS.map((host) => [host.name, ownershipOn(host, MANAGER_CONFIG)]));

describe('the lab from 4.12.0, planned, prepared days before, upgraded in one go, and looked at again', () => {
  let planned: Ran;
  let applied: Ran;
  let election: Election;
  let ownBefore: Record<string, string>;
  let ownershipBefore: Record<string, string>;
  const indexerConfigs = new Map<string, string>();
  /** The manager's configuration as its package's own script left it, read between that step and the next. */
  const leftByPackage = new Map<string, Buffer>();

  beforeAll(async () => {
    await freshLab();
    ownBefore = readOwn();
    for (const host of hostsOf(['indexer'])) indexerConfigs.set(host.name, readOn(host, INDEXER_CONFIG).toString());
    ownershipBefore = managerOwnership();
  });

  test('validate finds no mistake', async () => {
    const ran = await runbook(['validate', PLAYBOOK, ...inventory()]);
    expect([ran.exit, ran.stderr]).toEqual([0, '']);
  });

  test('a plan changes nothing on any host nor in the cluster', async () => {
    const before = await takeSnapshot();
    for (const kind of ['about', 'content', 'package', 'unit', 'unit file', 'start', 'source', 'index'])
      expect([kind, kindsOf(before).get(kind) ?? 0]).toEqual([kind, expect.any(Number)]);
    expect(
      Math.min(...['content', 'package', 'unit', 'source', 'index'].map((kind) => kindsOf(before).get(kind) ?? 0)),
    ).toBeGreaterThan(3);
    const first = await runbook(['plan', PLAYBOOK, '--json', ...inventory()]);
    expect(`${first.exit} ${first.exit === 0 ? '' : tellOf(first)}`).toBe('0 ');
    expect(differences(before, await takeSnapshot())).toEqual([]);
  });

  test('prepared: packages of both versions fetched, nothing stopped; then it is planned again', async () => {
    const starts = await everywhere(startsOn);
    const prepared = await runbook(['apply', 'prepare.yaml', '-y', '--json', ...inventory()]);
    expect(`${prepared.exit} ${prepared.exit === 0 ? '' : tellOf(prepared)}`).toBe('0 ');
    expect(await everywhere(startsOn)).toEqual(starts);
    planned = await runbook(['plan', PLAYBOOK, '--json', ...inventory()]);
    expect(`${planned.exit} ${planned.exit === 0 ? '' : tellOf(planned)}`).toBe('0 ');
  });

  test('one apply goes to its end, uninterrupted, while the elected manager moves', async () => {
    await startWriter();
    let running: Running;
    election = watchElection('indexer-3', () => running);
    const onEvent = (recorded: Recorded): void => {
      election.onEvent(recorded);
      const { event } = recorded;
      if (event.e === 'settled' && event.task.step.endsWith('/Upgrade the manager') && 'host' in event.task.on)
        leftByPackage.set(event.task.on.host, readOn(hostNamed(event.task.on.host), MANAGER_CONFIG));
    };
    try {
      running = start(['apply', PLAYBOOK, '-y', '--json', ...inventory()], { onEvent });
      applied = await running.done;
      await election.settled();
    } finally {
      await stopWriter();
    }
    expect(`${applied.exit} ${applied.exit === 0 ? '' : tellOf(applied)}`).toBe('0 ');
    expect(applied.stderr).toBe('');
  });

  test('nothing was fetched between the first stop and the last start', () => {
    const [from, until] = span(awayOf(applied));
    report(`${Math.round((until - from) / 1000)} s from the first stop to the last start`, tellAway(awayOf(applied)));
    expect(awayOf(applied).size).toBe(8);
    expect(requests().filter(({ atMs }) => atMs > from && atMs < until)).toEqual([]);
  });

  test('every package is there in exactly its version', async () => {
    const found = await everywhere(packagesOn);
    const all = Object.values(found).flatMap((packages) => Object.entries(packages));
    expect(all).toHaveLength(10);
    expect(all.filter(([name, state]) => wanted[name] !== state)).toEqual([]);
  });

  test('every service is active, and healthy by what it answers', async () => {
    const starts = await everywhere(startsOn);
    expect(
      Object.values(starts)
        .flatMap((units) => Object.entries(units))
        .filter(([, state]) => !state.startsWith('active ')),
    ).toEqual([]);
    for (const host of SERVERS) {
      const status = await onHost(host, '/var/platform/bin/platform-control status || true');
      expect(status).toContain('platform-analysisd is running');
      expect(await onHost(host, 'cd / && filebeat test output')).toContain('talk to server... OK');
    }
    await dashboardReady(1_000);
    await eventsFlow(30_000);
  });

  test('three nodes of the new version, green', async () => {
    expect(await green(1_000)).toMatchObject({ status: 'green', number_of_nodes: 3, unassigned_shards: 0 });
    const nodes = (await ask('GET', '/_cat/nodes?format=json&h=name,version&s=name')) as unknown[];
    expect(nodes).toEqual(hostsOf(['indexer']).map(({ name }) => ({ name, version: '2.19.4' })));
  });

  test('the agents are active in the new version', async () => {
    const found = (await agents()).map(({ name, version, status }) => `${name} ${version} ${status}`);
    expect(found.sort()).toEqual([
      expect.stringMatching(/^linux-1 .*v4\.14\.7 active$/),
      expect.stringMatching(/^linux-2 .*v4\.14\.7 active$/),
    ]);
  });

  test('every document that was acknowledged is found', async () => {
    const { acknowledged, found, missing, total } = await verifyWritten();
    report(
      `${acknowledged} documents acknowledged, ${found} of them found, ${total} in all; the apply took ${Math.round(applied.tookMs / 1000)} s`,
    );
    expect(missing).toEqual([]);
    expect(acknowledged).toBeGreaterThan(200);
  });

  test('each indexer has the operator’s heap and lines upon the new defaults', () => {
    for (const host of hostsOf(['indexer'])) {
      const options = optionLines(readOn(host, JVM_OPTIONS).toString('utf8'));
      const defaults = optionLines(readOn(host, newDefaults(host, JVM_OPTIONS)).toString('utf8'));
      const isHeap = (line: string): boolean => /^-Xm[sx]/.test(line);
      expect(options.filter((line) => isHeap(line) || line.startsWith('-Dplatform'))).toEqual(operatorOptions);
      // Those that the package's script appends are there once, and in no default.
      expect(options.filter((line) => !operatorOptions.includes(line))).toEqual([
        ...defaults.filter((line) => !isHeap(line)),
        ...analyzerOptions,
      ]);
      expect(defaults).not.toEqual(
        optionLines(readOn(host, `${JVM_OPTIONS}.bak`).toString('utf8')).filter(
          (line) => ![...operatorOptions, ...analyzerOptions].includes(line),
        ),
      );
    }
  });

  test('the manager’s configuration is what its package left, and one fragment', () => {
    for (const host of SERVERS) {
      const before = leftByPackage.get(host.name) ?? Buffer.alloc(0);
      expect(before.toString('utf8')).not.toContain('malicious-ioc-md5');
      const inserted = insertedInto(before, readOn(host, MANAGER_CONFIG)) ?? 'more than one piece differs';
      const elements = inserted
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
      expect(elements).toEqual(['md5', 'sha1', 'sha256'].map((kind) => `<list>etc/lists/malicious-ioc-${kind}</list>`));
    }
    expect(managerOwnership()).toEqual(ownershipBefore);
  });

  test('what the operator wrote is as it was, and the repositories are off', () => {
    expect(readOwn()).toEqual(ownBefore);
    expect(hostsOf().filter((host) => !isRepositoryOff(host))).toEqual([]);
  });

  test('keys that a package’s script appended to the operator’s file are named at the end', () => {
    const warned = eventsOf(applied, 'warned').map((event) => JSON.stringify(event));
    for (const host of hostsOf(['indexer'])) {
      const now = readOn(host, INDEXER_CONFIG).toString();
      expect(now.startsWith(indexerConfigs.get(host.name) ?? 'not read')).toBe(true);
      expect(now.match(/^http\.max_content_length: 100mb$/gm)).toHaveLength(1);
      expect(existsSync(join(rootOf(host), newDefaults(host, INDEXER_CONFIG)))).toBe(false);
      expect(
        warned.filter((w) => w.includes(host.name) && w.includes(INDEXER_CONFIG) && w.includes('+http.max_content')),
      ).toHaveLength(1);
    }
  });

  test('configuration that an RPM replaces is put aside, and a DEB’s is kept', () => {
    const path = '/etc/default/platform-indexer';
    for (const host of hostsOf(['indexer'])) {
      const kept = readOn(host, host.family === 'rpm' ? `${path}.rpmsave` : path).toString('utf8');
      const brought = readOn(host, host.family === 'rpm' ? path : `${path}.dpkg-dist`).toString('utf8');
      expect(kept).toContain(operatorRemark);
      expect(brought).not.toContain(operatorRemark);
    }
  });

  test('a version lock keeps the new version, as it kept the old one', async () => {
    const locked = await onHost(hostNamed('linux-2'), 'grep -v "^#" /etc/dnf/plugins/versionlock.list | grep .');
    expect(locked).toBe('platform-agent-0:4.14.7-1.*\n');
  });

  test('allocation is `all`, and nothing is transient or excluded', async () => {
    const settings = (await ask('GET', '/_cluster/settings?flat_settings=true')) as Record<
      string,
      Record<string, string>
    >;
    expect(settings['persistent']).toMatchObject({ 'cluster.routing.allocation.enable': 'all' });
    expect(settings['transient']).toEqual({});
    const state = (await ask(
      'GET',
      '/_cluster/state/metadata?filter_path=metadata.cluster_coordination.voting_config_exclusions',
    )) as {
      metadata: { cluster_coordination: { voting_config_exclusions: unknown[] } };
    };
    expect(state.metadata.cluster_coordination.voting_config_exclusions).toEqual([]);
  });

  test('the elected manager came last, although it moved, and although it was the first of the inventory', () => {
    expect(election.moved).toEqual({ from: 'indexer-1', to: 'indexer-3' });
    expect(election.taken.map(({ host }) => host)).toEqual(['indexer-2', 'indexer-1', 'indexer-3']);
    expect(election.taken.slice(0, 2).map(({ electedThen }) => electedThen)).toEqual(['indexer-1', 'indexer-3']);
    const lastSeen = eventsOf(applied, 'settled').findLast(
      ({ task, name }) =>
        name === 'Wait until nodes are in one cluster' && 'host' in task.on && task.on.host === 'indexer-1',
    );
    expect(lastSeen).toMatchObject({ as: 'ok', reason: 'Nodes are in one cluster' });
  });

  test('the master came after the worker', () => {
    const chosen = eventsOf(applied, 'host-chosen').filter(({ play }) => play.endsWith('/Upgrade each server'));
    expect(chosen.map(({ host }) => host)).toEqual(['server-2', 'server-1']);
  });

  test('nothing was done that the plan had not said, byte by byte, and it knew all but four of a hundred', () => {
    const { right, wrong, onlyAtApply } = comparedAndTold(planned, applied);
    expect(wrong).toEqual([]);
    expect(right.length).toBeGreaterThan(60);
    // A report that had nothing to say is no change that the plan did not know, nor is the copy of a backup that the security tool has yet to
    // make. The old package of an agent is fetched by dnf in the run itself.
    const changes = onlyAtApply.filter((o) => !/\(then left alone\)|Archive the security backup/.test(o)).length;
    expect(changes / (right.length + changes)).toBeLessThanOrEqual(0.04);
  });

  test('no secret of the inventory’s is in what it printed or kept', async () => {
    const texts = [
      planned.stdout,
      applied.stdout,
      ...filesUnder(join(runDir(), '.runbook')).map((file) => readFileSync(file, 'latin1')),
    ];
    for (const name of ['indexer', 'api']) {
      const value = await secret(name);
      for (const form of [
        value,
        Buffer.from(`admin:${value}`).toString('base64'),
        Buffer.from(`ops:${value}`).toString('base64'),
      ])
        expect(texts.filter((text) => text.includes(form))).toHaveLength(0);
    }
    for (const file of filesUnder(join(runDir(), '.runbook'))) expect(statSync(file).mode & 0o077).toBe(0);
  });

  test('a second apply changes nothing and restarts nothing', async () => {
    const before = await everywhere(startsOn);
    const snapshot = await takeSnapshot();
    const again = await runbook(['apply', PLAYBOOK, '-y', '--json', ...inventory()]);
    expect(`${again.exit} ${again.exit === 0 ? '' : tellOf(again)}`).toBe('0 ');
    expect(eventsOf(again, 'intent').map(({ name }) => name)).toEqual([]);
    expect(eventsOf(again, 'settled').filter(({ changed }) => changed)).toEqual([]);
    expect(await everywhere(startsOn)).toEqual(before);
    expect(differences(snapshot, await takeSnapshot())).toEqual([]);
    expect((await call(hostNamed('indexer-1'), 'GET', '/_cluster/health')).status).toBe(200);
  });
});

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );
