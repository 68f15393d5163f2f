import { afterEach, expect, test } from '@jest/globals';
import { existsSync, readdirSync } from 'node:fs';
import { hasScript, sit } from './sit.js';
import { lineOf, localDesk, onePlay, touch, type Desk } from './desk.js';

let desk: Desk;
afterEach(async () => {
  // Nothing stays behind, also of a test that failed.
  desk.write('go', '');
  await desk.run(['stop']);
  desk.end();
});

const WAITS = onePlay(
  `${touch('one', 'one')}      - step: wait\n        command: { argv: [sh, -c, "until test -e @/go; do sleep 0.05; done"], changes: everything, timeout: 60s }\n${touch('two', 'two')}`,
);
const isThere = (...names: readonly string[]): readonly boolean[] => names.map((name) => existsSync(desk.path(name)));

test('a run in the background goes on without its terminal; attach follows it and ends as it does', async () => {
  desk = localDesk(WAITS);
  const begun = await desk.run(['apply', 'test.yaml', '-y', '--detach']);
  expect([begun.exitCode, begun.stderr]).toEqual([0, '']);
  expect(begun.stdout).toMatch(
    /^The run \S+ works in the background \(process \d+\)\.\n {2}runbook attach +follow it\n/,
  );
  const attached = desk.start(['attach']);
  desk.write('go', '');
  const { exitCode, stdout, stderr } = await attached;
  expect([exitCode, ...isThere('one', 'two')]).toEqual([0, true, true]);
  expect(stdout).toContain('✓ Try: done in ');
  expect(stderr).toMatch(/ a {2}two/);
  expect((await desk.run(['attach', desk.runs()[0] ?? ''])).exitCode).toBe(0);
});

test('attach ends with the exit code of a run that was stopped; Ctrl-C in it, or its loss, stops nothing', async () => {
  desk = localDesk(WAITS);
  await desk.run(['apply', 'test.yaml', '-y', '--detach']);
  const left = desk.start(['attach']);
  await lineOf(left.stderr, / a {2}wait: /);
  left.kill('SIGINT');
  expect(await left).toMatchObject({
    exitCode: 130,
    stderr: expect.stringMatching(/^Detached; the run \S+ continues\.$/m),
  });
  const lost = desk.start(['attach']);
  await lineOf(lost.stderr, / a {2}wait: /);
  lost.kill('SIGKILL');
  await lost;
  expect((await desk.run(['runs'])).stdout).toContain(' running ');
  const attached = desk.start(['attach']);
  await lineOf(attached.stderr, / a {2}wait: /);
  const stopped = desk.start(['stop']);
  await lineOf(stopped.stderr, /^Stopping /);
  desk.write('go', '');
  expect([(await stopped).exitCode, (await attached).exitCode, ...isThere('one', 'two')]).toEqual([
    0,
    130,
    true,
    false,
  ]);
});

(hasScript ? test : test.skip)('on a terminal attach draws the live view, and q leaves the run going', async () => {
  desk = localDesk(WAITS);
  await desk.run(['apply', 'test.yaml', '-y', '--detach']);
  const { exitCode, received } = await sit(desk, ['attach'], [[/ 1\/3 .* wait/, 'q']]);
  expect(exitCode).toBe(130);
  expect(received).toMatch(/^Following the run \S+\. q or Ctrl-C detaches; the run continues\.\r$/m);
  expect(received).toMatch(/ 1\/3 changes · phase 1 of 1/);
  expect((await desk.run(['runs'])).stdout).toContain(' running ');
  const end = sit(desk, ['attach', desk.runs()[0] ?? ''], [[/Following/, () => (desk.write('go', ''), '?')]]);
  expect((await end).exitCode).toBe(0);
  expect((await end).shown).toContain('✓ Try: done in ');
});

test('what refuses a run is printed with its exit code, and nothing stays behind', async () => {
  desk = localDesk(onePlay('      - step: look\n        check: { that: 1 == 2, message: no good }\n'));
  const refused = await desk.run(['apply', 'test.yaml', '-y', '--detach']);
  expect([refused.exitCode, desk.runs()]).toEqual([3, []]);
  expect(refused.stdout).toContain('no good');
  expect(readdirSync(desk.path('.runbook/locks/inventory.yaml'))).toEqual([]);
  const unasked = await desk.run(['apply', 'test.yaml', '--detach']);
  expect([unasked.exitCode, unasked.stderr]).toEqual([2, expect.stringContaining('use -y')]);
});
