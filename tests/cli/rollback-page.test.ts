import { afterEach, expect, test } from '@jest/globals';
import { brokenPlatform } from './broken-platform.js';
import { MODEL_SECRETS, modelHarness, type Harness } from './cli-harness.js';

let harness: Harness;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  harness.end();
});

test('the page of a rollback has versions, data loss and what is down, of an upgrade that stopped and of one that was closed', async () => {
  harness = modelHarness('{ socket: model.sock }');
  const { served } = await brokenPlatform(harness, [
    { fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' },
  ]);
  ends.push(() => served.close());
  const run = (...args: readonly string[]) => harness.run(args, { env: MODEL_SECRETS });
  await run('apply', 'upgrade-4.14.yaml', '-y');

  const stopped = await run('rollback', '--dry-run');
  const versions = 'platform-indexer 4.14.7-1 → 4.12.0-1 on 1';
  expect(stopped.stdout).toMatch(/^Rollback · 4\.12\.0, 4\.14\.7 → 4\.12\.0 · 8 hosts/);
  expect(stopped.stdout).toContain(`\nDATA LOSS possible if it asks\nVERSIONS  ${versions}\n`);

  // It takes the inventory of the run, as a resume does.
  const inventory = harness.read('inventory.yaml');
  harness.write('inventory.yaml', inventory.replace('snapshot_location: /mnt/snapshots', 'snapshot_location: 5 ['));
  const edited = await run('rollback', '--dry-run');
  expect([edited.exitCode, edited.stdout]).toEqual([0, expect.stringContaining(versions)]);
  expect(edited.stderr).toMatch(/^\+.*snapshot_location: 5 \[/m);
  expect(edited.stderr).toContain('The edit above is not used. To use it: runbook rollback --accept-changes');
  expect((await run('rollback', '--dry-run', '--accept-changes')).exitCode).toBe(2);
  harness.write('inventory.yaml', inventory);

  const { stdout: end } = await run('close', '-y');
  expect(end).toMatch(
    /^✓ Run closed\.[^\n]*\nSTAYS STOPPED: indexer on indexer-2\n {2}A new apply .* By hand: systemctl start platform-indexer$/m,
  );
  const closed = await run('rollback', '--dry-run');
  expect(closed.stdout).toMatch(/^Rollback · 4\.12\.0, 4\.14\.7 → 4\.12\.0 · 8 hosts/);
  expect(closed.stdout).toMatch(/^DOWN {6}indexer 4\.14\.7 on indexer-2$/m);
  expect(closed.stdout).toMatch(/^ {2}Indexer .* down on indexer-2$/m);
  expect(closed.stdout).toContain(`\nDATA LOSS possible if it asks\nVERSIONS  ${versions}\n`);
});

test('the page of a whole rollback says that no shipper runs while the indexers go back, though its stop is known after apply', async () => {
  harness = modelHarness('{ socket: model.sock }');
  const { served, state } = await brokenPlatform(harness, []);
  ends.push(() => served.close());
  const run = (...args: readonly string[]) => harness.run(args, { env: MODEL_SECRETS });
  await run('apply', 'upgrade-4.14.yaml', '-y');
  const { stdout } = await run('rollback', '--dry-run');
  const rowOf = (title: string) => new RegExp(`^ {2}${title} +(DOWN|one at a time) +\\S`, 'm').exec(stdout)?.[1];
  expect([rowOf('Indexer'), rowOf('New alerts in search')]).toEqual(['one at a time', 'DOWN']);
  const { stdout: document } = await run('rollback', '--dry-run', '--format', 'md');
  expect(document).toContain('\n- **Data loss**: possible if it asks\n');

  // What the rollback would find done is not missed where it is closed.
  state.faults.push({ fault: 'start-fails', host: 'server-2', unit: 'platform-manager' });
  const failed = await run('rollback', '-y', '-e', 'override_version=true');
  expect([failed.exitCode, failed.stdout]).toEqual([
    1,
    expect.stringMatching(/ runbook resume +fix the cause first; about \d+ min$/m),
  ]);
  const rest = await run('resume', '--dry-run', '-e', 'override_version=true');
  expect(rest.stdout).toMatch(/^DATA LOSS possible if it asks$/m);
  expect(rest.stdout).toMatch(/^To continue it: {2}runbook resume -e 'override_version=true'$/m);
  const { stdout: closing } = await run('close', '--dry-run');
  expect(closing).toContain(`
Will not run:
  Server rollback / Roll back each server
    server-2: Start the manager · Wait for the management API · Set up the pipelines · Set up index management · Wait until the indexer has the shipper's pipeline and template · Test the shipper output
    server-1: all steps
  not started: Indexer rollback, Start shippers and dashboards
`);
});

test('beside a rollback that is refused, or closed before its end, the upgrade stays open: it is said, and what to type', async () => {
  harness = modelHarness('{ socket: model.sock }');
  const { served } = await brokenPlatform(harness, [
    { fault: 'start-fails', host: 'server-2', unit: 'platform-manager' },
  ]);
  ends.push(() => served.close());
  const run = (...args: readonly string[]) => harness.run(args, { env: MODEL_SECRETS });
  await run('apply', 'upgrade-4.14.yaml', '-y');
  const [upgrade = ''] = harness.runs();
  const next = new RegExp(`\\nNext for the run ${upgrade}, recommended first:\\n {2}runbook (resume|rollback)`);

  const inventory = harness.read('inventory.yaml');
  harness.write('inventory.yaml', inventory.replace(/^ {2}dashboard-1:.*\n/m, ''));
  const without = await run('rollback', '--dry-run', '--accept-changes');
  expect([without.exitCode, without.stderr]).toEqual([3, expect.stringContaining('lacks dashboard-1, on which')]);
  harness.write('inventory.yaml', inventory);

  // A question is open, and there is no terminal.
  const refused = await run('rollback', '-y');
  expect([refused.exitCode, refused.stdout]).toEqual([3, expect.stringMatching(next)]);
  expect((await run('rollback', '-y', '-e', 'override_version=true')).exitCode).toBe(1);
  const { stdout: closed } = await run('close', '-y');
  expect(closed).toContain('✓ Run closed. All its own temporary changes are restored.\nSTAYS STOPPED: manager');
  expect(closed).toContain(`\nThe run ${upgrade} stays open, with its own temporary changes. Next: `);
  expect([closed.includes('By hand'), closed]).toEqual([false, expect.stringMatching(next)]);
});
