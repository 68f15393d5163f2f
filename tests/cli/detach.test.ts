import { afterEach, expect, test } from '@jest/globals';
import { existsSync, readdirSync } from 'node:fs';
import { hasScript, sit } from './sit.js';
import { lineOf, linesOf, localHarness, onePlay, touch, type Harness } from './cli-harness.js';

let harness: Harness;
afterEach(async () => {
  // Nothing stays behind, also of a test that failed.
  harness.write('go', '');
  await harness.run(['stop']);
  harness.end();
});

const WAITS = onePlay(
  `${touch('one', 'one')}      - step: wait\n        command: { argv: [sh, -c, "until test -e @/go; do sleep 0.05; done"], changes: everything, timeout: 60s }\n${touch('two', 'two')}`,
);
const isThere = (...names: readonly string[]): readonly boolean[] =>
  names.map((name) => existsSync(harness.path(name)));

test('a run in the background goes on without its terminal; attach follows it and ends as it does', async () => {
  harness = localHarness(WAITS);
  const begun = await harness.run(['apply', 'test.yaml', '-y', '--detach']);
  expect([begun.exitCode, begun.stderr]).toEqual([0, '']);
  expect(begun.stdout).toMatch(
    /^The run \S+ works in the background \(process \d+\)\.\n {2}runbook attach +follow it\n/,
  );
  const attached = harness.start(['attach']);
  harness.write('go', '');
  const { exitCode, stdout, stderr } = await attached;
  expect([exitCode, ...isThere('one', 'two')]).toEqual([0, true, true]);
  expect(stdout).toContain('✓ Try: done in ');
  expect(stderr).toMatch(/ a {2}two/);
  expect((await harness.run(['attach', harness.runs()[0] ?? ''])).exitCode).toBe(0);
});

test('attach --json writes events while the run works, and its summary at the end', async () => {
  harness = localHarness(WAITS);
  await harness.run(['apply', 'test.yaml', '-y', '--detach']);
  const attached = harness.start(['attach', '--json']);
  await lineOf(attached.stdout, /"e":"intent".*"name":"wait"/);
  expect((await harness.run(['runs'])).stdout).toContain(' running ');
  harness.write('go', '');
  const { exitCode, stdout, stderr } = await attached;
  const [head, ...stream] = linesOf(stdout);
  expect([exitCode, stderr, head]).toEqual([0, '', { format: 'runbook-events', version: 1, verb: 'show' }]);
  expect(stream).toEqual(linesOf((await harness.run(['show', '--json'])).stdout).slice(1));
});

test('attach ends with the exit code of a run that was stopped; Ctrl-C in it, or its loss, stops nothing', async () => {
  harness = localHarness(WAITS);
  await harness.run(['apply', 'test.yaml', '-y', '--detach']);
  const left = harness.start(['attach']);
  await lineOf(left.stderr, / a {2}wait: /);
  left.kill('SIGINT');
  expect(await left).toMatchObject({
    exitCode: 130,
    stderr: expect.stringMatching(/^Detached; the run \S+ continues\.$/m),
  });
  const lost = harness.start(['attach']);
  await lineOf(lost.stderr, / a {2}wait: /);
  lost.kill('SIGKILL');
  await lost;
  expect((await harness.run(['runs'])).stdout).toContain(' running ');
  const attached = harness.start(['attach']);
  await lineOf(attached.stderr, / a {2}wait: /);
  const stopped = harness.start(['stop']);
  await lineOf(stopped.stderr, /^Stopping /);
  harness.write('go', '');
  expect([(await stopped).exitCode, (await attached).exitCode, ...isThere('one', 'two')]).toEqual([
    0,
    130,
    true,
    false,
  ]);
});

(hasScript ? test : test.skip)('on a terminal attach draws the live view, and q leaves the run going', async () => {
  harness = localHarness(WAITS);
  await harness.run(['apply', 'test.yaml', '-y', '--detach']);
  const { exitCode, received } = await sit(harness, ['attach'], [[/ 1\/3 .* wait/, 'q']]);
  expect(exitCode).toBe(130);
  expect(received).toMatch(/^Following the run \S+\. q or Ctrl-C detaches; the run continues\.\r$/m);
  expect(received).toMatch(/ 1\/3 changes · phase 1 of 1/);
  expect((await harness.run(['runs'])).stdout).toContain(' running ');
  const end = sit(harness, ['attach', harness.runs()[0] ?? ''], [[/Following/, () => (harness.write('go', ''), '?')]]);
  expect((await end).exitCode).toBe(0);
  expect((await end).shown).toContain('✓ Try: done in ');
});

test('what refuses a run is printed with its exit code, and nothing stays behind', async () => {
  harness = localHarness(onePlay('      - step: look\n        check: { that: 1 == 2, message: no good }\n'));
  const refused = await harness.run(['apply', 'test.yaml', '-y', '--detach']);
  expect([refused.exitCode, harness.runs()]).toEqual([3, []]);
  expect(refused.stdout).toContain('no good');
  expect(readdirSync(harness.path('.runbook/locks/inventory.yaml'))).toEqual([]);
  const unasked = await harness.run(['apply', 'test.yaml', '--detach']);
  expect([unasked.exitCode, unasked.stderr]).toEqual([2, expect.stringContaining('use -y')]);
});
