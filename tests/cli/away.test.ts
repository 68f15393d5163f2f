import { afterEach, describe, expect, test } from '@jest/globals';
import { brokenPlatform } from './broken-platform.js';
import { linesOf, MODEL_SECRETS, modelHarness, type Harness } from './cli-harness.js';

let harness: Harness;
let ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends) await end();
  ends = [];
  harness.end();
});

const away = (host: string) => ({ fault: 'unreachable', host }) as const;

async function modelWithout(...hosts: readonly string[]) {
  harness = modelHarness('{ socket: model.sock }');
  const { served, state } = await brokenPlatform(harness, hosts.map(away));
  ends.push(() => served.close());
  const run = (...args: string[]) => harness.run(args, { env: MODEL_SECRETS });
  return { run, state };
}

describe('hosts that do not answer', () => {
  test('agents: plan, run, rest and report have one state and one exit code, and name them all', async () => {
    const { run } = await modelWithout('linux-1', 'linux-2');
    const plan = await run('plan', 'upgrade-4.14.yaml');
    expect([plan.exitCode, plan.stdout]).toEqual([4, expect.stringMatching(/ {3}READY without 2 hosts, /)]);
    const applied = await run('apply', 'upgrade-4.14.yaml', '-y');
    expect(applied.exitCode).toBe(4);
    expect(applied.stdout).toMatch(/^Completed with failures \(unreachable: 2\)/m);
    expect(applied.stdout).toMatch(/^DOWN +no answer from linux-1, linux-2$/m);
    const rest = await run('resume', '--dry-run');
    expect(rest.exitCode).toBe(4);
    expect(rest.stdout).toMatch(/ {3}2 hosts LEFT OUT, nothing to do on the others\n/);
    expect(rest.stdout).not.toContain('NOTHING TO DO');
    const again = await run('plan', 'upgrade-4.14.yaml');
    expect([again.exitCode, again.stdout]).toEqual([4, expect.stringContaining('2 hosts LEFT OUT, nothing to do')]);
    const report = await run('report', '--format', 'md');
    expect(report.stdout).toMatch(/^# Report: .* COMPLETED WITH FAILURES\n/);
    expect((await run('runs')).stdout).toMatch(/Z +partial +\d+ /);
    const shown = linesOf((await run('show', '--json')).stdout).at(-1);
    expect(shown).toMatchObject({ event: { e: 'summary', state: 'partial', exit: 4 } });
  });

  test('the rest of a run names those that it did not need, too', async () => {
    const { run, state } = await modelWithout();
    state.faults.push({ fault: 'start-fails', host: 'dashboard-1', unit: 'platform-dashboard' });
    expect((await run('apply', 'upgrade-4.14.yaml', '-y', '--no-diagnose')).exitCode).toBe(1);
    state.faults.push(away('indexer-3'), away('linux-2'));
    const rest = (await run('resume', '--dry-run')).stdout;
    expect(rest).toMatch(/^DOWN +no answer from indexer-3, linux-2/m);
    expect(rest).toMatch(/^AWAY(.*\n)*.*indexer-3/m);
    expect(rest).toMatch(/^AWAY(.*\n)*.*linux-2/m);
  });
});
