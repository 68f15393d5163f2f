import { expect, test } from '@jest/globals';
import { planView } from '../../engine/report/plan-view.js';
import { platform, runOn, shippedProject } from './platform-bench.js';
import { endOf, warningsOf } from './platform-looks.js';

const LACKS =
  /dashboard\.yml was kept; \S+ has settings that it lacks\. Add by hand what you need:\n *\+ opensearch_security\.cookie\.secure: true/;

test('settings that a kept configuration lacks are reported: in the plan once the packages are staged, and by the run', async () => {
  const { run, state } = await platform();
  const prepare = await shippedProject('prepare.yaml');
  expect(endOf(await runOn(prepare, state, 'apply', { name: 'prepare' }))).toEqual(['done']);
  const planned = await run('plan');
  expect(warningsOf(planned)).toContainEqual(expect.stringMatching(LACKS));
  expect(planView(planned.recorded, { color: false, width: 200, diff: false, verbose: false })).toMatch(LACKS);
  const ran = await run('apply');
  expect([endOf(ran), warningsOf(ran).filter((w) => LACKS.test(w))]).toEqual([['done'], [expect.any(String)]]);
});
