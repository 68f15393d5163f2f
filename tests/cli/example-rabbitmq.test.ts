import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { lineOf, openHarness, type Harness } from './cli-harness.js';

const example = join(import.meta.dirname, '../../docs/examples/rabbitmq');
const files = Object.fromEntries(readdirSync(example).map((name) => [name, readFileSync(join(example, name), 'utf8')]));
const INVENTORY = ['-i', 'inventory.yaml', '-i', 'on-model.yaml'];

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** The brokers of the example, of which mq-2 has this fault once. */
async function open(fault?: object): Promise<Harness> {
  const harness = openHarness(files);
  ends.push(() => {
    harness.end();
  });
  const faults = JSON.stringify({
    faults: fault === undefined ? [] : [{ fault: 'step', host: 'mq-2', times: 1, ...fault }],
  });
  const served = harness.start(['model', 'upgrade.yaml', ...INVENTORY, '-e', '@model.yaml', '-e', faults]);
  ends.push(async () => {
    served.kill('SIGTERM');
    await served;
  });
  await lineOf(served.stdout, /listens on/);
  return harness;
}

test('each node is drained, upgraded and returned as planned, and a second run does nothing', async () => {
  const harness = await open();
  const applied = await harness.run(['apply', 'upgrade.yaml', ...INVENTORY, '-y']);
  expect([applied.exitCode, applied.stdout]).toEqual([0, expect.stringMatching(/\nAs planned: all \d+ steps\.\n/)]);
  expect(applied.stdout).toContain('\n 3 temporary changes, all restored\n');
  const again = await harness.run(['apply', 'upgrade.yaml', ...INVENTORY, '-y']);
  expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining('\n 0 changed ')]);
});

test.each([
  ['a drain that fails is ended at once', { step: 'Drain the node', how: 'fails' }, undefined],
  ['a drain that was cut is ended, and made again', { step: 'Drain the node', how: 'unknown' }, undefined],
  [
    'a node whose package failed stays drained until it is upgraded',
    { step: 'Upgrade the package', how: 'fails' },
    'Temporary changes in effect: Drain the node (mq-2)',
  ],
])('%s, and the run is resumed', async (_, fault, left) => {
  const harness = await open(fault);
  const failed = await harness.run(['apply', 'upgrade.yaml', ...INVENTORY, '-y']);
  expect(failed.exitCode).toBe(1);
  expect(/^Temporary changes in effect.*$/m.exec(failed.stdout)?.[0]).toBe(left);
  const resumed = await harness.run(['resume', '-y', ...INVENTORY]);
  expect([resumed.exitCode, resumed.stdout]).toEqual([
    0,
    expect.stringContaining('\n 3 temporary changes, all restored\n'),
  ]);
});
