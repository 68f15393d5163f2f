import { describe, expect, test } from '@jest/globals';
import type { PlatformState, SavedObject } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Event } from '../../../engine/terms/event.js';
import type { Ran } from '../../run/bench-hosts.js';
import { platform as anyPlatform, runOn, shippedProject } from '../platform-bench.js';
import { actedAtAll, actedOn, edit, endOf, warningsOf } from '../platform-looks.js';

/** One whose dashboard keeps tenants apart, which is the security plug-in's default and not the platform's. */
const platform: typeof anyPlatform = async (...args) => {
  const made = await anyPlatform(...args);
  edit(made.state, ['dashboard-1'], '/etc/platform-dashboard/dashboard.yml', (text) =>
    text.replace('multitenancy.enabled: false', 'multitenancy.enabled: true'),
  );
  return made;
};

const PLACE = '/var/backups/runbook/before-4.14/saved-objects';
const refusals = (events: readonly Event[]): readonly string[] =>
  events.flatMap((e) =>
    e.e === 'settled' && (e.as === 'blocked' || e.as === 'failed') ? [`${e.name}: ${e.reason ?? ''}`] : [],
  );
const whose = (state: PlatformState): readonly string[] =>
  state.savedObjects.map((o) => `${o.tenant ?? 'global'} ${o.id}`).sort();
const filesOf = (state: PlatformState): readonly string[] =>
  Object.keys(state.hosts['dashboard-1']?.files ?? {}).filter((path) => path.startsWith(`${PLACE}/`));
const dashboard = (id: string, tenant?: string): SavedObject => ({
  type: 'dashboard',
  id,
  attributes: JSON.stringify({ title: id }),
  ...(tenant === undefined ? {} : { tenant }),
});
/** What a step did before the run was cut off. */
const cutAt = (step: string): { stopping: () => boolean; on: (r: { event: Event }) => void } => {
  let stop = false;
  return {
    stopping: () => stop,
    on: ({ event }) => {
      if (event.e === 'settled' && event.name === step) stop = true;
    },
  };
};

test('of every tenant they are exported before the dashboard is stopped and imported after it: what was lost is back where it was, nothing is overwritten', async () => {
  const { run, state } = await platform();
  state.cluster.tenants?.push('night/shift', 'empty');
  state.savedObjects.push(dashboard('theirs', 'night/shift'), dashboard('root', 'admin_tenant'));
  const before = whose(state);
  const ran = await run('apply', {
    on: ({ event }, now) => {
      if (event.e !== 'intent' || event.name !== 'Stop the dashboard') return;
      expect(filesOf(now)).toEqual(
        ['admin_tenant', 'empty', 'global_tenant', 'night%2Fshift'].map((name) => `${PLACE}/${name}.ndjson`),
      );
      expect(now.hosts['dashboard-1']?.files[`${PLACE}/night%2Fshift.ndjson`]).toMatchObject({ mode: '0600' });
      // As after a migration that lost all but one, which was altered by hand.
      now.savedObjects.splice(0, now.savedObjects.length, {
        type: 'dashboard',
        id: 'ours',
        attributes: '{"title":"Newer"}',
      });
    },
  });
  expect([endOf(ran), whose(state), warningsOf(ran).filter((w) => /tenant/.test(w))]).toEqual([['done'], before, []]);
  expect(state.savedObjects.find((o) => o.id === 'ours')?.attributes).toBe('{"title":"Newer"}');
  const second = await run('apply', { name: 'second' });
  expect([...endOf(second), ...actedAtAll(second)]).toEqual(['done']);
});

test('where the tenants may not be listed, one is exported and the plan says what to set', async () => {
  const { run, state } = await platform();
  state.cluster.tenants = null;
  const told = expect.stringMatching(
    /tenants of saved objects are not known \(indexer answers 403.*saved_objects_tenants$/,
  );
  expect(warningsOf(await run('plan'))).toContainEqual(told);
  const ran = await run('apply');
  expect([endOf(ran), filesOf(state)]).toEqual([['done'], [`${PLACE}/@signed-in.ndjson`]]);
  expect(warningsOf(ran)).toContainEqual(told);
});

test('where tenants are not kept apart there is one export', async () => {
  const { run, state } = await anyPlatform();
  expect(endOf(await run('apply'))).toEqual(['done']);
  expect(filesOf(state)).toEqual([`${PLACE}/@signed-in.ndjson`]);
});

test('tenants that are named are the ones that are exported', async () => {
  const { run, state } = await platform({}, (p) => ({ ...p, extraVars: { saved_objects_tenants: ['admin_tenant'] } }));
  expect(endOf(await run('apply'))).toEqual(['done']);
  expect(filesOf(state)).toEqual([`${PLACE}/admin_tenant.ndjson`]);
});

/** The dashboard runs its new version; the import follows. */
const isUpgraded = (event: Event): boolean =>
  event.e === 'settled' && event.task.step.endsWith('Upgrade each dashboard/Wait until the dashboard is ready');

test('what prepare.yaml exported long before is exported anew: who deleted something since then does not get it back', async () => {
  const { run, state } = await platform({}, (p) => ({ ...p, extraVars: { saved_objects_max_age: 0 } }));
  await runOn(await shippedProject('prepare.yaml'), state, 'apply', { name: 'prepare' });
  state.savedObjects.splice(0, state.savedObjects.length, dashboard('later'));
  const ran = await run('apply', {
    on: ({ event }, now) => {
      if (isUpgraded(event)) now.savedObjects.splice(0);
    },
  });
  expect([endOf(ran), whose(state)]).toEqual([['done'], ['global later']]);
  expect(filesOf(state).filter((path) => path.includes('.until-'))).toEqual([
    expect.stringMatching(/global_tenant\.ndjson\.until-\d{8}T\d{6}Z$/), // the other tenant's are as they were
  ]);
});

describe('a run that was released', () => {
  const release = async (step: string): Promise<{ next: Ran; state: PlatformState }> => {
    const { run, state } = await platform();
    const first = await run('apply', cutAt(step));
    expect(first.end).toBe('interrupted');
    await run('close', { past: first.recorded });
    state.savedObjects.splice(0);
    return { next: await run('apply', { name: 'next' }), state };
  };

  test('before the import leaves it to the next one', async () => {
    const { next, state } = await release('Wait until the dashboard is ready');
    expect([endOf(next), actedOn(next, 'Import missing saved objects')]).toEqual([['done'], ['dashboard-1']]);
    expect(whose(state)).toEqual(['global alerts', 'global ours']);
  });

  test('after the import leaves nothing: what was deleted since then stays deleted', async () => {
    const { next, state } = await release('Record that they were imported');
    expect([endOf(next), actedOn(next, 'Import missing saved objects'), whose(state)]).toEqual([['done'], [], []]);
  });
});

describe('an export', () => {
  const large = (mib: number): SavedObject => ({
    type: 'dashboard',
    id: 'large',
    attributes: JSON.stringify({ title: 'x'.repeat(mib * 1024 * 1024) }),
  });

  test('above 8 MiB is imported again', async () => {
    const { run, state } = await platform();
    state.savedObjects.push(large(12));
    const ran = await run('apply', {
      on: ({ event }, now) => {
        if (event.e === 'intent' && event.name === 'Stop the dashboard') now.savedObjects.splice(0);
      },
    });
    expect([endOf(ran), whose(state)]).toEqual([['done'], ['global alerts', 'global large', 'global ours']]);
  });

  test('that no dashboard would import is refused with everything running', async () => {
    const { run, state } = await platform();
    state.savedObjects.push(large(26));
    const ran = await run('apply');
    expect([ran.end, refusals(ran.events)]).toEqual([
      'failed',
      [expect.stringMatching(/^Export the saved objects of each tenant: .*global_tenant are 27 MiB.*at most 25 MiB/)],
    ]);
    expect(actedAtAll(ran)).not.toContain('Stop the dashboard');
  });
});

test('are left to an operator where that is said', async () => {
  const { run, state } = await platform({}, (p) => ({ ...p, extraVars: { saved_objects: 'manual' } }));
  const ran = await run('apply', { answer: 'no' });
  expect([ran.end, refusals(ran.events)]).toEqual(['failed', [expect.stringMatching(/^Export manually: /)]]);
  expect(filesOf(state)).toEqual([]);
});

describe('types', () => {
  const of = (type: string, id: string): SavedObject => ({ type, id, attributes: JSON.stringify({ title: id }) });

  test('all that the dashboard reports are exported and imported again, also those of plug-ins', async () => {
    const { run, state } = await platform();
    state.savedObjects.push(of('url', 'short-link'), of('map', 'sites'));
    const before = whose(state);
    const ran = await run('apply', {
      on: ({ event }, now) => {
        if (event.e === 'intent' && event.name === 'Stop the dashboard') now.savedObjects.splice(0);
      },
    });
    expect([endOf(ran), whose(state), warningsOf(ran).filter((w) => /types/.test(w))]).toEqual([['done'], before, []]);
  });

  test('where the dashboard reports none, the plan and the run name those that are exported', async () => {
    const { run, state } = await platform();
    state.savedTypes = null;
    const told = expect.stringMatching(
      /does not report which types.*404.*only config, dashboard,.*saved_objects_types/,
    );
    expect(warningsOf(await run('plan'))).toContainEqual(told);
    const ran = await run('apply');
    expect([endOf(ran), warningsOf(ran)]).toEqual([['done'], expect.arrayContaining([told])]);
  });

  test('that are named are the only ones that are exported', async () => {
    const { run, state } = await platform({}, (p) => ({ ...p, extraVars: { saved_objects_types: ['index-pattern'] } }));
    expect(endOf(await run('apply'))).toEqual(['done']);
    expect(state.hosts['dashboard-1']?.files[`${PLACE}/global_tenant.ndjson`]?.text).not.toContain('Night shift');
  });

  test('that the new dashboard does not have are left out of the import, and reported', async () => {
    const { run, state } = await platform();
    state.savedObjects.push(of('map', 'sites'));
    const ran = await run('apply', {
      on: ({ event }, now) => {
        if (!isUpgraded(event)) return;
        now.savedTypes = (now.savedTypes ?? []).filter((type) => type !== 'map');
        now.savedObjects.splice(0);
      },
    });
    expect([endOf(ran), whose(state)]).toEqual([['done'], ['global alerts', 'global ours']]);
    expect(warningsOf(ran)).toContainEqual(expect.stringMatching(/^saved objects of the type map are not imported/));
  });
});
