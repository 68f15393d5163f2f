import { afterEach, describe, expect, test } from '@jest/globals';
import type { Fault } from '../../engine/platforms/security-monitoring/simulator/state.js';
import { brokenPlatform } from './broken-platform.js';
import { MODEL_SECRETS, modelHarness, type Harness } from './cli-harness.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** The last lines of an upgrade that this fault ends, as a terminal of 15 lines would show them. */
async function lastLines(fault: Fault): Promise<{
  readonly last: string;
  readonly shown: string;
  readonly harness: Harness;
  readonly clear: () => void;
}> {
  const harness = modelHarness('{ socket: model.sock }');
  const { served, state } = await brokenPlatform(harness, [fault]);
  ends.push(async () => {
    await served.close();
    harness.end();
  });
  const { stdout } = await harness.run(['apply', 'upgrade-4.14.yaml', '-y'], { env: MODEL_SECRETS });
  const { stdout: shown } = await harness.run(['show'], { env: MODEL_SECRETS });
  return {
    harness,
    shown,
    clear: () => void state.faults.splice(0),
    last: stdout.trimEnd().split('\n').slice(-15).join('\n'),
  };
}

describe('the last 15 lines of a failure', () => {
  test.each<readonly [string, Fault, readonly RegExp[]]>([
    [
      'an indexer that does not start',
      { fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' },
      [
        /^FAILED {4}Start the indexer on indexer-2 {2}§9\.4\.5 {2}at \d\d:\d\d UTC$/m,
        /^CAUSE {5}\[ERROR\]\[bootstrap\] this start fails in the model/m,
        /^LOOK {6}on indexer-2: journalctl -u platform-indexer -n 50$/m,
        /^ACTIVE {4}indexer 4\.12\.0 on 2 of 3 hosts · manager 4\.12\.0 on 2 hosts/m,
        // In order of the minute in which each was stopped, so a run that crosses a minute has another order.
        /^DOWN {6}since \d\d:\d\d UTC: .*\bindexer 4\.14\.7 on indexer-2\b/m,
        /^DOWN {6}since \d\d:\d\d UTC: .*\bshipper 7\.10\.2 on server-1, server-2\b/m,
        /^STATUS {4}indexer cluster \w+, 2 of 3 nodes/m,
        /^WAIT {6}(act now, the cluster is red|can wait, every index is available; lose no other indexer)/m,
        /^RUN {7}\d{4}-\d\d-\d\dT\S+Z · plan [0-9a-f]{8} · ON THE MODEL$/m,
        /^NEXT {6}1 {2}runbook resume /m,
        /^ {10}2 {2}runbook rollback /m,
      ],
    ],
    [
      'a manager that does not start',
      { fault: 'start-fails', host: 'server-2', unit: 'platform-manager' },
      [
        /^FAILED {4}Start the manager on server-2 {2}§9\.5\.2 {2}at \d\d:\d\d UTC$/m,
        /^ACTIVE {4}.*manager 4\.12\.0 on 1 of 2 hosts/m,
        /^DOWN {6}.*\bsince \d\d:\d\d UTC: .*manager 4\.14\.7 on server-2\b/m,
        /^(?:CAUSE| {5}) {5}platform-manager did not start: the control process exited with error code\.$/m,
        /^STATUS {4}indexer cluster (green|yellow), 3 of 3 nodes/m,
        /^WAIT {6}act soon, a manager is down: syslog over UDP to it is lost/m,
        /^NEXT {6}1 {2}runbook resume /m,
      ],
    ],
  ])('say what failed and why, what is down, what runs where, and what to type: %s', async (_what, fault, lines) => {
    const { last, shown } = await lastLines(fault);
    for (const line of lines) expect(last).toMatch(line);
    // The same from the hosts as they are when it is asked again.
    for (const line of lines) expect(shown).toMatch(line);
    // Its table has what was done before the failure.
    expect(shown).toMatch(/^ \d+ changed .* 1 failed/m);
    expect(shown).not.toContain('As planned');
  });

  test('what was found at the failure is in show and in the report, until the run is resumed', async () => {
    const { harness, clear } = await lastLines({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' });
    const shown = await harness.run(['show'], { env: MODEL_SECRETS });
    expect(shown.stdout).toMatch(
      /^Found on indexer-2:\n ! .*\n.*indexer-2 {2}.*platform-indexer(?:.*\n){2}.*start fails in the model/m,
    );
    const report = await harness.run(['report']);
    expect(report.stdout).toMatch(/^Found on the hosts that failed:\n\n- .*indexer-2.*start fails in the model/m);
    clear();
    await harness.run(['resume', '-y'], { env: MODEL_SECRETS });
    const later = [await harness.run(['show'], { env: MODEL_SECRETS }), await harness.run(['report'])];
    expect(later.map(({ stdout }) => stdout).join('')).not.toContain('start fails in the model');
  });

  test('the page of the rest says what is down already and how far back one can go', async () => {
    const { harness } = await lastLines({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' });
    const before = harness.runs();
    const { stdout } = await harness.run(['resume', '--dry-run'], { env: MODEL_SECRETS });
    expect(stdout).toMatch(/^DRY RUN of the rest of the run/m);
    expect(stdout).toMatch(/^STATUS {4}indexer cluster \w+, 2 of 3 nodes/m);
    expect(stdout).toMatch(
      /^ {2}Dashboard +DOWN +dashboard-1 +about \d+ min more\s+down on dashboard-1 since \d\d:\d\d UTC$/m,
    );
    expect(stdout).toMatch(/^ {2}Indexer +one at a time +indexer-2, .*\s+down on indexer-2 since/m);
    expect(stdout).toMatch(/^→ until a new index is created +runbook rollback +about \d+ min, counted /m);
    expect(stdout).toContain('not promised: an indexer has its new package');
    const document = await harness.run(['resume', '--dry-run', '--format', 'md'], { env: MODEL_SECRETS });
    expect(document.stdout).toMatch(
      /^## The platform now\n\n\*\*Status:\*\* indexer cluster \w+, 2 of 3 nodes.*\n(?:.*\n)*\| indexer \| 4\.14\.7-1 \| \*\*DOWN\*\*, stopped by the run .* UTC \| indexer-2 \|$/m,
    );
    expect(document.stdout).toContain('| **NOW** until a new index is created | `runbook rollback` | about ');
    expect(harness.runs()).toEqual(before);
  });
});
