import { afterEach, describe, expect, test } from '@jest/globals';
import type { Fault, PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import { brokenPlatform } from './broken-platform.js';
import { MODEL_SECRETS, modelHarness, untilBegun, type Harness } from './cli-harness.js';

const env = MODEL_SECRETS;
const RUN = '2026-11-21T22-00-00Z';
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** The demo's platform with this fault, and the program at it; `tell` gives what is said from a line on, with every run's name as this one's. */
async function stopped(fault: Fault, from?: string) {
  const harness = modelHarness('{ socket: model.sock }');
  const { served, state } = await brokenPlatform(harness, [fault], from);
  ends.push(async () => {
    await served.close();
    harness.end();
  });
  const tell = async (args: readonly string[], line: RegExp): Promise<string> => {
    const { stdout, stderr } = await harness.run(args, { env });
    const said = `${stdout}\n${stderr}`.replaceAll(/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ/g, RUN);
    const lines = said.split('\n');
    const at = lines.findIndex((l) => line.test(l));
    const rest = lines.slice(at + 1);
    const end = rest.findIndex((l) => !l.startsWith('  '));
    return at < 0 ? said : [lines[at], ...(end < 0 ? rest : rest.slice(0, end))].join('\n');
  };
  return { tell, state, harness };
}

const clearFaults = (state: PlatformState): void => {
  state.faults.length = 0;
};

/** What a controller leaves that is killed as the step begins: nothing later is in its journal, nor in the markers of the hosts. */
function cutAt(name: string, { cutJournal }: Harness, { hosts }: PlatformState): void {
  cutJournal(untilBegun(name));
  for (const { files } of Object.values(hosts)) delete files['/var/lib/runbook/lease.journal'];
}

const APPLY = ['apply', 'upgrade-4.14.yaml', '-y', '--no-diagnose'];
const NEXT = /^Next for the run /;
const OPEN = (resume: string): string => `Next for the run ${RUN}, recommended first:
  runbook resume                      ${resume}
  runbook rollback                    to 4.12.0; shows its plan and asks first
  runbook close                       final: no resume; restores temporary changes
  runbook show ${RUN}   what was done so far`;
/** The same below the summary of a failure. */
const FAILED = `NEXT      1  runbook resume     fix the cause first; about 11 min; no data loss
          2  runbook rollback   to 4.12.0; about 11 min; data loss: possible if it asks
          3  runbook close      final: no resume; restores temporary changes`;

describe('the suggested commands: recommended first, and none that would be refused', () => {
  test('where a half-upgraded manager does not start: by the failure, by runs and show, by another apply, and by a release that fails', async () => {
    const { tell, state } = await stopped({ fault: 'start-fails', host: 'server-2', unit: 'platform-manager' });
    const failed = OPEN('fix the cause first');
    expect(await tell(APPLY, /^NEXT/)).toBe(FAILED);
    expect(await tell(['runs'], NEXT)).toBe(failed);
    expect(await tell(APPLY, NEXT)).toBe(failed);
    Object.assign(state.hosts['indexer-1']?.packages['platform-indexer'] ?? {}, { version: '4.14.8-1' });
    state.faults.push({ fault: 'unreachable', host: 'dashboard-1' });
    // There is no terminal to confirm at.
    expect(await tell(['close'], /^Installed now/)).toBe(`Installed now:
  indexer-1: indexer 4.14.8-1, was 4.12.0-1
  indexer-2, indexer-3: indexer 4.14.7-1, was 4.12.0-1
  server-1: manager 4.12.0-1 · shipper 7.10.2-1
  server-2: manager 4.14.7-1, was 4.12.0-1 · shipper 7.10.2-1
  dashboard-1: not checked now; last known: dashboard 4.12.0-1
  linux-1, linux-2: agent 4.12.0-1`);
    state.faults.pop();
    expect(await tell(['close', '-y'], /^Closing is final/)).toBe(
      `Closing is final: the run cannot be resumed, and partial changes remain. Instead:
  runbook resume     fix the cause first; nothing is lost
  runbook rollback   to 4.12.0; shows its plan and asks first; a close may rule it out`,
    );
    // The failed close has started the shippers. No index is newer yet, which decides.
    expect(await tell(['show'], /^NEXT/)).toMatch(
      /^NEXT +1 {2}runbook resume .*\n +2 {2}runbook rollback +to 4\.12\.0; about \d+ min; data loss: possible/,
    );
    expect(await tell(['close', '-y'], /^NEXT/)).toMatch(/\n +2 {2}runbook rollback +to 4\.12\.0; shows its plan/);
  });

  test('of a controller that was killed inside the first package upgrade: the rollback, which works; the step is not told as done', async () => {
    const { tell, state, harness } = await stopped({
      fault: 'start-fails',
      host: 'indexer-2',
      unit: 'platform-indexer',
    });
    await tell(APPLY, NEXT);
    cutAt('Upgrade the package', harness, state);
    clearFaults(state);
    const next = OPEN('continue from this step');
    expect(await tell(['runs'], NEXT)).toBe(next);
    expect(await tell(APPLY, NEXT)).toBe(next);
    const { stdout } = await harness.run(['show', '--detail'], { env });
    expect(stdout).toContain(
      '… Upgrade the package: not finished (platform-indexer 4.12.0-1 → 4.14.7-1; keeps your settings in jvm.options, opensearch.yml)',
    );
    expect(stdout).toMatch(
      /^Run interrupted: .*\nNot finished: Upgrade the package \(indexer-2\)\nTemporary changes in effect: /m,
    );
    expect(await tell(['close'], /^STAYS STOPPED/)).toMatch(
      /^STAYS STOPPED: indexer on indexer-2\n.*systemctl start platform-indexer$/,
    );
    expect(await tell(['close'], /^Closing is final/)).toMatch(/runbook resume .*\n {2}runbook rollback /);
    expect(await tell(['rollback', '-y', '-e', 'override_version=true'], /Rollback: done/)).toMatch(/^✓/);
  });

  test.each([
    ['failed', (_: Harness) => undefined],
    ['was killed inside a step', (harness: Harness) => harness.cutJournal(untilBegun('Stop the indexer'))],
  ])('one count of what a run that %s changed, in every view', async (_how, end) => {
    const { tell, harness } = await stopped({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' });
    await tell(APPLY, NEXT);
    end(harness);
    const [{ stdout: shown }, { stdout: runs }, { stdout: json }] = [
      await harness.run(['show']),
      await harness.run(['runs']),
      await harness.run(['runs', '--json']),
    ];
    const counts = [...shown.matchAll(/\b(\d+) changed/g)].map(([, n]) => n);
    const row = /^\S+ +(?:failed|interrupted) +(\d+) /m.exec(runs)?.[1];
    const changed = /"changed":(\d+)/.exec(json)?.[1];
    expect([counts.length, new Set([...counts, row, changed]).size]).toEqual([2, 1]);
  });

  test('of a closed run that left a node partially upgraded: the next apply, and what to start first', async () => {
    const { tell, state } = await stopped({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' });
    await tell(APPLY, NEXT);
    const released = `It installed packages; partial changes remain. Next, recommended first:
  runbook diagnose                  find known failures and their fixes
  runbook apply upgrade-4.14.yaml   continue from the current state; first fix and start what does not run
  runbook rollback                  to 4.12.0; shows its plan and asks first`;
    expect(await tell(['close', '-y'], /^It installed packages/)).toBe(released);
    expect(await tell(['show'], /^It installed packages/)).toBe(released);
    // A node whose upgrade was interrupted is upgraded first.
    expect(await tell(APPLY, /^FAILED/)).toMatch(/^FAILED {4}Start the indexer on indexer-2/);
    clearFaults(state);
    expect(await tell(['rollback', '-y', '-e', 'override_version=true'], /Rollback: done/)).toMatch(/^✓/);
  });

  test('of an upgrade partly undone by a rollback that was then closed: no resume, which would take the undone part for done', async () => {
    const { tell, state, harness } = await stopped({
      fault: 'start-fails',
      host: 'indexer-3',
      unit: 'platform-indexer',
    });
    await tell(APPLY, NEXT);
    clearFaults(state);
    state.faults.push({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' });
    await tell(['rollback', '-y', '--no-diagnose', '-e', 'override_version=true'], NEXT);
    clearFaults(state);
    const next = OPEN('').replace(/ {2}runbook resume.*\n/, '');
    expect(await tell(['close', '-y'], NEXT)).toBe(next);
    expect(await tell(['show'], NEXT)).toBe(next);
    expect(await tell(['runs'], NEXT)).toBe(next);
    expect(await tell(['runs'], / \(unfinished\) /)).toContain(`partly rolled back by ${RUN}`);
    expect(await tell(['resume', '-y'], /partly rolled back/)).toBe(
      `runbook: the run ${RUN} was partly rolled back by ${RUN} and cannot be resumed
  runbook rollback   continues the rollback
  runbook close      closes the run; a new apply then checks each host again`,
    );
    const fixes = await harness.run(['diagnose', '--tags', 'indexer,dashboard'], { env });
    expect(fixes.stderr).toMatch(
      /: runbook rollback, runbook close\. It was partly rolled back by \S+ and cannot be resumed/,
    );
    expect(await tell(['rollback', '-y', '-e', 'override_version=true'], /Rollback: done/)).toMatch(/^✓/);
  });

  test('from 4.11 or earlier, before any package is upgraded, and of a rollback itself: no rollback is suggested', async () => {
    const old = await stopped({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' }, '4.11.2');
    const early = await stopped({ fault: 'flush-fails' });
    for (const { tell } of [old, early])
      expect(await tell(APPLY, /^NEXT/)).toMatch(/1 {2}runbook resume .*\n {10}2 {2}runbook close /);
    const { tell } = await stopped({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' });
    await tell(APPLY, NEXT);
    expect(await tell(['rollback', '-y', '-e', 'override_version=true'], /^NEXT/)).toMatch(
      /1 {2}runbook resume .*\n {10}2 {2}runbook close /,
    );
  });
});
