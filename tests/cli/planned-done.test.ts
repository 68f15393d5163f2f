import { afterEach, describe, expect, test } from '@jest/globals';
import { rmSync } from 'node:fs';
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
    await told(`Differs from the approved plan ${id}, 3 steps:
  ✗ a  maybe: test -e ${desk.path('fixed')}  (failed: test -e ${desk.path('fixed')} ended with status 1)
  - not started, because the run stopped before: 1 step
`);
  });

  test('a step that was no longer needed, and was allowed', async () => {
    const id = await planned(`${touch('one', 'one')}${touch('two', 'two')}`);
    desk.write('one', '');
    await told(
      `Differs from the approved plan ${id}, 2 steps:
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
    await told(`Differs from the approved plan ${id}, 2 steps:
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
      `Differs from the approved plan ${id}, 1 step:
  + a  two: touch ${desk.path('two')}  (not in the plan, allowed with --allow)
`,
      '--allow',
      'two',
    );
  });
});

test('a run that no plan file began has no such lines', async () => {
  desk = localDesk(onePlay(touch('one', 'one')));
  const { stdout } = await desk.run(['apply', 'test.yaml', '-y']);
  expect(stdout).not.toMatch(/approved/i);
});
