import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Project } from '../../../engine/language/project.js';
import { createIndex } from '../../../engine/platforms/security-monitoring/simulator/documents.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { JsonObject } from '../../../engine/terms/json.js';
import type { Ran } from '../../run/bench-hosts.js';
import { platform, runOn, shippedProject, type Around } from '../platform-bench.js';
import { actedAtAll, endOf, warningsOf } from '../platform-looks.js';
import { shaped } from '../platform-shapes.js';

const FORM = { newFormFrom: '4.14.7' };
const TENANT = '.kibana_92668751_admin';
const packages = { indexer: '4.14.6-1', manager: '4.14.6-1', dashboard: '4.14.6-1', shipper: '7.10.2-1' };
let whole: Project;
let alone: Project;
beforeAll(async () => {
  [whole, alone] = [await shippedProject('rollback.yaml'), await shippedProject('rollback-dashboard.yaml')];
});

const TWO = {
  'indexer-1': 'indexer',
  'indexer-2': 'indexer',
  'indexer-3': 'indexer',
  'server-1': 'server master',
  'dashboard-1': 'dashboard',
  'dashboard-2': 'dashboard',
};

/** An upgrade between two releases of one engine, whose dashboards migrated what they save; and something saved after it. */
async function upgraded(): Promise<PlatformState> {
  const { run, state } = await platform({ from: '4.14.6', ...FORM }, shaped(TWO));
  createIndex(state, `${TENANT}_1`, { shards: 1, replicas: 1 });
  state.cluster.aliases[TENANT] = `${TENANT}_1`;
  expect(endOf(await run('apply'))).toEqual(['done']);
  expect(state.cluster.aliases).toEqual({ '.kibana': '.kibana_2', [TENANT]: `${TENANT}_2` });
  state.savedObjects.push({ type: 'dashboard', id: 'later', attributes: '{}' });
  return state;
}
const back = (
  state: PlatformState,
  project: Project,
  around: Around = {},
  extraVars: JsonObject = { rollback_to: '4.14.6', rollback_packages: packages },
): Promise<Ran> =>
  runOn({ ...shaped(TWO)(project), extraVars }, state, 'apply', { name: 'back', answer: 'yes', ...around });
const running = (state: PlatformState): readonly (string | undefined)[] =>
  ['dashboard-1', 'dashboard-2'].map((host) => {
    const service = state.hosts[host]?.services['platform-dashboard'];
    return service?.active === 'active' ? service.runs : service?.active;
  });

describe('aliases that the newer dashboards moved', () => {
  test('are pointed back in one call while no dashboard runs, and the older ones start on what was there before', async () => {
    const state = await upgraded();
    const during: unknown[] = [];
    const ran = await back(state, whole, {
      on: ({ event }) => {
        if (event.e === 'intent' && event.name === 'Restore the aliases') during.push(running(state));
      },
    });
    expect(endOf(ran)).toEqual(['done']);
    expect(state.cluster.aliases).toEqual({ '.kibana': '.kibana_1', [TENANT]: `${TENANT}_1` });
    expect([during, running(state)]).toEqual([[['inactive', 'inactive']], ['4.14.6-1', '4.14.6-1']]);
    expect(state.savedObjects.map((o) => o.id)).toEqual(['alerts', 'ours']);
    expect(warningsOf(ran)).toContainEqual(
      expect.stringMatching(/what was saved since then stays in \.kibana_2, unseen/),
    );
    const second = await back(state, whole, { name: 'again' });
    expect([...endOf(second), ...actedAtAll(second)]).toEqual(['done']);
  });

  test('are pointed back for the dashboard alone, too', async () => {
    const state = await upgraded();
    expect(endOf(await back(state, alone))).toEqual(['done']);
    expect([state.cluster.aliases['.kibana'], running(state)]).toEqual(['.kibana_1', ['4.14.6-1', '4.14.6-1']]);
  });

  test('close the rollback of indexers of an older engine: the index that was made for them is named, and dashboards alone go back', async () => {
    const { run, state } = await platform({ from: '4.13.1', ...FORM }, shaped(TWO));
    expect(endOf(await run('apply'))).toEqual(['done']);
    const older = {
      rollback_to: '4.13.1',
      rollback_packages: { ...packages, indexer: '4.13.1-1', manager: '4.13.1-1', dashboard: '4.13.1-1' },
    };
    const refused = await back(state, whole, {}, older);
    expect([refused.end, endOf(refused)[1]]).toEqual(['refused', expect.stringMatching(/\.kibana_2 \(2\.19\.4\)/)]);
    expect(endOf(await back(state, alone, {}, older))).toEqual(['done']);
    expect([state.cluster.aliases['.kibana'], running(state)]).toEqual(['.kibana_1', ['4.13.1-1', '4.13.1-1']]);
  });

  test('cannot be pointed to what is gone: an operator is asked before the first change, with its name', async () => {
    const state = await upgraded();
    Reflect.deleteProperty(state.cluster.indices, '.kibana_1');
    const ran = await back(state, whole, { answer: 'no' });
    expect(ran.end).toBe('refused');
    expect(endOf(ran)[1]).toMatch(
      /\.kibana → \.kibana_1 \(now \.kibana_2\).*saved-objects on dashboard-1.*answered "no"/s,
    );
    expect(running(state)).toEqual(['4.14.7-1', '4.14.7-1']);
  });
});

test('a dashboard that migrated nothing moves no alias, and none is pointed back', async () => {
  const { run, state } = await platform({ from: '4.14.6' }, shaped(TWO));
  expect(endOf(await run('apply'))).toEqual(['done']);
  const ran = await back(state, whole);
  expect([...endOf(ran), state.cluster.aliases]).toEqual(['done', { '.kibana': '.kibana_1' }]);
  expect(actedAtAll(ran)).not.toContain('Restore the aliases');
});

test('an upgrade that goes on with one dashboard upgraded keeps what was recorded before', async () => {
  const { run, state } = await platform({ from: '4.14.6', ...FORM }, shaped(TWO));
  let stop = false;
  const first = await run('apply', {
    stopping: () => stop,
    on: ({ event }) => {
      if (event.e === 'settled' && event.name === 'Wait until the dashboard is ready') stop = true;
    },
  });
  await run('close', { past: first.recorded });
  expect(endOf(await run('apply', { name: 'next' }))).toEqual(['done']);
  const kept =
    state.hosts['dashboard-1']?.files['/var/backups/runbook/before-4.14/4.14.6/dashboard-aliases.json']?.text;
  expect(JSON.parse(kept ?? '')).toEqual([{ alias: '.kibana', index: '.kibana_1' }]);
});
