import { describe, expect, test } from '@jest/globals';
import type { PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import { itemsOf } from '../../engine/report/checks/doctor-report.js';
import { ACCEPTED, platform, runOn, shippedProject } from './platform-bench.js';
import { edit } from './platform-looks.js';

interface Case {
  readonly it: string;
  readonly breakIt: (state: PlatformState) => unknown;
  readonly vars?: Readonly<Record<string, string>>;
  readonly says: RegExp;
  readonly as: 'problem' | 'warning';
}

const API = '/usr/share/platform-dashboard/data/platform/config/platform.yml';
const JVM = '/etc/platform-indexer/jvm.options';
const PUPPET = { active: 'active', enabled: true } as const;
const puppet = (state: PlatformState): unknown =>
  Object.assign(state.hosts['server-2']?.services ?? {}, {
    puppet: { ...state.hosts['server-2']?.services['filebeat'], ...PUPPET },
  });

const CASES: readonly Case[] = [
  { it: 'an active puppet', breakIt: puppet, says: /puppet\.service may upgrade packages/, as: 'warning' },
  {
    ...{ it: 'an active puppet, where the inventory refuses it', breakIt: puppet },
    ...{ vars: { disturbing_units: 'error' }, says: /puppet\.service may upgrade packages/, as: 'problem' },
  },
  {
    it: "a dashboard's sign-in at the management API that is wrong",
    breakIt: (state) =>
      edit(state, ['dashboard-1'], API, (text) => text.replace('"username":"', '"username":"former-')),
    ...{ says: /cannot use its management API/, as: 'warning' },
  },
  {
    it: 'keys that an agent cannot read',
    breakIt: (state) =>
      Object.assign(state.hosts['linux-2']?.files['/var/platform/etc/client.keys'] ?? {}, { mode: '0600' }),
    ...{ says: /cannot use \S+client\.keys/, as: 'warning' },
  },
  {
    it: 'a second pair of heap lines',
    breakIt: (state) => edit(state, ['indexer-2'], JVM, (text) => `${text}-Xms2g\n-Xmx2g\n`),
    ...{ says: /contradict each other/, as: 'problem' },
  },
];

async function doctorOn(state: PlatformState, vars: Case['vars']) {
  const shipped = await shippedProject('doctor.yaml');
  const project = { ...shipped, extraVars: { ...ACCEPTED, ...vars } };
  const ran = await runOn(project, state, 'plan', { options: { diagnosing: true } });
  return itemsOf(ran.recorded, project.playbook);
}

describe('doctor and plan give the same answer', () => {
  test.each(CASES)('$it', async ({ breakIt, vars, says, as }) => {
    const { run, state } = await platform({}, (p) => ({ ...p, extraVars: { ...p.extraVars, ...vars } }));
    breakIt(state);
    const { events } = await run('plan');
    const planned = events.flatMap((e) => {
      if (e.e === 'settled' && e.as === 'blocked' && says.test(e.reason ?? '')) return ['problem'];
      return e.e === 'warned' && says.test(e.text) ? ['warning'] : [];
    });
    const { problems, warnings } = await doctorOn(state, vars);
    const examined = [
      ...problems.map(({ text }) => ['problem', text] as const),
      ...warnings.map(({ text }) => ['warning', text] as const),
    ].flatMap(([severity, text]) => (says.test(text) ? [severity] : []));
    expect([new Set(planned), new Set(examined)]).toEqual([new Set([as]), new Set([as])]);
  });
});
