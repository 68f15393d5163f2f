import { expect, test } from '@jest/globals';
import { createPlatformState } from '../../../engine/platforms/security-monitoring/simulator/create.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { compare, type Comparison } from '../../system/support/comparison.js';
import { runOn, shippedProject } from '../platform-bench.js';

const RPM_HOSTS = ['indexer-3', 'server-2', 'linux-2'];
const JVM = '/etc/platform-indexer/jvm.options';

/** `apply prepare.yaml`, a plan of the upgrade, and its apply: what the plan said against what was done (§9.3.3). */
async function prepared(
  between: (state: PlatformState) => void = () => undefined,
): Promise<Comparison & { state: PlatformState; steps: readonly string[] }> {
  const [prepare, upgrade] = [await shippedProject('prepare.yaml'), await shippedProject()];
  const state = createPlatformState({ from: '4.12.0', inventory: upgrade.inventory, rpmHosts: RPM_HOSTS });
  const fetched = await runOn(prepare, state, 'apply', { name: 'prepare' });
  between(state);
  const planned = await runOn(upgrade, state, 'plan', {});
  const applied = await runOn(upgrade, state, 'apply', { name: 'upgrade' });
  expect([fetched.end, planned.end, applied.end]).toEqual(['done', 'done', 'done']);
  const steps = planned.events.flatMap((e) => (e.e === 'checked' ? [e.task.step] : []));
  const compared = compare(planned.recorded, applied.recorded);
  // Nothing of an agent is staged before its turn.
  const onlyAtApply = compared.onlyAtApply.filter((o) => !o.includes('Archive the previous agent package'));
  return { ...compared, onlyAtApply, state, steps };
}

test('a plan with all packages staged is exact: nothing is wrong, and only four changes are known after apply', async () => {
  const { right, wrong, onlyAtApply, state, steps } = await prepared();
  expect(wrong).toEqual([]);
  // The backups of the security configuration are yet to be made, and the manager's package may write its configuration.
  const changes = onlyAtApply.filter((o) => !o.includes('(then left alone)'));
  expect(changes.map((o) => /([^/]+@host:[^:]+)/.exec(o)?.[1])).toEqual([
    'Archive the security backup@host:indexer-1',
    'Archive the security backup@host:indexer-1',
    'Add the ruleset fragment@host:server-2',
    'Add the ruleset fragment@host:server-1',
  ]);
  // Nothing is left to fetch for the central components, so no repository of theirs is enabled.
  expect(steps.filter((s) => s.includes('Download the packages'))).toEqual([]);
  expect(right.filter((r) => r.includes('Upgrade each node/Upgrade the package'))).toHaveLength(3);
  const text = (host: string, path: string): string | undefined => state.hosts[host]?.files[path]?.text;
  expect([text('indexer-1', `${JVM}.dpkg-dist`), text('indexer-3', `${JVM}.rpmnew`)]).not.toContain(undefined);
});

test('unchanged defaults, one that was taken away, and one that holds the new text already are foretold as well', async () => {
  const { wrong, onlyAtApply } = await prepared((state) => {
    const files = (host: string) => state.hosts[host]?.files ?? {};
    const shipped = (host: string): string => state.hosts[host]?.packages['platform-indexer']?.conffiles[JVM] ?? '';
    for (const host of ['indexer-1', 'indexer-3']) {
      const entry = files(host)[JVM];
      if (entry !== undefined) entry.text = shipped(host);
    }
    const config = files('dashboard-1')['/etc/platform-dashboard/dashboard.yml'];
    const brought = state.hosts['dashboard-1']?.packages['platform-dashboard'];
    if (config !== undefined && brought !== undefined)
      config.text = brought.conffiles['/etc/platform-dashboard/dashboard.yml'] ?? '';
  });
  expect(wrong).toEqual([]);
  expect(onlyAtApply.filter((o) => !/ruleset|\(then left alone\)|Archive the security backup/.test(o))).toEqual([]);
});

test('an index that was refreshed and holds the target no more stops no host that has it staged', async () => {
  const { wrong } = await prepared((state) => {
    for (const name of Object.keys(state.repository)) if (name !== 'platform-agent') state.repository[name] = [];
  });
  expect(wrong).toEqual([]);
});
