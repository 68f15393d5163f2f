import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { brokenPlatform } from './broken-platform.js';
import { linesOf, localHarness, MODEL_SECRETS, modelHarness, onePlay, type Harness } from './cli-harness.js';

const env = MODEL_SECRETS;

/** The exact report on an indexer that does not start after its upgrade. */
const FOUND = `Diagnosis   8 hosts ON THE MODEL
 indexer    4.14.7-1 (indexer-2)

✗ Indexer does not start  §7.indexer-start
   indexer-2  platform-indexer does not run (fact.indexer_unit is "failed", not "active")
       TIME indexer-2 systemd[1]: Starting platform-indexer.service...
       TIME indexer-2 platform-indexer[4711]: this start fails in the model (fault start-fails)
       TIME indexer-2 systemd[1]: platform-indexer.service: Failed with result 'exit-code'.
       TIME [ERROR][bootstrap] this start fails in the model (fault start-fails)
     → not started by the unfinished run ID: fix the cause, then: runbook resume

1 found. Nothing was changed.`;

describe('runbook diagnose', () => {
  test('on a healthy platform: nothing found, 0', async () => {
    const harness = modelHarness('{ from: 4.12.0 }');
    try {
      const ran = await harness.run(['diagnose'], { env });
      expect(ran.stderr).toBe('');
      expect(ran.stdout).toBe(`Diagnosis   8 hosts ON THE MODEL
 indexer    4.12.0-1 (indexer-1, indexer-2, indexer-3)
 manager    4.12.0-1 (server-1, server-2)
 shipper    7.10.2-1 (server-1, server-2)
 dashboard  4.12.0-1 (dashboard-1)
 agent      4.12.0-1 (linux-1, linux-2)

✓ Indexer does not start: nothing found  §7.indexer-start
✓ Shipper cannot connect to the indexer: nothing found  §7.shipper-connect
✓ Dashboard shows errors: nothing found  §7.dashboard-errors
✓ Agents cannot connect: nothing found  §7.agents-connect
✓ Cluster health is not green: nothing found  §7.yellow
✓ A component failed to upgrade: nothing found  §7.component-fails
✓ Downgrade to 4.11 or earlier: nothing found  §7.downgrade

✓ No problems found. Nothing was changed.`);
      expect(ran.exitCode).toBe(0);
      expect(harness.runs()).toEqual([]);
    } finally {
      harness.end();
    }
  });

  test('takes no playbook, and none of the flags of who acts', async () => {
    const harness = modelHarness('{ from: 4.12.0 }');
    try {
      expect((await harness.run(['diagnose', 'upgrade-4.14.yaml'], { env })).stderr).toContain('takes no playbook');
      expect((await harness.run(['diagnose', '-y'], { env })).stderr).toContain('diagnose takes no --yes');
    } finally {
      harness.end();
    }
  });
});

describe('after an upgrade that failed on an indexer', () => {
  const harness = modelHarness('{ socket: "@/model.sock" }', (i) => i);
  let failed: Awaited<ReturnType<Harness['run']>>;
  let end: () => Promise<void> = () => Promise.resolve();
  beforeAll(async () => {
    harness.write('inventory.yaml', harness.read('inventory.yaml'));
    const { served } = await brokenPlatform(harness, [
      { fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' },
    ]);
    end = () => served.close();
    failed = await harness.run(['apply', 'upgrade-4.14.yaml', '-y'], { env });
  });
  afterAll(async () => {
    await end();
    harness.end();
  });

  test('its end shows what was found on that host, below the failure and above what to do next', () => {
    expect(failed.exitCode).toBe(1);
    const text = failed.stdout;
    const places = [
      '✗ indexer-2  Start the indexer',
      'Found on indexer-2:',
      'platform-indexer does not run',
      'Stopped: ',
      'runbook resume  ',
    ];
    expect(places.map((p) => text.indexOf(p)).every((at, i, all) => at >= 0 && at > (all[i - 1] ?? -1))).toBe(true);
    expect(text).toContain('! Indexer does not start  §7.indexer-start');
    expect(text).not.toContain('was left at "primaries"');
  });

  test('diagnose works while the run is unfinished, and finds it', async () => {
    const ran = await harness.run(['diagnose', '--tags', 'indexer', '-l', 'indexer-2'], { env });
    expect(ran.exitCode).toBe(1);
    const times = /\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g;
    const text = ran.stdout.replace(/run \S+Z:/, 'run ID:').replaceAll(times, 'TIME');
    expect(text).toBe(FOUND);
    expect(ran.stderr).toMatch(
      /^The run \S+ is unfinished and may keep services stopped\. Do not start them by hand: runbook resume, /m,
    );
  });

  test('neither diagnose nor doctor suggests to start what that run keeps stopped', async () => {
    const diagnosed = (await harness.run(['diagnose', '--tags', 'shipper'], { env })).stdout;
    expect(diagnosed).toMatch(
      /filebeat does not run [^]*→ kept stopped by the unfinished run \S+, which starts it: runbook resume$/m,
    );
    expect(diagnosed).not.toContain('systemctl start filebeat');
    const { stdout } = await harness.run(['doctor'], { env });
    expect(stdout).toMatch(/filebeat does not run .*\n.*\n {5}→ kept stopped by the unfinished run /);
    expect(stdout).toMatch(/→ not started by the unfinished run \S+: fix the cause, then: runbook resume$/m);
    expect(stdout).not.toContain('systemctl start');
  });

  test('--json: a line for each event, with the evidence', async () => {
    const ran = await harness.run(['diagnose', '--json'], { env });
    const [first, ...events] = linesOf(ran.stdout);
    expect(first).toEqual({ format: 'runbook-events', version: 1, verb: 'diagnose' });
    const found = events.map((l) => l['event'] as Record<string, unknown>).filter((e) => e['e'] === 'found');
    expect(found.map((f) => f['spec'])).toContain('7.indexer-start');
    expect(ran.exitCode).toBe(1);
  });

  test('--no-diagnose leaves it out', async () => {
    const ran = await harness.run(['resume', '-y', '--no-diagnose'], { env });
    expect(ran.exitCode).toBe(1);
    expect(ran.stdout).not.toMatch(/Found on|No known failure/);
  });
});

test('a run of something else, whose platform the shipped diagnosis does not know, ends as it did', async () => {
  const step = '      - step: Fail\n        command: { argv: [sh, -c, "exit 3"], changes: [], timeout: 10s }\n';
  const harness = localHarness(onePlay(step));
  try {
    const ran = await harness.run(['apply', 'test.yaml', '-y']);
    expect(ran.exitCode).toBe(1);
    expect(ran.stdout).toContain('ended with status 3');
  } finally {
    harness.end();
  }
});
