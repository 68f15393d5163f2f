import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { rootOf } from '../lab/disk.js';
import { ask, green } from '../lab/indexer-client.js';
import { inventoryFile } from '../lab/inventory.js';
import { hostNamed, hostsOf } from '../lab/topology.js';
import { startWriter, stopWriter, verifyWritten } from '../lab/writer.js';
import { killedAt, type Point } from '../system/support/killed.js';
import { freshLab } from '../system/support/lab.js';
import {
  everywhere,
  isRepositoryOff,
  JVM_OPTIONS,
  operatorOptions,
  optionLines,
  packagesOn,
  readOn,
  startsOn,
  wanted,
} from '../system/support/platform.js';
import { eventsOf, runbook, tellOf } from '../system/support/runbook.js';

const PLAYBOOK = 'upgrade-4.14.yaml';
const inventory = (): string[] => ['-i', inventoryFile()];

/** A change begun. */
const FIRST: Point = { e: 'intent', step: 'Stop the dashboard' };
/** A package being installed by a job on its host, and right before the next decision. */
const OTHERS: readonly Point[] = [
  { e: 'intent', step: 'Upgrade the package', host: 'indexer-3' },
  { e: 'settled', step: 'Add the ruleset fragment', host: 'server-2' },
];

/** What a server's shipper is to be given lies on it before the first stop, and is judged once more before it replaces anything. */
const TEMPLATE = join(rootOf(hostNamed('server-2')), '/var/backups/runbook/before-4.14/fetched/index-template.json');
const off = (): readonly string[] =>
  hostsOf()
    .filter(isRepositoryOff)
    .map(({ name }) => name);

describe('an apply whose controller is killed again and again, and that fails once', () => {
  let startsOfFirst: Record<string, string> | undefined;

  beforeAll(async () => {
    await freshLab();
    await startWriter();
  });

  test('is in the way of another apply', async () => {
    expect((await killedAt(['apply', PLAYBOOK, '-y', ...inventory()], FIRST)).exit).toBe(-1);
    expect(await runbook(['apply', PLAYBOOK, '-y', ...inventory()])).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('runbook resume') as unknown,
    });
  });

  test.each(OTHERS)('goes on where it was, to $step', async (point) => {
    const ran = await killedAt(['resume', '-y', ...inventory()], point);
    expect(`${ran.exit} ${ran.exit === -1 ? '' : tellOf(ran)}`).toBe('-1 ');
    startsOfFirst ??= await startsOn(hostNamed('indexer-2'));
  });

  test('fails where the index template was spoilt, leaves the repositories off, and keeps what has to stay as it is', async () => {
    const whole = readFileSync(TEMPLATE);
    writeFileSync(TEMPLATE, whole.subarray(0, 100));
    const ran = await runbook(['resume', '-y', '--json', ...inventory()]);
    writeFileSync(TEMPLATE, whole);
    const ended = eventsOf(ran, 'run-ended').at(-1);
    expect(`${ran.exit} ${ran.exit === 1 ? '' : tellOf(ran)}`).toBe('1 ');
    expect(
      eventsOf(ran, 'settled')
        .filter(({ as }) => as !== 'done' && as !== 'ok')
        .map(({ reason }) => reason),
    ).toEqual([expect.stringMatching(/index-template\.json: it is no JSON/)]);
    expect(ended?.notRestored.map(({ name }) => name).sort()).toEqual([
      // Until a run ends well, no `apt upgrade` may mix versions.
      ...hostsOf().map(() => 'Lock the packages'),
      'Stop the dashboard',
      'Stop the shipper',
      'Stop the shipper',
    ]);
    expect(ended?.untouched).toEqual(expect.arrayContaining([expect.stringMatching(/^Dashboard \/ /)]));
    expect(off()).toEqual(hostsOf().map(({ name }) => name));
  });

  test('and goes on to its end when it is whole again', async () => {
    const last = await runbook(['resume', '-y', '--json', ...inventory()]);
    await stopWriter();
    expect(`${last.exit} ${last.exit === 0 ? '' : tellOf(last)}`).toBe('0 ');
    expect(eventsOf(last, 'intent').filter(({ task }) => task.step.includes('/Upgrade each node/'))).toEqual([]);
    expect(await startsOn(hostNamed('indexer-2'))).toEqual(startsOfFirst);
  });

  test('and the platform is as after a run that was never killed', async () => {
    const found = Object.values(await everywhere(packagesOn)).flatMap((packages) => Object.entries(packages));
    expect(found).toHaveLength(10);
    expect(found.filter(([name, state]) => wanted[name] !== state)).toEqual([]);
    const units = Object.values(await everywhere(startsOn)).flatMap((starts) => Object.entries(starts));
    expect(units.filter(([, state]) => !state.startsWith('active '))).toEqual([]);
    expect(off()).toEqual(hostsOf().map(({ name }) => name));
    for (const host of hostsOf(['indexer']))
      expect(optionLines(readOn(host, JVM_OPTIONS).toString('utf8'))).toEqual(
        expect.arrayContaining([...operatorOptions]),
      );
    expect(await green(1_000)).toMatchObject({ number_of_nodes: 3, unassigned_shards: 0 });
    expect(await ask('GET', '/_cluster/settings?flat_settings=true')).toMatchObject({
      persistent: { 'cluster.routing.allocation.enable': 'all' },
      transient: {},
    });
    expect((await verifyWritten()).missing).toEqual([]);
  });

  test('so that another apply has nothing to do', async () => {
    const again = await runbook(['apply', PLAYBOOK, '-y', '--json', ...inventory()]);
    expect(`${again.exit} ${again.exit === 0 ? '' : tellOf(again)}`).toBe('0 ');
    expect(eventsOf(again, 'intent').map(({ name }) => name)).toEqual([]);
  });
});
