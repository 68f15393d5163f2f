import { serviceKey, withKeptStopped, type Kept } from '../../../engine/report/end/kept-stopped.js';
import { stopService } from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import { deepEqual, hostOf } from '../look.js';
import { scenario, type Scenario } from '../scenario.js';

/** What an unfinished run has stopped: host, unit and component. */
const STOPPED = [
  ['indexer-2', 'platform-indexer', 'indexer'],
  ['server-2', 'platform-manager', 'manager'],
  ['server-2', 'filebeat', 'shipper'],
  ['dashboard-1', 'platform-dashboard', 'dashboard'],
  ['linux-2', 'platform-agent', 'agent'],
] as const;

const suggesting = (playbook: string, from: string, stopped: readonly (typeof STOPPED)[number][]): Scenario =>
  scenario(
    `${playbook}: of a service that an unfinished run keeps stopped no start by hand is suggested`,
    async (stage) => {
      for (const [host, unit, component] of stopped) {
        const p = await stage.platform({ from });
        stopService(p.state, hostOf(p.state, host), unit);
        const { recorded } = await p.plan(`${playbook}.yaml`, { options: { diagnosing: true } });
        const services = new Map<string, Kept>([[serviceKey(host, component), 'stopped']]);
        const found = withKeptStopped(recorded, { run: 'night', services, where: '' }).flatMap(({ event: e }) =>
          e.e === 'found' && e.text.startsWith(`${unit} does not run`) ? [e.remedy] : [],
        );
        deepEqual(found, ['kept stopped by the unfinished run night, which starts it: runbook resume']);
      }
    },
  );

export const keptStopped: readonly Scenario[] = [
  suggesting('diagnose', '4.14.7', STOPPED),
  // A stopped agent is a warning only.
  suggesting(
    'doctor',
    '4.12.0',
    STOPPED.filter(([, , component]) => component !== 'agent'),
  ),
];
