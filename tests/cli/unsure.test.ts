import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { localHarness, onePlay, touch, untilBegun, type Harness } from './cli-harness.js';

/* A run whose controller was killed in a command that may not be done twice: `resume` goes on by what the operator says. */

let harness: Harness;
beforeEach(() => {
  harness = localHarness(
    onePlay(
      `      - step: pay\n        command: { argv: [sh, -c, "echo paid >>@/paid"], changes: ["@/paid"], timeout: 10s }\n${touch('close the books', 'closed')}`,
    ),
  );
});
afterEach(() => harness.end());

/** Applies all of it, then cuts the journal after the command was begun: what a controller leaves that is killed inside it. */
async function cutInPay(): Promise<void> {
  await harness.run(['apply', 'test.yaml', '-y']);
  harness.cutJournal(untilBegun('pay'));
}

test('without a terminal and a word, the page says what is missing, and nothing is done twice', async () => {
  await cutInPay();
  const { exitCode, stdout } = await harness.run(['resume', '-y', '--no-diagnose']);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(
    /^FIX {7}see on the host whether it happened; `runbook resume` asks, or takes --done STEP or --not-done STEP$/m,
  );
  expect(harness.read('paid')).toBe('paid\n');
});

test.each([
  [['--done', 'pay'], 'paid\n', 'done'],
  [['--not-done', 'pay on a'], 'paid\npaid\n', 'not done'],
])('%j goes on to the end, and the report has it', async (word, paid, answer) => {
  await cutInPay();
  const dry = await harness.run(['resume', '--dry-run', ...word]);
  expect([dry.exitCode, harness.read('paid')]).toEqual([0, 'paid\n']);
  const resumed = await harness.run(['resume', '-y', ...word]);
  expect([resumed.exitCode, harness.read('paid')]).toEqual([0, paid]);
  const { stdout } = await harness.run(['report', '--format', 'json']);
  expect(JSON.stringify(JSON.parse(stdout))).toContain(
    `{"text":"Not known whether \\"pay\\" on a was done: sh -c 'echo paid >>${harness.path('paid')}'","answer":"${answer}"`,
  );
});

test.each([
  [['--done', 'close'], '--done: "close" is no step whose outcome is unknown; these are: "pay on a"'],
  [['--done', 'pay', '--not-done', 'pay on a'], '--done and --not-done: "pay on a" is named twice'],
])('%j is refused with exit code 2', async (word, sentence) => {
  await cutInPay();
  const { exitCode, stderr } = await harness.run(['resume', '-y', ...word]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(sentence)]);
});

test('of a temporary change that its own command ended since, nothing is asked, an answer is taken, and it is made again', async () => {
  const sh = (word: string): string => `command: { argv: [sh, -c, "echo ${word} >>@/log"], changes: [], timeout: 10s }`;
  harness.write(
    'test.yaml',
    onePlay(
      `      - step: drain\n        ${sh('drain')}\n        temporary:\n          ${sh('revive')}\n${touch('work', 'worked')}`,
    ),
  );
  await harness.run(['apply', 'test.yaml', '-y']);
  harness.cutJournal(untilBegun('drain'));
  const { exitCode, stdout } = await harness.run(['resume', '-y', '--no-diagnose']);
  expect([exitCode, stdout]).toEqual([1, expect.not.stringMatching(/^FIX/m)]);
  const resumed = await harness.run(['resume', '-y', '--done', 'drain']);
  expect([resumed.exitCode, harness.read('log').split('\n').slice(3)]).toEqual([0, ['drain', 'revive', '']]);
});
