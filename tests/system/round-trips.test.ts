import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startHosts, type BenchHosts } from '../bench/hosts.js';
import { writeInventory } from '../bench/inventory.js';
import { cost } from '../bench/measure.js';
import { planModel, slope } from '../bench/model-plan.js';
import { roundTrips } from '../bench/round-trips.js';
import { runbook, workFile } from '../bench/work.js';

const COUNT = 50;
let hosts: BenchHosts;
let apply: () => ReturnType<typeof cost>;

beforeAll(async () => {
  hosts = await startHosts(COUNT);
  const inventory = writeInventory(hosts, 'inventory');
  apply = () => cost({ argv: runbook('apply', '-y', '-i', inventory, workFile('ten-steps.yaml')) });
  await apply();
});
afterAll(() => hosts.stop());

describe('steps that need no change', () => {
  test('take at most 1.1 round trips a host and step', async () => {
    const { perStep, cost: run } = await roundTrips({ ...hosts, addresses: hosts.addresses.slice(0, 5) }, 50);
    expect(run.stdout).toMatch(/\b0 changed/);
    expect(perStep).toHaveLength(5);
    // Counted ones: fewer than one in all would mean that nothing was counted.
    expect(Math.min(...perStep)).toBeGreaterThanOrEqual(0.1);
    expect(Math.max(...perStep)).toBeLessThanOrEqual(1.1);
  });

  test('on 50 hosts take at most 150 MB', async () => {
    const run = await apply();
    expect(run.stdout).toMatch(/\b0 changed/);
    expect(run.peakMb).toBeLessThanOrEqual(150);
  });
});

test('1,000 model hosts are planned in less than 400 MB, as much for each further host', async () => {
  // The least of two runs, and sizes far apart: a busy machine adds to a run, and one such run must not decide.
  const plan = (count: number): ReturnType<typeof planModel> =>
    planModel(hosts.folder, count, 2, (all) => Math.min(...all));
  const small = await plan(250);
  const middle = await plan(1000);
  const large = await plan(2000);
  expect(middle.peakMb).toBeLessThan(400);
  expect(slope(middle, large, 'peakMb')).toBeLessThan(2 * slope(small, middle, 'peakMb'));
  // Time in the square of the hosts would make this 2.4: what is constant in it grows not at all.
  expect(slope(middle, large, 'cpuMs')).toBeLessThan(2 * slope(small, middle, 'cpuMs'));
});
