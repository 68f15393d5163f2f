import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { openHarness, type Harness } from './cli-harness.js';

describe('runbook completion', () => {
  let harness: Harness;
  beforeAll(() => {
    harness = openHarness();
  });
  afterAll(() => {
    harness.end();
  });

  /** What bash offers after these words. */
  const offered = async (words: readonly string[]): Promise<readonly string[]> => {
    harness.write('completion.bash', (await harness.run(['completion', 'bash'])).stdout);
    const script = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _runbook; printf "%s\\n" "${COMPREPLY[@]}"';
    const ran = await execa('bash', ['-c', script, harness.path('completion.bash'), 'runbook', ...words]);
    return ran.stdout.split('\n');
  };

  test('bash offers commands, and the options of the command', async () => {
    expect(await offered(['re'])).toEqual(expect.arrayContaining(['resume']));
    expect(await offered(['plan', '--out'])).toEqual(['--output']);
    expect(await offered(['close', '--out'])).toEqual(['']);
  });

  test.each(['zsh', 'fish'])('%s: every command is in it', async (shell) => {
    const { stdout, exitCode } = await harness.run(['completion', shell]);
    expect(exitCode).toBe(0);
    for (const command of ['init', 'doctor', 'plan', 'apply', 'rollback']) expect(stdout).toContain(command);
  });

  test('another shell is refused', async () => {
    const ran = await harness.run(['completion', 'csh']);
    expect([ran.exitCode, ran.stderr]).toEqual([2, 'runbook: completion takes one of: bash, zsh, fish']);
  });
});
