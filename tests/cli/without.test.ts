import { afterEach, expect, test } from '@jest/globals';
import { brokenPlatform, killedAt, UPGRADE_INDEXER } from './broken-platform.js';
import { modelHarness, MODEL_SECRETS } from './cli-harness.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

test('a run is not continued without a host that is half upgraded (§7) or at another version (§9.1), and can be closed without it', async () => {
  const harness = modelHarness('{ socket: model.sock }');
  ends.push(() => harness.end());
  const { served, watch } = await brokenPlatform(harness, []);
  ends.push(() => served.close());
  const half = await killedAt(harness, watch, ['apply', 'upgrade-4.14.yaml', '-y'], UPGRADE_INDEXER);
  const next = ['indexer-1', 'indexer-2', 'indexer-3'].find((host) => host !== half) ?? '';
  const resume = (host: string) => harness.run(['resume', '-y', '--without', host], { env: MODEL_SECRETS });
  const [failed, older, unknown] = [await resume(half), await resume(next), await resume('indexer-9')];
  expect([failed.exitCode, failed.stderr]).toEqual([
    3,
    expect.stringContaining(`§7: the upgrade of ${half} stopped in "Upgrade the package"`),
  ]);
  expect(failed.stderr).toContain(`runbook close --without ${half}`);
  expect([older.exitCode, older.stderr]).toEqual([
    3,
    expect.stringContaining(`§9.1.1: indexer on ${next} would stay at 4.12.0-1 while the others get 4.14.7`),
  ]);
  expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('has no host "indexer-9"')]);
  const closed = await harness.run(['close', '-y', '--without', half], { env: MODEL_SECRETS });
  expect([closed.exitCode, closed.stderr]).toEqual([
    0,
    expect.stringMatching(
      new RegExp(
        `Without ${half}: nothing is restored there[^]*Partially upgraded: [^]*Not restored there: [^]*§9\\.1\\.1`,
      ),
    ),
  ]);
  expect((await harness.run(['runs'])).stdout).toMatch(/ closed /);
});
