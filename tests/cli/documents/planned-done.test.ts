import { afterEach, describe, expect, test } from '@jest/globals';
import { rmSync } from 'node:fs';
import { localHarness, onePlay, touch, type Harness } from '../cli-harness.js';

let harness: Harness;
afterEach(() => harness.end());

const MAYBE = `      - step: maybe
        command: { argv: [test, -e, "@/fixed"], changes: everything, repeatable: true, timeout: 10s }
`;

async function planned(steps: string, playbook = 'test.yaml'): Promise<string> {
  harness = localHarness(onePlay(steps));
  harness.write('whole.yaml', 'playbook: Whole\nplays:\n  - { import: test.yaml }\n');
  const { stdout } = await harness.run(['plan', playbook, '-o', 'change.plan']);
  return /Written to change\.plan \((\w{8})\)/.exec(stdout)?.[1] ?? '';
}
const apply = (...more: readonly string[]) => harness.run(['apply', 'change.plan', '-y', ...more]);

describe('planned against done, at the end of apply FILE and in show:', () => {
  /** Both print it, also once the plan file is gone. */
  const told = async (lines: string, ...more: readonly string[]): Promise<void> => {
    expect((await apply(...more)).stdout).toContain(lines);
    rmSync(harness.path('change.plan'));
    expect((await harness.run(['show'])).stdout).toContain(lines);
  };

  test('done as it was approved', async () => {
    const id = await planned(`${touch('one', 'one')}${touch('two', 'two')}`);
    await told(`\nAs approved: all 2 steps of the plan ${id}.\n`);
  });

  test('a step that failed, and what was not started', async () => {
    const id = await planned(`${touch('one', 'one')}${MAYBE}${touch('two', 'two')}`);
    await told(`2 differences from the approved plan ${id} of 3 steps:
  ✗ a  maybe: test -e ${harness.path('fixed')}  (failed: test -e ${harness.path('fixed')} ended with status 1)
  - not started, because the run stopped before: 1 step
`);
  });

  test('a step that was no longer needed, and was allowed', async () => {
    const id = await planned(`${touch('one', 'one')}${touch('two', 'two')}`);
    harness.write('one', '');
    await told(
      `1 difference from the approved plan ${id} of 2 steps:
  - a  one: touch ${harness.path('one')}  (not needed: ${harness.path('one')} is there)
`,
      '--allow',
      'one',
    );
  });

  test('a step that another run did since', async () => {
    const id = await planned(`${touch('one', 'one')}${touch('two', 'two')}`, 'whole.yaml');
    expect((await harness.run(['apply', 'test.yaml', '-y'])).exitCode).toBe(0);
    rmSync(harness.path('two'));
    const runs = harness.runs();
    await told(`As approved: all 2 steps of the plan ${id}.
1 step was done before the run, as expected: Try (run ${runs[0] ?? ''})
`);
    expect((await harness.run(['report'])).stdout).toContain(
      `\n\n1 step was done before the run, as expected: Try (run ${runs[0] ?? ''}).\n`,
    );
    // A run after it did nothing before it.
    harness.write('test.yaml', onePlay(touch('one', 'one')));
    rmSync(harness.path('one'));
    await harness.run(['apply', 'test.yaml', '-y']);
    expect((await harness.run(['show', harness.runs()[1] ?? ''])).stdout).toContain(
      `\n1 step was done before the run, as expected: Try (run ${runs[0] ?? ''})\n`,
    );
  });

  test('a step that the plan does not have, and was allowed', async () => {
    harness = localHarness(onePlay(`${touch('one', 'one')}${touch('two', 'two')}`));
    harness.write('two', '');
    const { stdout } = await harness.run(['plan', 'test.yaml', '-o', 'change.plan']);
    const id = /Written to change\.plan \((\w{8})\)/.exec(stdout)?.[1] ?? '';
    rmSync(harness.path('two'));
    await told(
      `1 difference from the approved plan ${id} of 1 step:
  + a  two: touch ${harness.path('two')}  (not in the plan, allowed with --allow)
`,
      '--allow',
      'two',
    );
  });
});

describe('planned against done, of a run that no plan file began:', () => {
  const MAYBE_ALL = `${touch('one', 'one')}${MAYBE}${touch('two', 'two')}`;

  /** The sum and the cause of the one step that differs; the same at the end, in `show` and in the report, and the same time. */
  async function same(stdout: string, sum: string, cause: string): Promise<void> {
    const shown = (await harness.run(['show'])).stdout;
    const report = (await harness.run(['report'])).stdout;
    for (const text of [stdout, shown, report]) {
      expect(text).toContain(sum);
      expect(text).toContain(cause);
    }
    const took = / (?:done )?in (.*)$/m.exec(stdout)?.[1] ?? '';
    expect(shown).toContain(took);
    expect(report).toContain(`- **Took**: ${took}\n`);
  }

  test('done as planned, with --json too', async () => {
    harness = localHarness(onePlay(touch('one', 'one')));
    await harness.run(['apply', 'test.yaml', '-y', '--json']);
    expect((await harness.run(['show'])).stdout).toContain('\nAs planned: all 1 step.\n');
    expect((await harness.run(['report'])).stdout).toContain('\nAs planned: all 1 step.\n');
  });

  test('a step that failed and was repeated', async () => {
    harness = localHarness(onePlay(MAYBE_ALL));
    await harness.run(['apply', 'test.yaml', '-y']);
    harness.write('fixed', '');
    const { stdout } = await harness.run(['resume', '-y']);
    const failed = `done at a later attempt; failed first: test -e ${harness.path('fixed')} ended with status 1`;
    await same(stdout, '1 difference from its plan of 3 steps', failed);
  });

  test('a step that failed, and was done by hand before the resume', async () => {
    const step = `      - step: make
        command: { argv: [test, -e, "@/fixed"], creates: "@/made", changes: ["@/made"], timeout: 10s }
`;
    harness = localHarness(onePlay(`${touch('one', 'one')}${step}`));
    await harness.run(['apply', 'test.yaml', '-y']);
    harness.write('made', 'x');
    const { stdout } = await harness.run(['resume', '-y']);
    const cause = `test -e ${harness.path('fixed')} ended with status 1`;
    await same(
      stdout,
      '1 difference from its plan of 2 steps',
      `failed, and was found done when the run continued: ${cause}`,
    );
  });

  test('a run that was closed: what was not started', async () => {
    harness = localHarness(onePlay(MAYBE_ALL));
    await harness.run(['apply', 'test.yaml', '-y']);
    await harness.run(['close', '-y']);
    expect((await harness.run(['show'])).stdout).toContain('2 differences from its plan of 3 steps:');
    expect((await harness.run(['report'])).stdout).toContain('Not started, because the run stopped before: 1 step.');
  });
});
