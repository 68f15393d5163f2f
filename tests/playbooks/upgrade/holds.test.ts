import { describe, expect, test } from '@jest/globals';
import { putFile } from '../../../engine/simulator/files.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Event } from '../../../engine/terms/event.js';
import { Crash } from '../../run/bench-hosts.js';
import { platform, runOn, shippedProject } from '../platform-bench.js';

const NOTE = '/var/lib/runbook-holds';

/** `host package` of all that is held. */
const held = (state: PlatformState): readonly string[] =>
  Object.values(state.hosts).flatMap((h) =>
    Object.entries(h.packages).flatMap(([name, p]) => (p.held ? [`${h.name} ${name}`] : [])),
  );
const all = (state: PlatformState): readonly string[] =>
  Object.values(state.hosts).flatMap((h) => Object.keys(h.packages).map((name) => `${h.name} ${name}`));
const notes = (state: PlatformState): readonly string[] =>
  Object.values(state.hosts).flatMap((h) => (h.files[NOTE] === undefined ? [] : [h.name]));
const hold = (state: PlatformState, host: string, name: string): void => {
  const entry = state.hosts[host]?.packages[name];
  if (entry === undefined) throw new Error(`${host} has no ${name}`);
  entry.held = true;
  const of = state.hosts[host];
  if (of?.family === 'rpm')
    putFile(of, '/etc/dnf/plugins/versionlock.list', { text: `${name}-0:${entry.version}.*\n` }, 0);
};
const warnings = (events: readonly Event[]): string =>
  events.flatMap((e) => (e.e === 'warned' ? [e.text] : [])).join('\n');

describe('package versions are locked until they are upgraded (§9.3.3)', () => {
  test('from their fetching on, while they are upgraded too; at the end those alone are held that were before', async () => {
    const { run, state } = await platform({ rpmHosts: ['indexer-2', 'linux-2'] });
    hold(state, 'server-1', 'filebeat');
    const plan = await run('plan');
    expect(warnings(plan.events)).toContain('held before this run: filebeat');
    const seen = new Map<string, readonly string[]>();
    const { end } = await run('apply', {
      on: ({ event }, now) => {
        if (event.e === 'intent' && /^(Stop the shipper|Start the|Ship rotated)/.test(event.name))
          seen.set(
            event.name,
            all(now).filter((one) => !held(now).includes(one)),
          );
      },
    });
    expect(end).toBe('done');
    expect(Object.fromEntries(seen)).toEqual({
      'Stop the shipper': [],
      'Start the indexer': [],
      'Start the manager': [],
      'Ship rotated alerts': [],
      'Start the dashboard': [],
    });
    expect([held(state), notes(state)]).toEqual([['server-1 filebeat'], []]);
  });

  test('a failure before the first stop gives them back', async () => {
    const { run, state } = await platform();
    state.faults.push({ fault: 'download', path: '/tags/v4.14.7/platform-template.json', status: 404, body: '' });
    expect((await run('apply')).end).toBe('failed');
    expect([held(state), notes(state)]).toEqual([[], []]);
  });

  test('a failure after it keeps them, on agents too; one that is removed from an agent stops nothing; close unlocks them', async () => {
    const { run, state } = await platform();
    const agent = state.hosts['linux-1']?.packages['platform-agent'];
    const failed = await run('apply', {
      on: ({ event }, now) => {
        if (event.e === 'play-started' && event.play.endsWith('Stop the shippers') && agent !== undefined)
          agent.held = false;
        if (event.e === 'intent' && event.name === 'Stop the indexer' && now.faults.length === 0)
          now.faults.push({ fault: 'start-fails', host: 'indexer-1', unit: 'platform-indexer' });
      },
    });
    expect(failed.end).toBe('failed');
    expect(all(state).filter((one) => !held(state).includes(one))).toEqual(['linux-1 platform-agent']);
    await run('close', { past: failed.recorded });
    expect([held(state), notes(state)]).toEqual([[], []]);
  });

  test.each(['close', 'resume'] as const)('a controller that dies leaves them; %s gives them back', async (verb) => {
    const { run, state } = await platform();
    hold(state, 'server-1', 'filebeat');
    const cut = await run('apply', {
      actor: (real) => ({
        ...real,
        perform: (on, action, context) => {
          // The first package's turn, when everything is held.
          if (action.do === 'job' && held(state).length === all(state).length) throw new Crash();
          return real.perform(on, action, context);
        },
      }),
    });
    expect([cut.end, held(state).length]).toEqual(['interrupted', all(state).length]);
    await run(verb, { past: cut.recorded });
    expect([held(state), notes(state)]).toEqual([['server-1 filebeat'], []]);
  });

  test.each(
    (['resume', 'close'] as const).flatMap((verb) => [
      { verb, rpmHosts: [], after: 1 },
      { verb, rpmHosts: ['indexer-2'], after: 1 },
      { verb, rpmHosts: ['indexer-2'], after: 2 },
    ]),
  )(
    'a hold that was made by hand is there at any time, also when the controller dies after the package: $verb, RPMs $rpmHosts, effect $after',
    async ({ verb, rpmHosts, after }) => {
      const { run, state } = await platform({ rpmHosts });
      hold(state, 'indexer-2', 'platform-indexer');
      let effects = 0;
      const cut = await run('apply', {
        actor: (real) => ({
          ...real,
          perform: async (on, action, context) => {
            if (effects >= after) throw new Crash();
            const outcome = await real.perform(on, action, context);
            if (/Upgrade the package@.*indexer-2/.test(context.id)) effects += 1;
            return outcome;
          },
        }),
      });
      expect([cut.end, held(state).includes('indexer-2 platform-indexer')]).toEqual(['interrupted', true]);
      await run(verb, { past: cut.recorded });
      expect(held(state)).toEqual(['indexer-2 platform-indexer']);
    },
  );

  test('a package lock of another process is waited for, though apt-mark does not', async () => {
    const { run, state } = await platform();
    const lock = (now: PlatformState): void => {
      const host = now.hosts['indexer-1'];
      if (host?.lockedUntilMs === 0) host.lockedUntilMs = now.nowMs + 60_000;
    };
    const { end, events } = await run('apply', {
      on: ({ event }, now) => {
        if (event.e === 'intent' && event.name.startsWith('Lock the packages')) lock(now);
      },
    });
    const told = events.flatMap((e) =>
      e.e === 'effect' && e.task.step.includes('/Lock the packages') ? [e.reason] : [],
    );
    expect(told).toContainEqual(expect.stringMatching(/another process holds the package lock: 4711/));
    expect([end, notes(state)]).toEqual(['done', []]);
  });

  test('a host of RPMs without version locks is reported, and upgraded all the same', async () => {
    const { run, state } = await platform({ rpmHosts: ['indexer-2'] });
    const host = state.hosts['indexer-2'];
    if (host !== undefined) host.canLock = false;
    const { end, events } = await run('apply');
    expect([end, notes(state)]).toEqual(['done', []]);
    expect(warnings(events)).toMatch(
      /indexer-2: platform-indexer cannot be held, for dnf lacks its plug-in .*install 'dnf-command\(versionlock\)'/,
    );
  });
});

describe('prepare.yaml by itself', () => {
  test('leaves them held, and says so; a second time does nothing; the upgrade takes them and gives them back', async () => {
    const { run, state } = await platform();
    const prepare = await shippedProject('prepare.yaml');
    const first = await runOn(prepare, state, 'apply', {});
    expect([first.end, held(state)]).toEqual(['done', all(state)]);
    expect(warnings(first.events)).toMatch(/stay locked on all hosts after this run.*end-holds\.yaml/);
    const second = await runOn(prepare, state, 'apply', {});
    expect(second.events.flatMap((e) => (e.e === 'intent' && e.name.startsWith('Lock') ? [e.name] : []))).toEqual([]);
    expect((await run('apply')).end).toBe('done');
    expect([held(state), notes(state)]).toEqual([[], []]);
  });

  test('end-holds.yaml gives them back without an upgrade', async () => {
    const { state } = await platform();
    await runOn(await shippedProject('prepare.yaml'), state, 'apply', {});
    const ran = await runOn(await shippedProject('end-holds.yaml'), state, 'apply', {});
    expect([ran.end, held(state), notes(state)]).toEqual(['done', [], []]);
  });
});
