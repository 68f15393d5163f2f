import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, rmSync } from 'node:fs';
import { localDesk, onePlay, touch, type Desk } from './desk.js';

let desk: Desk;
afterEach(() => desk.end());

const MAYBE = `      - step: maybe
        command: { argv: [test, -e, "@/fixed"], changes: everything, repeatable: true, timeout: 10s }
`;

async function planned(steps: string, playbook = 'test.yaml'): Promise<string> {
  desk = localDesk(onePlay(steps));
  desk.write('whole.yaml', 'playbook: Whole\nplays:\n  - { import: test.yaml }\n');
  const { stdout } = await desk.run(['plan', playbook, '-o', 'change.plan']);
  return /Written to change\.plan \((\w{8})\)/.exec(stdout)?.[1] ?? '';
}
const apply = (...more: readonly string[]) => desk.run(['apply', 'change.plan', '-y', ...more]);

describe('planned against done, at the end of apply FILE and in show:', () => {
  /** Both print it, also once the plan file is gone. */
  const told = async (lines: string, ...more: readonly string[]): Promise<void> => {
    expect((await apply(...more)).stdout).toContain(lines);
    rmSync(desk.path('change.plan'));
    expect((await desk.run(['show'])).stdout).toContain(lines);
  };

  test('done as it was approved', async () => {
    const id = await planned(`${touch('one', 'one')}${touch('two', 'two')}`);
    await told(`\nAs approved: all 2 steps of the plan ${id}.\n`);
  });

  test('a step that failed, and what was not started', async () => {
    const id = await planned(`${touch('one', 'one')}${MAYBE}${touch('two', 'two')}`);
    await told(`2 differences from the approved plan ${id} of 3 steps:
  ✗ a  maybe: test -e ${desk.path('fixed')}  (failed: test -e ${desk.path('fixed')} ended with status 1)
  - not started, because the run stopped before: 1 step
`);
  });

  test('a step that was no longer needed, and was allowed', async () => {
    const id = await planned(`${touch('one', 'one')}${touch('two', 'two')}`);
    desk.write('one', '');
    await told(
      `1 difference from the approved plan ${id} of 2 steps:
  - a  one: touch ${desk.path('one')}  (not needed: ${desk.path('one')} is there)
`,
      '--allow',
      'one',
    );
  });

  test('a step that another run did since', async () => {
    const id = await planned(`${touch('one', 'one')}${touch('two', 'two')}`, 'whole.yaml');
    expect((await desk.run(['apply', 'test.yaml', '-y'])).exitCode).toBe(0);
    rmSync(desk.path('two'));
    await told(`1 difference from the approved plan ${id} of 2 steps:
  - a  one: touch ${desk.path('one')}  (done by another run after the plan)
`);
  });

  test('a step that the plan does not have, and was allowed', async () => {
    desk = localDesk(onePlay(`${touch('one', 'one')}${touch('two', 'two')}`));
    desk.write('two', '');
    const { stdout } = await desk.run(['plan', 'test.yaml', '-o', 'change.plan']);
    const id = /Written to change\.plan \((\w{8})\)/.exec(stdout)?.[1] ?? '';
    rmSync(desk.path('two'));
    await told(
      `1 difference from the approved plan ${id} of 1 step:
  + a  two: touch ${desk.path('two')}  (not in the plan, allowed with --allow)
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
    const shown = (await desk.run(['show'])).stdout;
    const report = (await desk.run(['report'])).stdout;
    for (const text of [stdout, shown, report]) {
      expect(text).toContain(sum);
      expect(text).toContain(cause);
    }
    const took = / (?:done )?in (.*)$/m.exec(stdout)?.[1] ?? '';
    expect(shown).toContain(took);
    expect(report).toContain(`- **Took**: ${took}\n`);
  }

  test('done as planned, with --json too', async () => {
    desk = localDesk(onePlay(touch('one', 'one')));
    await desk.run(['apply', 'test.yaml', '-y', '--json']);
    expect((await desk.run(['show'])).stdout).toContain('\nAs planned: all 1 step.\n');
    expect((await desk.run(['report'])).stdout).toContain('\nAs planned: all 1 step.\n');
  });

  test('a step that failed and was repeated', async () => {
    desk = localDesk(onePlay(MAYBE_ALL));
    await desk.run(['apply', 'test.yaml', '-y']);
    desk.write('fixed', '');
    const { stdout } = await desk.run(['resume', '-y']);
    const failed = `done at a later attempt; failed first: test -e ${desk.path('fixed')} ended with status 1`;
    await same(stdout, '1 difference from its plan of 3 steps', failed);
  });

  test('a step that failed, and was done by hand before the resume', async () => {
    const step = `      - step: make
        file: { path: "@/sub/made", state: file, content: "x" }
`;
    desk = localDesk(onePlay(`${touch('one', 'one')}${step}`));
    await desk.run(['apply', 'test.yaml', '-y']);
    mkdirSync(desk.path('sub'));
    desk.write('sub/made', 'x');
    const { stdout } = await desk.run(['resume', '-y']);
    await same(
      stdout,
      '1 difference from its plan of 2 steps',
      `failed, and was found done when the run continued: there is no directory for ${desk.path('sub/made')}`,
    );
  });

  test('a run that was closed: what was not started', async () => {
    desk = localDesk(onePlay(MAYBE_ALL));
    await desk.run(['apply', 'test.yaml', '-y']);
    await desk.run(['close', '-y']);
    expect((await desk.run(['show'])).stdout).toContain('2 differences from its plan of 3 steps:');
    expect((await desk.run(['report'])).stdout).toContain('Not started, because the run stopped before: 1 step.');
  });
});
