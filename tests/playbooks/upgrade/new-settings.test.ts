import { expect, test } from '@jest/globals';
import { putFile } from '../../../engine/simulator/files.js';
import { endView } from '../../../engine/report/end/end-view.js';
import { planView } from '../../../engine/report/plan/plan-view.js';
import { platform, runOn, shippedProject } from '../platform-bench.js';
import { endOf, hostOf, warningsOf } from '../platform-looks.js';

const PLAIN = { color: false, width: 200, diff: false, verbose: false };
const LACKS =
  /dashboard\.yml was kept; .+ has settings that it lacks\. After the run, add by hand what you need:\n *\+ opensearch_security\.cookie\.secure: true/;

test('settings that a kept configuration lacks are reported: in the plan once the packages are staged, and by the run', async () => {
  const { run, state } = await platform();
  const prepare = await shippedProject('prepare.yaml');
  expect(endOf(await runOn(prepare, state, 'apply', { name: 'prepare' }))).toEqual(['done']);
  const planned = await run('plan');
  expect(warningsOf(planned)).toContainEqual(expect.stringMatching(LACKS));
  expect(planView(planned.recorded, PLAIN)).toMatch(LACKS);
  const ran = await run('apply');
  expect([endOf(ran), warningsOf(ran).filter((w) => LACKS.test(w))]).toEqual([['done'], [expect.any(String)]]);
  expect(endView(ran.recorded, PLAIN)).toMatch(new RegExp(`^! dashboard-1  \\S+${LACKS.source}`, 'm'));
});

test('a plan of indexer.yaml lists the new settings of opensearch.yml that .dpkg-dist and .rpmnew have already', async () => {
  const CONFIG = '/etc/platform-indexer/opensearch.yml';
  const left = { 'indexer-2': '.dpkg-dist', 'indexer-3': '.rpmnew' };
  const { run, state } = await platform({ rpmHosts: ['indexer-3'] }, undefined, 'indexer.yaml');
  await runOn(await shippedProject('prepare.yaml'), state, 'apply', { name: 'prepare' });
  for (const [host, suffix] of Object.entries(left))
    putFile(hostOf(state, host), `${CONFIG}${suffix}`, { text: 'a.new:\n  setting: 1\n' }, 1);
  const view = planView((await run('plan')).recorded, PLAIN);
  for (const suffix of Object.values(left))
    expect(view).toContain(
      `! ${CONFIG} was kept; ${CONFIG}${suffix} has settings that it lacks. After the run, add by hand what you need:\n${' '.repeat(13)}+ a.new.setting: 1\n`,
    );
  expect(view.match(/was kept/g)).toHaveLength(2);
});
