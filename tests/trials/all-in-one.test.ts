import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { rootOf } from '../lab/disk.js';
import { pause } from '../lab/hosts.js';
import { ask, green } from '../lab/indexer-client.js';
import { inventoryFile } from '../lab/inventory.js';
import { dashboardReady, eventsFlow } from '../lab/platform-client.js';
import { operatorSessions } from '../lab/standin-config.js';
import { firstOf, hostsOf, type LabHost } from '../lab/topology.js';
import { startWriter, stopWriter, verifyWritten } from '../lab/writer.js';
import { awayOf, tellAway } from '../system/support/away.js';
import { killedAt } from '../system/support/killed.js';
import { freshLab } from '../system/support/lab.js';
import {
  everywhere,
  isRepositoryOff,
  newDefaults,
  packagesOn,
  readOn,
  startsOn,
  wanted,
} from '../system/support/platform.js';
import { comparedAndTold, report } from '../system/support/report.js';
import { eventsOf, runbook, start, tellOf, type Ran, type Running } from '../system/support/runbook.js';
import { makeIt } from '../system/support/zone.js';

const PLAYBOOK = 'upgrade-4.14.yaml';
const inventory = (): string[] => ['-i', inventoryFile()];
const outcome = (ran: Ran): string => `${ran.exit} ${ran.exit === 0 ? '' : tellOf(ran)}`;
const warnings = (ran: Ran): readonly string[] => eventsOf(ran, 'warned').map(({ text }) => text);
const checkedIn = (ran: Ran): readonly string[] => eventsOf(ran, 'checked').map(({ name }) => name);
const actedOn = (ran: Ran): readonly string[] => eventsOf(ran, 'intent').map(({ name }) => name);

const ALERTS = 'var/platform/logs/alerts';

/** The alert files of a day that is over, as the manager put them away. */
const putAway = (host: LabHost): string[] =>
  execFileSync('find', [join(rootOf(host), ALERTS), '-name', 'platform-alerts-*.json'], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '');

/** The id of each alert that the manager ever wrote. */
function writtenAlerts(host: LabHost): readonly string[] {
  const files = [...putAway(host), join(rootOf(host), ALERTS, 'alerts.json')].filter(existsSync);
  const lines = execFileSync('cat', files, { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line !== '').map((line) => (JSON.parse(line) as { id: string }).id);
}

/** The id of each alert that the indexer has, as often as it has it. */
async function shippedAlerts(): Promise<readonly string[]> {
  await ask('POST', '/platform-alerts-4.x-*/_refresh');
  const answer = await ask('POST', '/platform-alerts-4.x-*/_search?size=10000', {
    _source: ['id'],
    query: { exists: { field: 'id' } },
  });
  return (answer as { hits: { hits: { _source: { id: string } }[] } }).hits.hits.map(({ _source }) => _source.id);
}

/** Waits until the indexer has each of these, or for half a minute; answers those it has not. */
async function missingOf(written: readonly string[]): Promise<readonly string[]> {
  for (let round = 0; ; round += 1) {
    const shipped = new Set(await shippedAlerts());
    const missing = written.filter((id) => !shipped.has(id));
    if (missing.length === 0 || round === 60) return missing;
    await pause(500);
  }
}

/** Lets it be midnight on the host, until the manager has put the day's alerts away. */
async function midnight(host: LabHost, day: 'yesterday' | 'today'): Promise<void> {
  const before = putAway(host).length;
  await makeIt(host, day, '23:59:58');
  for (let round = 0; putAway(host).length === before; round += 1) {
    if (round === 120) throw new Error('the manager did not put its alerts away');
    await pause(500);
  }
}

/** Every alert that was written until now is in the indexer, and none is there twice. */
async function expectAllShippedOnce(host: LabHost): Promise<void> {
  const written = writtenAlerts(host);
  expect(await missingOf(written)).toEqual([]);
  const shipped = await shippedAlerts();
  expect(shipped.length).toBeGreaterThanOrEqual(written.length);
  expect(new Set(shipped).size).toBe(shipped.length);
  report(`${written.length} alerts, each shipped once`);
}

const DASHBOARD_CONFIG = '/etc/platform-dashboard/dashboard.yml';

describe('a lab with all on one host of RPMs, from 4.11.2, over two midnights', () => {
  let planned: Ran;
  let applied: Ran;
  let host: LabHost;
  let dashboardConfig: string;

  beforeAll(async () => {
    await freshLab('4.11.2', 'all-in-one');
    host = firstOf('indexer');
    dashboardConfig = readOn(host, DASHBOARD_CONFIG).toString();
    await makeIt(host, 'yesterday', '23:00:00');
    await startWriter();
  });

  test('the plan warns that there is no rollback and that the log rotates, and asks about the replicas', async () => {
    const first = await runbook(['plan', PLAYBOOK, '--json', ...inventory()]);
    expect(outcome(first)).toBe('0 ');
    expect(warnings(first)).toContainEqual(
      expect.stringMatching(/this upgrade cannot be rolled back: a downgrade to 4\.11 or earlier is impossible/),
    );
    expect(warnings(first)).toContainEqual(expect.stringMatching(/log rotation while the shipper is stopped/));
    expect(checkedIn(first)).toContain('Confirm replicas that cannot be assigned');
  });

  test('without a terminal, nothing is started', async () => {
    const starts = await everywhere(startsOn);
    const alone = await runbook(['apply', PLAYBOOK, '-y', '--json', ...inventory()]);
    expect(alone.exit).toBe(3);
    expect(eventsOf(alone, 'run-ended')[0]).toMatchObject({ as: 'refused', notRestored: [] });
    expect(await everywhere(startsOn)).toEqual(starts);
  });

  test('a run that dies with the shipper stopped, and is released after midnight, loses no alert', async () => {
    await killedAt(['apply', PLAYBOOK, '-y', ...inventory()], { e: 'settled', step: 'Stop the shipper' }, 'y');
    await midnight(host, 'yesterday');
    const released = await runbook(['close', '-y', '--json', ...inventory()]);
    expect(outcome(released)).toBe('0 ');
    await expectAllShippedOnce(host);
  });

  test('one apply goes to its end, with the next midnight while the shipper is away', async () => {
    await makeIt(host, 'today', '23:00:00');
    planned = await runbook(['plan', PLAYBOOK, '--json', ...inventory()]);
    let held: Promise<void> | undefined;
    const running: Running = start(['apply', PLAYBOOK, '-y', '--json', ...inventory()], {
      answer: 'y',
      onEvent: ({ event }) => {
        if (event.e !== 'settled' || event.name !== 'Stop the indexer') return;
        running.pause();
        held ??= midnight(host, 'today').finally(() => running.goOn());
      },
    });
    try {
      applied = await running.done;
      await held;
    } finally {
      await stopWriter();
    }
    expect(outcome(applied)).toBe('0 ');
    report('all on one host', tellAway(awayOf(applied)));
    const found = Object.values(await everywhere(packagesOn)).flatMap((packages) => Object.entries(packages));
    expect(found).toHaveLength(5);
    expect(found.filter(([name, state]) => wanted[name] !== state)).toEqual([]);
    expect(hostsOf().filter((each) => !isRepositoryOff(each))).toEqual([]);
  });

  test('a setting of the operator that the package’s script appended again is there once, as he wrote it', () => {
    expect(readOn(host, DASHBOARD_CONFIG).toString()).toBe(dashboardConfig);
    expect(dashboardConfig).toContain(operatorSessions);
    expect(existsSync(join(rootOf(host), newDefaults(host, DASHBOARD_CONFIG)))).toBe(false);
  });

  test('nothing that was written is missing, and every alert was shipped once, also those written before midnight', async () => {
    expect((await verifyWritten()).missing).toEqual([]);
    expect(putAway(host)).toHaveLength(2);
    await expectAllShippedOnce(host);
  });

  test('the platform is well', async () => {
    expect(await green(1_000)).toMatchObject({ number_of_nodes: 1, status: 'yellow' });
    await dashboardReady(30_000);
    await eventsFlow(30_000);
  });

  test('the plan was right byte by byte, but for midnight', () => {
    const { right, wrong } = comparedAndTold(planned, applied);
    // It warned of midnight, and could not know whether the run would be that long.
    expect(wrong).toEqual([
      expect.stringMatching(
        /Ship rotated alerts@host:all-in-one: planned ".* no longer kept", done ".*the rest of .* shipped"$/,
      ),
    ]);
    expect(right.length).toBeGreaterThan(30);
  });

  test('a second apply changes nothing', async () => {
    const starts = await everywhere(startsOn);
    const again = await runbook(['apply', PLAYBOOK, '-y', '--json', ...inventory()]);
    expect(outcome(again)).toBe('0 ');
    expect(actedOn(again)).toEqual([]);
    expect(await everywhere(startsOn)).toEqual(starts);
  });
});
