import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { localHarness, onePlay, touch, type Harness } from './cli-harness.js';

/* The clock of the controller is set back: by its operator, or by a server of time that found it an hour ahead. */

let harness: Harness;
beforeEach(() => {
  harness = localHarness(
    onePlay(
      `${touch('first', 'first')}      - step: set the clock back\n        command: { argv: [touch, "@/back"], changes: ["@/back"], timeout: 10s }\n` +
        '      - step: wait\n        wait_for: { that: host.name == "b" }\n        timeout: 3s\n',
    ),
  );
  // An hour ahead until a second after the step, while the next one waits.
  harness.write(
    'clock.cjs',
    `const now = Date.now, { existsSync } = require('node:fs');
let seenMs;
Date.now = () => {
  if (seenMs === undefined && existsSync('@/back')) seenMs = performance.now();
  return now() + (seenMs !== undefined && performance.now() > seenMs + 1000 ? 0 : 3600_000);
};
`,
  );
});
afterEach(() => harness.end());

test('during a run: no wait gets longer; then a resume counts on from the last record', async () => {
  const ahead = { NODE_OPTIONS: `--require ${harness.path('clock.cjs')}` };
  const failed = await harness.run(['apply', 'test.yaml', '-y', '--no-diagnose'], { env: ahead });
  expect([failed.exitCode, failed.stdout]).toEqual([1, expect.stringContaining('✗ a  wait\n  waited 3 s: ')]);
  const TIME = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d UTC`;
  const named = new RegExp(
    `The clock here was set back by (?:1 h|59 min .*): it shows ${TIME}, and this run counts on from ${TIME}\\.`,
  );
  const warned = harness.journalOf(harness.runs()[0] ?? '').filter(({ event }) => event.e === 'warned');
  expect(warned).toEqual([
    expect.objectContaining({ event: expect.objectContaining({ text: expect.stringMatching(named) }) }),
  ]);
  expect(failed.stderr).toMatch(named);
  // Now by the clock that was set back, an hour before the records.
  const again = await harness.run(['resume', '-y', '--no-diagnose']);
  expect([again.exitCode, again.stderr]).toEqual([
    1,
    expect.stringMatching(/The clock here is (?:1 h|59 min .*) behind the last record of this run/),
  ]);
  const [run = ''] = harness.runs();
  const times = harness.journalOf(run).map(({ atMs }) => atMs);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  const shown = await harness.run(['show']);
  const report = await harness.run(['report', '--format', 'md']);
  expect(`${again.stdout}${shown.stdout}${report.stdout}`).not.toMatch(/-\d+ (?:ms|s|min|h)\b/);
});
