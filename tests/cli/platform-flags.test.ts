import { afterEach, expect, test } from '@jest/globals';
import { onePlay, openHarness, touch, type Harness } from './cli-harness.js';

let harness: Harness | undefined;
afterEach(() => harness?.end());

const PLATFORM = `platform: Test
roles: {}
vars: { what: nothing }
flags:
  all-of-it: { sets: what, to: everything, description: not only the new ones }
`;
const open = (): Harness =>
  (harness = openHarness({
    'platform.yaml': PLATFORM,
    'test.yaml': onePlay(touch('one', '{{vars.what}}')),
    'inventory.yaml': 'platform: {}\nendpoints: {}\nsecrets: {}\nhosts:\n  a: { address: 127.0.0.1, machine: local }\n',
  }));

test('a flag that the platform declares sets its variable, and a later -e counts above it', async () => {
  const { run } = open();
  expect((await run(['plan', 'test.yaml', '--detail'])).stdout).toContain('nothing  one');
  expect((await run(['plan', 'test.yaml', '--detail', '--all-of-it'])).stdout).toContain('everything  one');
  expect((await run(['plan', '--all-of-it', 'test.yaml', '--detail', '-e', 'what=some'])).stdout).toContain(
    'some  one',
  );
});

test('its help lists it, for the verbs that take it', async () => {
  const { run } = open();
  expect((await run(['plan', 'test.yaml', '--help'])).stdout).toContain('--all-of-it           not only the new ones');
  expect((await run(['resume', '-y', '--help'])).stdout).not.toContain('--all-of-it');
});

test('one that is nearly right is named', async () => {
  const { run } = open();
  const { exitCode, stderr } = await run(['apply', 'test.yaml', '--all-of-id']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('did you mean --all-of-it?')]);
});
