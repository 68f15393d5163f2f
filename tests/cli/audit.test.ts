import { afterEach, expect, test } from '@jest/globals';
import { linesOf, localHarness, onePlay, touch, type Harness } from './cli-harness.js';

let harness: Harness;
afterEach(() => harness.end());

const PLAYS = `${onePlay(touch('one', 'one'))}  - play: Later\n    hosts: all\n    steps:\n${touch('two', 'two')}`;
const stopped = async (...more: readonly string[]): Promise<void> => {
  harness = localHarness(PLAYS);
  const args = ['apply', 'test.yaml', '-y', '--pause-before', 'Later', ...more];
  const env = { SSH_CONNECTION: '10.0.0.5 50022 10.0.0.1 22', SUDO_USER: 'kim' };
  expect((await harness.run(args, { env })).exitCode).toBe(130);
};

test('a run records of each part who began it, when, from where and why; runs and show print it', async () => {
  await stopped('--reason', 'security update', '--ticket', 'CHG-4711');
  expect((await harness.run(['resume', '-y', '--ticket', 'CHG-4712'])).exitCode).toBe(0);
  expect((await harness.run(['runs'])).stdout).toMatch(/ done +2 {2}Try {3}ticket CHG-4711 · ticket CHG-4712$/m);
  const shown = (await harness.run(['show'])).stdout;
  expect(shown).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}apply {3}\S+@\S+ \(sudo by kim\) from 10\.0\.0\.5 · ticket CHG-4711 · security update$/m,
  );
  expect(shown).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}resume {2}\S+@\S+ · ticket CHG-4712$/m);
  const [, row] = linesOf((await harness.run(['runs', '--json'])).stdout);
  expect(row?.['parts']).toEqual([
    {
      ...{ verb: 'apply', atMs: expect.any(Number), by: expect.stringContaining('@'), version: expect.anything() },
      ...{ sudoUser: 'kim', client: '10.0.0.5', reason: 'security update', ticket: 'CHG-4711' },
    },
    { verb: 'resume', atMs: expect.any(Number), by: expect.anything(), version: expect.anything(), ticket: 'CHG-4712' },
  ]);
});

test('a close records it too', async () => {
  await stopped();
  expect((await harness.run(['close', '-y', '--reason', 'postponed'])).exitCode).toBe(0);
  expect((await harness.run(['show'])).stdout).toMatch(/UTC {2}close {3}\S+@\S+ · postponed$/m);
});

test('what an operator wrote is one line, whatever it holds', async () => {
  await stopped('--reason', 'two\nlines \u001b[2J', '--ticket', '<b>\u202e');
  const { stdout } = await harness.run(['show']);
  expect(stdout).not.toContain('\u001b');
  expect(stdout).toMatch(/^.* UTC {2}apply .*two ⏎ lines.*$/m);
});

test.each([
  [['--ticket', ''], '--ticket needs a value'],
  [['--reason', 'x'.repeat(501)], '--reason takes at most 500 characters'],
])('a wrong one is refused: %j', async (args, message) => {
  harness = localHarness(PLAYS);
  const { exitCode, stderr } = await harness.run(['apply', 'test.yaml', '-y', ...args]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});
