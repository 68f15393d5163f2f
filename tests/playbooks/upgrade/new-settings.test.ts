import { expect, test } from '@jest/globals';
import { putFile } from '../../../engine/simulator/files.js';
import { endView } from '../../../engine/report/end/end-view.js';
import { planView } from '../../../engine/report/plan/plan-view.js';
import { platform, runOn, shippedProject } from '../platform-bench.js';
import { endOf, hostOf } from '../platform-looks.js';

const PLAIN = { color: false, width: 200, diff: false, verbose: false };

test('settings that a package’s script appends are promised to no operator: the run names them at its end', async () => {
  const { run, state } = await platform();
  const prepare = await shippedProject('prepare.yaml');
  expect(endOf(await runOn(prepare, state, 'apply', { name: 'prepare' }))).toEqual(['done']);
  expect(planView((await run('plan')).recorded, PLAIN)).not.toMatch(/dashboard\.yml(?: was kept|\.dpkg-dist)/);
  const ran = await run('apply');
  expect(endOf(ran)).toEqual(['done']);
  expect(endView(ran.recorded, PLAIN)).toMatch(
    /^! dashboard-1 {2}\S+dashboard\.yml was changed ⏎ \+opensearch_security\.cookie\.secure: true/m,
  );
});

test.each(['.dpkg-dist', '.rpmnew'])(
  'a plan lists the new settings of filebeat.yml that %s has already',
  async (suffix) => {
    const CONFIG = '/etc/filebeat/filebeat.yml';
    const { run, state } = await platform(suffix === '.rpmnew' ? { rpmHosts: ['server-1'] } : {});
    await runOn(await shippedProject('prepare.yaml'), state, 'apply', { name: 'prepare' });
    putFile(hostOf(state, 'server-1'), `${CONFIG}${suffix}`, { text: 'a.new:\n  setting: 1\n' }, 1);
    expect(planView((await run('plan')).recorded, PLAIN)).toContain(
      `! ${CONFIG} was kept; ${CONFIG}${suffix} has settings that it lacks. After the run, add by hand what you need:\n${' '.repeat(13)}+ a.new.setting: 1\n`,
    );
  },
);
