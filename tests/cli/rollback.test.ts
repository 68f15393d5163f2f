import { afterEach, describe, expect, test } from '@jest/globals';
import { cpSync, rmSync } from 'node:fs';
import { brokenPlatform, killedAt, UPGRADE_INDEXER } from './broken-platform.js';
import { modelHarness, MODEL_SECRETS, type Harness } from './cli-harness.js';

let harness: Harness | undefined;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  harness?.end();
  harness = undefined;
});
const env = MODEL_SECRETS;

async function openModel() {
  const made = (harness = modelHarness('{ socket: model.sock }'));
  const { served, watch } = await brokenPlatform(made, []);
  ends.push(() => served.close());
  return {
    ...made,
    killed: (args: readonly string[], fits: RegExp, nth = 1) => killedAt(made, watch, args, fits, nth),
  };
}

describe('runbook rollback', () => {
  test('is refused where the run was set back to an earlier copy, and so is its dry run: hosts know more', async () => {
    const { killed, run, path } = await openModel();
    await killed(['apply', 'upgrade-4.14.yaml', '-y'], UPGRADE_INDEXER);
    cpSync(path('.runbook'), path('copy'), { recursive: true });
    await killed(['resume', '-y'], UPGRADE_INDEXER);
    rmSync(path('.runbook'), { recursive: true });
    cpSync(path('copy'), path('.runbook'), { recursive: true });
    for (const args of [['--dry-run'], ['-y', '-e', 'override_version=true']]) {
      const refused = await run(['rollback', ...args], { env });
      expect([refused.exitCode, refused.stderr]).toEqual([
        3,
        expect.stringMatching(/journal\.ndjson is older than indexer-/),
      ]);
    }
  });

  test('takes an upgrade back whose controller was killed: a plan first, the version from its record, and it is closed', async () => {
    const { killed, run, runs, read, write } = await openModel();
    await killed(['apply', 'upgrade-4.14.yaml', '-y'], UPGRADE_INDEXER, 2);

    // A decision is open, and no operator is there to take it: nothing begins.
    const unasked = await run(['rollback', '-y'], { env });
    expect([unasked.exitCode, runs().length]).toEqual([3, 1]);
    expect(unasked.stdout).toContain('platform-indexer 4.14.7-1 → 4.12.0-1');
    expect(unasked.stdout).not.toContain('To apply:');
    expect(unasked.stdout).toMatch(/^Rollback · 4\.12\.0, 4\.14\.7 → 4\.12\.0 · 8 hosts/m);
    expect(unasked.stderr).toMatch(
      /^ {2}Confirm override-version: [^]* \(engines now: indexer-1 2\.\S+, indexer-2 2\.\S+\)[^]*override_version=true answers yes[^]*or with -y and the -e that answers it where one is named/m,
    );

    const ofModel = read('inventory.yaml');
    write('inventory.yaml', ofModel.replace(/^.*model\.sock.*\n/m, ''));
    const ofReal = await run(['rollback', '-y'], { env });
    write('inventory.yaml', ofModel);
    expect([ofReal.exitCode, ofReal.stderr]).toEqual([
      2,
      expect.stringContaining(
        `the run ${runs()[0] ?? ''} is of the model; the inventory named here is of real hosts\n`,
      ),
    ]);

    const back = await run(['rollback', '-y', '-e', 'override_version=true'], { env });
    expect([back.exitCode, back.stderr]).toEqual([
      0,
      expect.stringContaining(`The run ${runs()[0] ?? ''} was rolled back`),
    ]);
    const [upgrade = '', rollback = ''] = runs();
    expect((await run(['runs'])).stdout).toMatch(
      new RegExp(
        ` done +\\d+ {2}Rollback {3}ON THE MODEL · rolls back ${upgrade}\\n.* closed +\\d+ {2}Upgrade to release line 4\\.14 {3}ON THE MODEL · rolled back by ${rollback}$`,
        'm',
      ),
    );
    expect((await run(['show', rollback], { env })).stdout).toMatch(
      new RegExp(`\\n\\S+ \\S+ UTC {2}rollback {2}.*\\nThis run rolls back ${upgrade}\\.\\n`),
    );
    expect((await run(['show', upgrade], { env })).stdout).toContain(`\nThis run was rolled back by ${rollback}.\n`);
    expect((await run(['resume', '-y'], { env })).exitCode).toBe(2);

    const again = await run(['rollback', '-y'], { env });
    expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining(' 0 changed')]);
  });

  test('one that was cut is in its own way: it is resumed, and then the upgrade is closed too', async () => {
    const { killed, run } = await openModel();
    await killed(['apply', 'upgrade-4.14.yaml', '-y'], UPGRADE_INDEXER, 2);
    const args = ['rollback', '-y', '-e', 'override_version=true'];
    await killed(args, /platform-indexer.4\.12\.0/);
    const second = await run(args, { env });
    expect([second.exitCode, second.stderr]).toEqual([5, expect.stringContaining('is an unfinished rollback')]);
    const resumed = await run(['resume', '-y'], { env });
    expect([resumed.exitCode, resumed.stdout]).toEqual([0, expect.stringContaining('✓ Rollback: done in ')]);
    expect((await run(['runs'])).stdout).not.toContain('unfinished');
  });

  test('needs to know where to: no run, a wrong component, a version below the floor', async () => {
    const { run } = (harness = modelHarness('{ from: 4.12.0 }'));
    const none = await run(['rollback'], { env });
    expect([none.exitCode, none.stderr]).toEqual([
      2,
      expect.stringContaining('name it: runbook rollback --to VERSION'),
    ]);
    const odd = await run(['rollback', '--component', 'indexr'], { env });
    expect([odd.exitCode, odd.stderr]).toEqual([2, expect.stringContaining('did you mean "indexer"?')]);
    const low = await run(['rollback', '--to', '4.11.2', '-y'], { env });
    expect([low.exitCode, low.stdout]).toEqual([
      3,
      expect.stringContaining('a downgrade to 4.11 or earlier is impossible'),
    ]);
  });
});
