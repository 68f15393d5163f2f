import { expect, test } from '@jest/globals';
import { createIndex } from '../../../engine/platforms/security-monitoring/simulator/documents.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { advance } from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import type { Action } from '../../../engine/terms/action.js';
import type { Actor } from '../../../engine/terms/machine.js';
import { alerts } from '../alerts.js';
import { crashingAt, type Ran } from '../../run/bench-hosts.js';
import { platform, runOn, shippedProject, type Around } from '../platform-bench.js';
import { endOf, hostOf } from '../platform-looks.js';

const rollback_packages = { indexer: '4.12.0-1', manager: '4.12.0-1', dashboard: '4.12.0-1', shipper: '7.10.2-1' };
/** Packages with the units that their services are. */
const CENTRAL = ['platform-indexer', 'platform-manager', 'filebeat', 'platform-dashboard'];

/** A platform after a whole upgrade, whose agents are as old as before. */
async function upgraded(startMs?: number): Promise<PlatformState> {
  const { run, state } = await platform(startMs === undefined ? {} : { startMs });
  // The next day's: one that the newer engine creates would end the rollback.
  createIndex(state, 'platform-alerts-4.x-2026.11.22', { shards: 1, replicas: 1 });
  expect((await run('apply')).end).toBe('done');
  for (const host of Object.values(state.hosts))
    if (host.roles.includes('agent')) for (const agent of Object.values(host.packages)) agent.version = '4.12.0-1';
  const agents = state.management.agents.map((a) => (a.id === '000' ? a : { ...a, version: '4.12.0' }));
  state.management = { ...state.management, agents };
  return state;
}

async function rollback(state: PlatformState, around: Around, verb: 'apply' | 'resume' = 'apply'): Promise<Ran> {
  const project = await shippedProject('rollback.yaml');
  const extraVars = { ...project.extraVars, rollback_to: '4.12.0', rollback_packages, override_version: true };
  return runOn({ ...project, extraVars }, state, verb, { name: 'back', ...around });
}

type Seen = (host: string, action: Action) => void;
const watching =
  (seen: Seen) =>
  (real: Actor): Actor => ({
    ...real,
    perform(on, action, context) {
      if ('host' in on) seen(on.host, action);
      return real.perform(on, action, context);
    },
  });
const wordsOf = (action: Action): string =>
  action.do === 'run' || action.do === 'job' ? action.command.argv.join(' ') : action.do;

test('a service is stopped before its package is replaced and its configuration restored, and started after both (§9.9.2)', async () => {
  const state = await upgraded();
  const order: Record<string, string[]> = {};
  const note = (host: string, unit: string, what: string): void => {
    (order[`${unit} on ${host}`] ??= []).push(what);
  };
  const ran = await rollback(state, {
    actor: watching((host, action) => {
      const words = wordsOf(action);
      for (const unit of CENTRAL) {
        if (words === `systemctl stop ${unit}`) note(host, unit, 'stop');
        if (action.do === 'copy' && action.from.includes('/before-4.14/4.12.0/etc/') && action.to.includes(unit))
          note(host, unit, 'restore');
        if (words === `systemctl start ${unit}` || words === `systemctl restart ${unit}`) note(host, unit, 'start');
        if (!/ install /.test(words) || !words.includes(unit)) continue;
        note(host, unit, 'install');
        expect([unit, host, hostOf(state, host).services[unit]?.active]).toEqual([unit, host, 'inactive']);
      }
    }),
  });
  expect(ran.end).toBe('done');
  const units = Object.values(state.hosts).flatMap((h) =>
    Object.keys(h.services).flatMap((unit) => (CENTRAL.includes(unit) ? [`${unit} on ${h.name}`] : [])),
  );
  expect(Object.keys(order).sort()).toEqual(units.sort());
  for (const each of Object.values(order))
    expect([...new Set(each.slice(each.lastIndexOf('stop', each.indexOf('install'))))].join(' ')).toMatch(
      /^stop install( restore)? start$/,
    );
});

const MIDNIGHT = Date.parse('2026-11-22T00:00:00Z');

test('alerts are rotated while the rollback has a shipper stopped: each is shipped, and none twice', async () => {
  const state = await upgraded(MIDNIGHT - 12 * 3_600_000);
  const ran = await rollback(state, {
    on: ({ event }, now) => {
      if (event.e === 'settled' && event.name === 'Start the manager' && now.nowMs < MIDNIGHT)
        advance(now, MIDNIGHT + 60_000);
    },
  });
  const { written, found } = alerts(state);
  expect(written.some((alert) => alert.includes('2026-11-21T23:59'))).toBe(true);
  expect([...endOf(ran), state.nowMs > MIDNIGHT]).toEqual(['done', true]);
  expect(found).toEqual(written);
});

test.each([
  ['before', 'systemctl stop filebeat'],
  ['after', 'systemctl stop filebeat'],
  ['after', 'systemctl start platform-manager'],
  ['before', 'systemctl start filebeat'],
  ['after', 'systemctl start filebeat'],
] as const)('the controller dies %s "%s" on a server: a resume ends with all of it started', async (when, what) => {
  const state = await upgraded();
  let effects = 0;
  let nth = 0;
  await rollback(structuredClone(state), {
    actor: watching((host, action) => {
      effects += 1;
      if (nth === 0 && host === 'server-2' && wordsOf(action) === what) nth = effects;
    }),
  });
  const cut = await rollback(state, { actor: crashingAt(nth, when) });
  const ran = await rollback(state, { past: cut.recorded }, 'resume');
  expect([cut.end, ran.end]).toEqual(['interrupted', 'done']);
  for (const host of ['server-1', 'server-2'])
    for (const [unit, { active }] of Object.entries(hostOf(state, host).services))
      expect([host, unit, active]).toEqual([host, unit, 'active']);
  expect(JSON.stringify(state.cluster.pipelines)).toContain('module 0.4');
});
