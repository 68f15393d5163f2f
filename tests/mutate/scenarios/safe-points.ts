import { done, equal, hostOf, ok, unitOf } from '../look.js';
import { after, stoppedAfter, upgraded } from '../ours.js';
import { scenario, type Scenario } from '../scenario.js';
import type { Options, Platform, Stage } from '../stage.js';
import { to, WHOLE } from './rollback.js';

interface Row {
  readonly what: string;
  readonly before: (stage: Stage) => Promise<Platform>;
  readonly playbook: string;
  readonly options?: Options;
  /** The stop is asked for as soon as this is about to be done on the first host. */
  readonly act: RegExp;
  readonly unit: string;
  /** Nothing comes after it. */
  readonly last?: true;
  /** It starts when all are back. */
  readonly waits?: true;
}

const back = (role: string, unit: string): Row => ({
  ...{ what: `${role} that goes back`, before: upgraded, playbook: WHOLE, options: to(), unit },
  act: new RegExp(`^${role}-\\d: systemctl stop ${unit}$`),
});

const forward = (role: string, unit: string, previous: Parameters<typeof after>[0]): Row => ({
  ...{ what: `${role} that is upgraded`, playbook: `${role}.yaml`, unit },
  before: (stage) => after(previous, stage),
  act: new RegExp(`^${role}-\\d: systemctl stop ${unit}$`),
});

const ROWS: readonly Row[] = [
  forward('indexer', 'platform-indexer', 'prepare'),
  // Until then the end of the run starts the manager again.
  { ...forward('server', 'platform-manager', 'indexer'), act: /^server-\d: .* install .*platform-manager/ },
  { ...forward('dashboard', 'platform-dashboard', 'server'), last: true, act: /^dashboard-1: .* install / },
  {
    ...{ what: 'dashboard that is restarted', before: upgraded, playbook: 'restart-dashboard.yaml', last: true },
    ...{ act: /^dashboard-1: systemctl stop /, unit: 'platform-dashboard', options: { answer: 'yes' } },
  },
  { ...back('dashboard', 'platform-dashboard'), act: /^dashboard-1: .* install /, waits: true },
  back('server', 'platform-manager'),
  back('indexer', 'platform-indexer'),
  {
    ...back('indexer', 'platform-indexer'),
    ...{
      what: 'indexer that was down and goes back',
      before: (stage) => stoppedAfter(stage, 1),
      act: /^indexer-\d: copy \/etc\/platform-indexer /,
    },
  },
];

/** A run that is to stop completes the host at hand, so that no service waits for the operator, and begins no other. */
export const safePoints: readonly Scenario[] = ROWS.map(
  ({ what, before, playbook, options = {}, act, unit, last = false, waits = false }) =>
    scenario(`a run that is to stop completes the ${what}, and begins no other`, async (stage) => {
      const p = await before(stage);
      const hosts: string[] = [];
      const ran = await p.run(playbook, {
        ...options,
        stopAtSafePoint: () => hosts.length > 0,
        before: (one) => {
          if (act.test(one)) hosts.push(one.split(':')[0] ?? '');
        },
      });
      equal(ran.end, last ? 'done' : 'interrupted');
      equal(hosts.length, 1);
      const [host = ''] = hosts;
      const { active, startedAtMs } = unitOf(p.state, host, unit);
      equal(active, waits ? 'inactive' : 'active');
      if (!waits)
        ok((startedAtMs ?? 0) > (hostOf(p.state, host).packages[unit]?.changedAtMs ?? 0), `${unit} runs its package`);
      if (!last) done(await p.run(playbook, { ...options, verb: 'resume', past: ran.recorded }));
    }),
);
