import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hintText } from '../../engine/terms/hint.js';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { ask, green } from '../lab/indexer-client.js';
import { inventoryFile } from '../lab/inventory.js';
import { agents, agentsActive, dashboardReady } from '../lab/platform-client.js';
import { onHost } from '../lab/ssh.js';
import { inRun } from '../lab/state.js';
import { hostNamed, hostsOf } from '../lab/topology.js';
import { startWriter, stopWriter, verifyWritten } from '../lab/writer.js';
import { killedAt, killedWhen } from './support/killed.js';
import { freshLab } from './support/lab.js';
import {
  everywhere,
  isRepositoryOff,
  JVM_OPTIONS,
  MANAGER_CONFIG,
  packagesOn,
  readOn,
  startsOn,
} from './support/platform.js';
import { report } from './support/report.js';
import { eventsOf, runbook, tellOf, type Ran } from './support/runbook.js';

const PLAYBOOK = 'upgrade-4.14.yaml';
const NODES = hostsOf(['indexer']);
const inventory = (): string[] => ['-i', inventoryFile()];
const failed = (ran: Ran, exit: number): string => `${ran.exit} ${ran.exit === exit ? '' : tellOf(ran)}`;
const actedOn = (ran: Ran): readonly string[] => eventsOf(ran, 'intent').map(({ name }) => name);
const reasons = (ran: Ran): string =>
  [
    ...eventsOf(ran, 'run-ended').map(({ reason }) => reason ?? ''),
    ...eventsOf(ran, 'settled').flatMap((e) =>
      e.as === 'blocked' || e.as === 'failed' ? [`${e.reason ?? ''} | ${hintText(e.hint ?? '')}`] : [],
    ),
  ].join('\n');

/** What a rollback has to restore, byte for byte: configuration, packages, and which services run. */
async function asItIs(): Promise<Record<string, unknown>> {
  const files = [
    ...NODES.flatMap((host) =>
      [JVM_OPTIONS, '/etc/platform-indexer/opensearch.yml'].map((path) => [host, path] as const),
    ),
    ...hostsOf(['server']).flatMap((host) =>
      [MANAGER_CONFIG, '/etc/filebeat/filebeat.yml'].map((path) => [host, path] as const),
    ),
    ...hostsOf(['dashboard']).map((host) => [host, '/etc/platform-dashboard/dashboard.yml'] as const),
  ];
  return {
    packages: await everywhere(packagesOn),
    files: Object.fromEntries(
      files.map(([host, path]) => [`${host.name}:${path}`, readOn(host, path).toString('utf8')]),
    ),
    down: Object.values(await everywhere(startsOn)).flatMap((units) =>
      Object.entries(units).flatMap(([unit, state]) => (state.startsWith('active ') ? [] : [unit])),
    ),
  };
}

const enginesOf = async (): Promise<readonly string[]> =>
  ((await ask('GET', '/_cat/nodes?format=json&h=version')) as { version: string }[]).map(({ version }) => version);

/** The lab's inventory without its agents' hosts: they are the management API's to upgrade. */
function withoutAgents(): string[] {
  const lines = readFileSync(inventoryFile(), 'utf8').split('\n');
  const file = inRun('inventory-without-agents.yaml');
  writeFileSync(file, lines.filter((line) => !line.includes('roles: [agent]')).join('\n'), { mode: 0o600 });
  return ['-i', file];
}

describe('the lab from 4.13.1, stopped after the second indexer, and back', () => {
  let before: Record<string, unknown>;

  beforeAll(async () => {
    await freshLab('4.13.1');
    before = await asItIs();
    await startWriter();
  });

  test('an upgrade dies when two indexers are done', async () => {
    let left = 0;
    const ran = await killedWhen(['apply', PLAYBOOK, '-y', ...inventory()], (event) => {
      if (event.e === 'host-left' && event.play.endsWith('/Upgrade each node')) left += 1;
      return left === 2;
    });
    expect(failed(ran, -1)).toBe('-1 ');
    expect([...(await enginesOf())].sort()).toEqual(['2.19.3', '2.19.4', '2.19.4']);
  });

  test('the rollback asks before it overrides the version of the data; without a terminal it is refused', async () => {
    const versions = await everywhere(packagesOn);
    const ran = await runbook(['rollback', '-y', '--json', ...inventory()]);
    expect(failed(ran, 3)).toBe('3 ');
    expect(ran.stderr).toMatch(/override-version/);
    expect(await everywhere(packagesOn)).toEqual(versions);
  });

  test('with a yes it ends with three healthy nodes of 4.13.1 and every document', async () => {
    const ran = await runbook(['rollback', '-y', '-e', 'override_version=true', '--json', ...inventory()]);
    await stopWriter();
    expect(failed(ran, 0)).toBe('0 ');
    expect(
      eventsOf(ran, 'settled').filter(({ name, changed }) => name === 'Override the data version' && changed),
    ).toHaveLength(2);
    expect(await enginesOf()).toEqual(['2.19.3', '2.19.3', '2.19.3']);
    expect(await green(60_000)).toMatchObject({ number_of_nodes: 3, unassigned_shards: 0 });
    const { acknowledged, found, missing } = await verifyWritten();
    report(
      `${acknowledged} documents acknowledged, ${found} of them found; the rollback took ${Math.round(ran.tookMs / 1000)} s`,
    );
    expect(missing).toEqual([]);
    expect(acknowledged).toBeGreaterThan(200);
  });

  test('and everything else is as it was before the upgrade', async () => {
    expect(await asItIs()).toEqual(before);
    expect(hostsOf().filter((host) => !isRepositoryOff(host))).toEqual([]);
    expect(await ask('GET', '/_cluster/settings?flat_settings=true')).toMatchObject({
      persistent: { 'cluster.routing.allocation.enable': 'all' },
      transient: {},
    });
    await dashboardReady(30_000);
    expect(actedOn(await runbook(['rollback', '-y', '--json', ...inventory()]))).toEqual([]);
  });

  test('past the first index that only the new engine reads it refuses, says which and what would be lost, and changes nothing', async () => {
    const upgraded = await runbook(['apply', 'indexer.yaml', '-y', '--json', ...inventory()]);
    expect(failed(upgraded, 0)).toBe('0 ');
    await ask('PUT', '/made-by-the-new-engine/_doc/1', { rule: 1 });
    const ran = await runbook(['rollback', '-y', '-e', 'override_version=true', '--json', ...inventory()]);
    expect(failed(ran, 3)).toBe('3 ');
    expect(reasons(ran)).toMatch(
      /newer engine than 2\.19\.3[\s\S]*made-by-the-new-engine \(2\.19\.4\)[\s\S]*would be lost/,
    );
    expect(actedOn(ran)).toEqual([]);
    expect(await enginesOf()).toEqual(['2.19.4', '2.19.4', '2.19.4']);
    await ask('DELETE', '/made-by-the-new-engine');
  });

  test('one that is empty does not end it: it is deleted, a hidden one too, and none with a document', async () => {
    for (const [name, hidden] of [['empty', false] as const, ['.empty-too', true] as const])
      await ask('PUT', `/${name}`, { settings: { number_of_shards: 2, number_of_replicas: 1, hidden } });
    const plan = await runbook(['rollback', '--dry-run', '-e', 'delete_empty_indices=true', '--json', ...inventory()]);
    expect(failed(plan, 0)).toBe('0 ');
    expect(
      eventsOf(plan, 'checked').flatMap(({ name, change }) =>
        name === 'Delete the empty indices' ? [change?.summary] : [],
      ),
    ).toEqual(['delete 2 empty indices: .empty-too, empty']);

    await ask('PUT', '/empty-once/_doc/1?refresh=true', { rule: 1 });
    await ask('DELETE', '/empty-once/_doc/1?refresh=true');
    const cwd = mkdtempSync(join(tmpdir(), 'empty-'));
    const deleting = async (names: string): Promise<Ran> => {
      writeFileSync(
        join(cwd, 'delete.yaml'),
        `playbook: Delete\nplays:\n  - play: Delete\n    hosts: indexer\n    run_once: true\n    steps:\n      - step: Delete\n        empty-indices: { endpoint: indexer, names: [${names}], state: absent }\n`,
      );
      return runbook(['apply', 'delete.yaml', '-y', '--json', ...inventory()], { cwd });
    };
    const refused = await deleting('empty, empty-once');
    expect(failed(refused, 3)).toBe('3 ');
    expect(reasons(refused)).toMatch(/^empty-once is not empty any more.*nothing was deleted/m);
    expect(failed(await deleting('empty, .empty-too'), 0)).toBe('0 ');
    await ask('DELETE', '/empty-once');
    const left = (await ask('GET', '/_cat/indices?h=index&expand_wildcards=all&format=json')) as { index: string }[];
    expect(left.filter(({ index }) => index.includes('empty'))).toEqual([]);
    rmSync(cwd, { recursive: true });
  });
});

describe('the rest of the upgrade, agents over the management API in waves', () => {
  test('is killed inside a package, is in the way of another apply, and is killed before the next decision', async () => {
    const waves = ['-e', 'agents_canary=1', '-e', 'agents_wave=1'];
    const upgrade = { step: 'Upgrade the manager', host: 'server-2' };
    const begun = await killedAt(['apply', PLAYBOOK, '-y', ...waves, ...withoutAgents()], { e: 'intent', ...upgrade });
    expect(failed(begun, -1)).toBe('-1 ');
    expect(await runbook(['apply', PLAYBOOK, '-y', ...withoutAgents()])).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('runbook resume') as unknown,
    });
    const resumed = await killedAt(['resume', '-y', ...withoutAgents()], { e: 'settled', ...upgrade });
    expect(failed(resumed, -1)).toBe('-1 ');
  });

  test('goes to its end, one agent a wave, none sent twice', async () => {
    const ran = await runbook(['resume', '-y', '--json', ...withoutAgents()]);
    expect(failed(ran, 0)).toBe('0 ');
    await agentsActive(30_000);
    expect((await agents()).map(({ name, version }) => `${name} ${version}`).sort()).toEqual([
      expect.stringMatching(/^linux-1 .*v4\.14\.7$/),
      expect.stringMatching(/^linux-2 .*v4\.14\.7$/),
    ]);
    const installed = await everywhere(packagesOn);
    expect(['linux-1', 'linux-2'].map((name) => installed[name]?.['platform-agent'])).toEqual([
      'ii 4.14.7-1',
      'ii 4.14.7-1',
    ]);
  });

  test('a server cannot go back below an agent: nothing is changed', async () => {
    const ran = await runbook(['rollback', '-y', '-e', 'override_version=true', '--json', ...inventory()]);
    expect(failed(ran, 3)).toBe('3 ');
    expect(reasons(ran)).toMatch(/an agent is newer than 4\.13\.1/);
    expect(actedOn(ran)).toEqual([]);
  });
});

describe('runbook diagnose', () => {
  const found = (ran: Ran): readonly string[] =>
    eventsOf(ran, 'found').map(({ text, task }) => `${'host' in task.on ? task.on.host : ''}: ${text}`);

  test('finds nothing on the healthy platform, and changes nothing', async () => {
    const starts = await everywhere(startsOn);
    const ran = await runbook(['diagnose', '--json', ...inventory()]);
    expect(found(ran)).toEqual([]);
    expect(failed(ran, 0)).toBe('0 ');
    expect(await everywhere(startsOn)).toEqual(starts);
  });

  test('names what was broken, with its evidence and its remedy', async () => {
    const [indexer, server, dashboard] = [hostNamed('indexer-3'), hostNamed('server-1'), hostNamed('dashboard-1')];
    await onHost(
      indexer,
      `echo '-XX:+UseConcMarkSweepGC' >>${JVM_OPTIONS}; systemctl restart platform-indexer || true`,
    );
    await onHost(
      server,
      'cp -p /etc/filebeat/filebeat.yml /var/tmp/ && sed -i s/root-ca.pem/ca.pem/ /etc/filebeat/filebeat.yml',
    );
    await onHost(
      dashboard,
      'systemctl stop platform-dashboard && mv /etc/platform-dashboard/certs/dashboard.pem /etc/platform-dashboard/certs/old.pem',
    );
    const ran = await runbook(['diagnose', '--json', ...inventory()]);
    expect(failed(ran, 1)).toBe('1 ');
    expect(found(ran)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^indexer-3: platform-indexer does not run/),
        expect.stringMatching(/^indexer-3: .*jvm\.options differs from its saved copy/),
        expect.stringMatching(/^server-1: .*test output does not reach/),
        expect.stringMatching(/^server-1: .*ca\.pem, .* is not there/),
        expect.stringMatching(/^dashboard-1: platform-dashboard does not run/),
        expect.stringMatching(/^dashboard-1: there is no certificate at .*dashboard\.pem/),
      ]),
    );
    const told = eventsOf(ran, 'found');
    expect(told.flatMap(({ evidence }) => evidence).join('\n')).toMatch(/Unrecognized VM option 'UseConcMarkSweepGC'/);
    expect(told.every(({ remedy }) => remedy !== '')).toBe(true);
  });

  test('and nothing more once the remedies are applied', async () => {
    await onHost(
      hostNamed('indexer-3'),
      `sed -i '/UseConcMarkSweepGC/d' ${JVM_OPTIONS} && systemctl start platform-indexer`,
    );
    await onHost(hostNamed('server-1'), 'mv /var/tmp/filebeat.yml /etc/filebeat/filebeat.yml');
    await onHost(
      hostNamed('dashboard-1'),
      'mv /etc/platform-dashboard/certs/old.pem /etc/platform-dashboard/certs/dashboard.pem && systemctl start platform-dashboard',
    );
    await green(60_000);
    await dashboardReady(30_000);
    const ran = await runbook(['diagnose', '--json', ...inventory()]);
    expect(found(ran)).toEqual([]);
    expect(failed(ran, 0)).toBe('0 ');
  });
});
