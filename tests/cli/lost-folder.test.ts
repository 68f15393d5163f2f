import { expect, test } from '@jest/globals';
import { rmSync } from 'node:fs';
import { brokenPlatform, killedAt, UPGRADE_INDEXER } from './broken-platform.js';
import { MODEL_SECRETS, modelHarness } from './cli-harness.js';

/* A new controller has the inventory and the hosts, and nothing of the run that the old one had begun (`npm run interrupted` has each step). */

test('an upgrade whose controller and folder are lost is finished from what the hosts have', async () => {
  const harness = modelHarness('{ socket: model.sock }');
  const { served, watch } = await brokenPlatform(harness, []);
  const apply = (...flags: readonly string[]) =>
    harness.run(['apply', 'upgrade-4.14.yaml', ...flags], { env: MODEL_SECRETS });
  try {
    const host = await killedAt(harness, watch, ['apply', 'upgrade-4.14.yaml', '-y'], UPGRADE_INDEXER, 2);
    rmSync(harness.path('.runbook'), { recursive: true });
    const refused = await apply('-y');
    expect([refused.exitCode, refused.stderr]).toEqual([
      3,
      expect.stringMatching(
        new RegExp(
          `nothing was changed: ${host} has an action of the run .*Upgrade the package"\\), and that run is not here`,
        ),
      ),
    ]);
    const done = await apply('-y', '--from-hosts');
    expect([done.exitCode, done.stdout]).toEqual([0, expect.stringContaining('✓ Upgrade to release line 4.14: done')]);
    expect((await apply('--dry-run')).stdout).toContain('0 will change');
  } finally {
    await served.close();
    harness.end();
  }
});
