import { afterEach, expect, test } from '@jest/globals';
import { brokenPlatform } from '../broken-platform.js';
import { MODEL_SECRETS, modelHarness, type Harness } from '../cli-harness.js';

let harness: Harness;
let close: () => Promise<unknown> = () => Promise.resolve();
afterEach(async () => {
  await close();
  harness.end();
});

test("on the model a plan is made, is valid and expires on the model's clock", async () => {
  harness = modelHarness('{ socket: model.sock }');
  const { served, state } = await brokenPlatform(harness, []);
  close = () => served.close();
  const run = (...args: string[]) => harness.run(args, { env: MODEL_SECRETS });
  const planned = await run('plan', 'prepare.yaml', '-o', 'change.plan', '--valid', '1h');
  expect(planned.stdout).toMatch(/^DRY RUN at 2026-11-21 22:00 UTC/m);
  expect(planned.stdout).toMatch(/it can be applied once, until 2026-11-21 23:00 UTC/);
  expect((await run('apply', 'change.plan', '--dry-run')).exitCode).toBe(0);
  state.nowMs += 7_200_000;
  const late = await run('apply', 'change.plan', '-y');
  expect([late.exitCode, late.stderr]).toEqual([
    3,
    expect.stringContaining('change.plan expired 2026-11-21 23:00 UTC'),
  ]);
  expect(harness.runs()).toEqual([]);
});
