import { putFile } from '../../../engine/simulator/files.js';
import { stopService } from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { hostOf, match, unitOf } from '../look.js';
import { edit, withAgents } from '../ours.js';
import { scenario, type Scenario } from '../scenario.js';

const older = (host: string, name: string, version: string) => (state: PlatformState) => {
  const found = hostOf(state, host).packages[name];
  if (found === undefined) throw new Error(`${host} has no ${name}`);
  found.version = version;
};
const interrupted = (host: string, component: string) => (state: PlatformState) =>
  putFile(
    hostOf(state, host),
    `/var/lib/runbook/pending/upgrade-of-${component}`,
    { text: '4.12.0-1 4.12.0-1 4.14.7-1\n' },
    1,
  );

/** All but one thing of the upgrade is done: by hand, or by a run that was interrupted. */
const LEFT: readonly (readonly [string, (state: PlatformState) => void])[] = [
  ['an indexer of an older version', older('indexer-3', 'platform-indexer', '4.12.0-1')],
  ['a manager of an older version', older('server-2', 'platform-manager', '4.12.0-1')],
  ['a shipper of an older version', older('server-2', 'filebeat', '7.10.2-1')],
  ['a dashboard of an older version', older('dashboard-1', 'platform-dashboard', '4.12.0-1')],
  [
    'an indexer that was not restarted with its new package',
    (state) => {
      unitOf(state, 'indexer-1', 'platform-indexer').runs = '4.12.0-1';
      unitOf(state, 'indexer-1', 'platform-indexer').startedAtMs = 1;
    },
  ],
  ['an indexer whose upgrade was interrupted', interrupted('indexer-1', 'indexer')],
  ['a manager whose upgrade was interrupted', interrupted('server-2', 'manager')],
  ['a dashboard whose upgrade was interrupted', interrupted('dashboard-1', 'dashboard')],
];

export const oneLeft: readonly Scenario[] = LEFT.map(([name, leave]) =>
  scenario(`everything is checked before the first change as long as there is ${name}`, async (stage) => {
    const p = (await withAgents(stage)).clone();
    leave(p.state);
    const { nowMs, cluster } = p.state;
    const snapshot = { name: 'n', indices: [], shards: 1, failedShards: 0, startMs: nowMs, endMs: nowMs + 3_600_000 };
    cluster.repositories['nightly'] = { type: 'fs', location: '/x', snapshots: [snapshot] };
    edit(p.state, 'server-1', '/proc/mounts', () => 'tmpfs /tmp tmpfs rw,nosuid,noexec,relatime 0 0\n');
    const planned = await p.plan('prepare.yaml');
    match(planned.warned, /a snapshot is being made/);
    match(planned.warned, /noexec/);
    stopService(p.state, hostOf(p.state, 'indexer-2'), 'platform-indexer');
    match((await p.plan('prepare.yaml')).why, /an indexer does not run/);
  }),
);
