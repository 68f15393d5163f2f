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
  expect(failed.stderr).toContain(`runbook resume --without ${half} --waive same_version --reason TEXT`);
  expect([older.exitCode, older.stderr]).toEqual([
    3,
    expect.stringContaining(`§9.1.1: indexer on ${next} would stay at 4.12.0-1 while the others get 4.14.7`),
  ]);
  expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('has no host "indexer-9"')]);
  // Waived, the page of what is left says so; with --dry-run nothing goes on.
  const waived = await harness.run(
    ['resume', '--dry-run', '--without', half, '--waive', 'same_version', '--reason', 'its disk is dead'],
    { env: MODEL_SECRETS },
  );
  expect([waived.exitCode, waived.stdout, waived.stderr]).toEqual([
    4, // as each run that leaves a host out
    expect.stringContaining('WAIVED same_version: its disk is dead'),
    expect.stringContaining(`Warning: waived: §7: the upgrade of ${half} stopped in "Upgrade the package"`),
  ]);
  const idle = await harness.run(['resume', '-y', '--waive', 'same_version', '--reason', 'x'], { env: MODEL_SECRETS });
  expect([idle.exitCode, idle.stderr]).toEqual([2, expect.stringContaining('requires "same_version"')]);
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
