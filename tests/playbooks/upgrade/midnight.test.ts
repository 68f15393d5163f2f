import { describe, expect, test } from '@jest/globals';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import { advance, startService } from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import type { Event, Recorded } from '../../../engine/terms/event.js';
import type { Actor } from '../../../engine/terms/machine.js';
import { hintText } from '../../../engine/terms/hint.js';
import { alerts } from '../alerts.js';
import { Crash, type Ran } from '../../run/bench-hosts.js';
import { platform, runOn, shippedProject } from '../platform-bench.js';

const MIDNIGHT = Date.parse('2026-11-22T00:00:00Z');
const START = Date.parse('2026-11-21T12:00:00Z');
const SHIP = 'Ship rotated alerts';
const KEPT = '/var/platform/logs/alerts/alerts.json-copy';

const acted = (events: readonly Event[], step: string): readonly string[] =>
  events.flatMap((e) => (e.e === 'intent' && e.name === step && 'host' in e.task.on ? [e.task.on.host] : [])).sort();

/** When the first run's clock must begin, so that it is midnight this long after the shippers were stopped. */
async function startBefore(leftMs: number): Promise<number> {
  const { run } = await platform({ startMs: START });
  let stoppedMs = 0;
  await run('plan');
  await run('apply', {
    on: ({ event, atMs }) => {
      if (event.e === 'settled' && event.name === 'Stop the shipper') stoppedMs = atMs;
    },
  });
  return MIDNIGHT - leftMs - (stoppedMs - START);
}
const acrossMidnight = startBefore(60_000);

/** The controller dies at this step's effect on the master: before it, or with its outcome unrecorded. */
const dyingAt =
  (when: 'before' | 'after') =>
  (real: Actor): Actor => ({
    ...real,
    async perform(on, action, context) {
      const isIt =
        'host' in on &&
        on.host === 'server-1' &&
        (action.do === 'run' || action.do === 'job') &&
        action.command.argv.includes('--once');
      if (isIt && when === 'before') throw new Crash();
      const outcome = await real.perform(on, action, context);
      if (isIt) throw new Crash();
      return outcome;
    },
  });

/** The controller dies at this action: a command's words, or what is done to which path. */
const dyingOn =
  (host: string, what: string, when: 'before' | 'after') =>
  (real: Actor): Actor => ({
    ...real,
    async perform(on, action, context) {
      const words =
        action.do === 'run' ? action.command.argv.join(' ') : action.do === 'remove' ? `remove ${action.path}` : '';
      const isIt = 'host' in on && on.host === host && words === what;
      if (isIt && when === 'before') throw new Crash();
      const outcome = await real.perform(on, action, context);
      if (isIt) throw new Crash();
      return outcome;
    },
  });

/** The rollback to 4.12.0; `whenStopped` happens once its shippers are stopped. */
async function rollback(state: PlatformState, whenStopped: (now: PlatformState) => void): Promise<Ran> {
  const project = await shippedProject('rollback.yaml');
  const rollback_packages = { indexer: '4.12.0-1', manager: '4.12.0-1', dashboard: '4.12.0-1', shipper: '7.10.2-1' };
  const extraVars = { ...project.extraVars, rollback_to: '4.12.0', rollback_packages, override_version: true };
  return runOn({ ...project, extraVars }, state, 'apply', {
    name: 'back',
    on: ({ event }, now) => {
      if (event.e === 'play-ended' && event.play.endsWith('Stop the shippers')) whenStopped(now);
    },
  });
}

describe('a shipper that is stopped across midnight (§9.4.4)', () => {
  test('ships the end of the day before, before it starts: none lost, none twice', async () => {
    const { run, state } = await platform({ startMs: await acrossMidnight });
    const ran = await run('apply');
    expect([ran.end, acted(ran.events, SHIP)]).toEqual(['done', ['server-1', 'server-2']]);
    const { written, found } = alerts(state);
    expect(written.some((a) => a.includes('2026-11-21T23:59'))).toBe(true);
    expect(found).toEqual(written);
    expect([state.hosts['server-1']?.files[KEPT], acted((await run('apply', { name: 'again' })).events, SHIP)]).toEqual(
      [undefined, []],
    );
  });

  test.each(['before', 'after'] as const)('and when the controller dies %s that, after a resume too', async (when) => {
    const { run, state } = await platform({ startMs: await acrossMidnight });
    const cut = await run('apply', { actor: dyingAt(when) });
    const resumed = await run('resume', { past: cut.recorded });
    const { written, found } = alerts(state);
    expect([cut.end, resumed.end]).toEqual(['interrupted', 'done']);
    expect(found).toEqual(written);
  });

  test.each([
    ['its start', 'systemctl start filebeat', 'before'],
    ['its start', 'systemctl start filebeat', 'after'],
    ['what is kept for it is let go of', 'remove /var/platform/logs/alerts/alerts.json-copy/data', 'after'],
    ['what is kept for it is let go of', `remove ${KEPT}/alerts.json`, 'before'],
  ] as const)('one that dies as %s (%s, %s), midnight after that, and a resume', async (_, what, when) => {
    const { run, state } = await platform({ startMs: (await acrossMidnight) - 1_800_000 });
    const cut = await run('apply', { actor: dyingOn('server-1', what, when) });
    expect([cut.end, state.nowMs < MIDNIGHT]).toEqual(['interrupted', true]);
    advance(state, MIDNIGHT + 60_000);
    const resumed = await run('resume', { past: cut.recorded });
    const { written, found } = alerts(state);
    expect([resumed.end, state.hosts['server-1']?.files[`${KEPT}/alerts.json`]]).toEqual(['done', undefined]);
    expect(found).toEqual(written);
  });

  /** Ends the run in hand once this step is settled on this host. */
  const endingAfter = (step: string, host: string, atMs = 0) => {
    let stop = false;
    return {
      stopping: () => stop,
      on: ({ event }: Recorded, now: PlatformState): void => {
        if (event.e !== 'settled' || event.name !== step || !('host' in event.task.on) || event.task.on.host !== host)
          return;
        advance(now, Math.max(now.nowMs, atMs));
        stop = true;
      },
    };
  };

  test.each([
    ['with indexers still to be upgraded', 'Wait until nodes are in one cluster', 'indexer-2'],
    ['after the last server’s shipper was upgraded', 'Upgrade the shipper', 'server-1'],
  ])('%s and released: the release ships it, and the next run nothing of it', async (_, step, host) => {
    const { run, state } = await platform({ startMs: await acrossMidnight });
    const first = await run('apply', endingAfter(step, host, MIDNIGHT + 60_000));
    const released = await run('close', { past: first.recorded });
    const after = alerts(state);
    expect([first.end, released.end, state.hosts['server-1']?.files[KEPT]]).toEqual([
      'interrupted',
      'closed',
      undefined,
    ]);
    expect(after.written.some((a) => a.includes('2026-11-21T23:59'))).toBe(true);
    expect(after.found).toEqual(after.written);
    const second = await run('apply', { name: 'second' });
    const { written, found } = alerts(state);
    expect([second.end, found]).toEqual(['done', written]);
  });

  test('a close that cannot ship starts the shippers, says so, and ships it when it is tried again', async () => {
    const { run, state } = await platform({ startMs: await acrossMidnight });
    const first = await run(
      'apply',
      endingAfter('Wait until nodes are in one cluster', 'indexer-2', MIDNIGHT + 60_000),
    );
    state.faults.push({ fault: 'program', host: 'server-2', program: 'filebeat', exit: 1, stdout: 'dial up... ERROR' });
    const released = await run('close', { past: first.recorded });
    const wrong = released.events.flatMap((e) =>
      e.e === 'settled' && e.as === 'failed' ? [`${e.name}: ${e.reason ?? ''} ${hintText(e.hint ?? '')}`] : [],
    );
    expect([released.end, wrong, state.hosts['server-2']?.services['filebeat']?.active]).toEqual([
      'failed',
      [
        expect.stringMatching(
          /^Restore what "Stop the shipper" changed: .*dial up\.\.\. ERROR .*-copy; .*runbook close ships it/,
        ),
      ],
      'active',
    ]);
    state.faults.length = 0;
    const again = await run('close', { past: released.recorded });
    const { written, found } = alerts(state);
    expect([again.end, found]).toEqual(['closed', written]);
  });

  test('a shipper is started by hand after midnight: what it does not know any more is shipped once all the same', async () => {
    const { run, state } = await platform({ startMs: await acrossMidnight });
    const first = await run('apply', {
      on: ({ event }, now) => {
        if (event.e !== 'settled' || event.name !== 'Upgrade the package' || now.nowMs > MIDNIGHT + 30_000) return;
        advance(now, MIDNIGHT + 60_000);
        const host = now.hosts['server-2'];
        if (host !== undefined) startService(now, host, 'filebeat');
        advance(now, MIDNIGHT + 90_000);
      },
    });
    const resumed = await run('resume', { past: first.recorded });
    const { written, found } = alerts(state);
    expect([first.end, resumed.end]).toEqual(['failed', 'done']);
    expect(found).toEqual(written);
  });

  describe('and across a second one', () => {
    const NEXT_BUT_ONE = MIDNIGHT + 86_400_000 + 60_000;
    const BETWEEN = '/var/platform/logs/alerts/2026/Nov/platform-alerts-22.json.gz';

    test('ships the whole day between, too', async () => {
      const { run, state } = await platform({ startMs: await acrossMidnight });
      const first = await run('apply', endingAfter('Wait until nodes are in one cluster', 'indexer-1', NEXT_BUT_ONE));
      const resumed = await run('resume', { past: first.recorded });
      const { written, found } = alerts(state);
      expect(state.hosts['server-2']?.files[BETWEEN]).toBeDefined();
      expect([first.end, resumed.end]).toEqual(['interrupted', 'done']);
      expect(found).toEqual(written);
    });

    test('a day without a file is reported', async () => {
      const { run, state } = await platform({ startMs: await acrossMidnight });
      const first = await run('apply', endingAfter('Wait until nodes are in one cluster', 'indexer-1', NEXT_BUT_ONE));
      const files = state.hosts['server-2']?.files ?? {};
      Reflect.deleteProperty(files, BETWEEN);
      const resumed = await run('resume', { past: first.recorded });
      const told = resumed.events.flatMap((e) => (e.e === 'warned' && e.text.includes('was shipped') ? [e.text] : []));
      expect([resumed.end, told]).toEqual([
        'done',
        [expect.stringMatching(/^nothing of 2026-11-22 was shipped: there is neither .*-22\.json nor .*-22\.json\.gz/)],
      ]);
    });
  });

  test('in a rollback it is shipped when the shippers are restored at its end', async () => {
    const { run, state } = await platform({ startMs: START });
    const first = await run('apply', endingAfter('Wait until nodes are in one cluster', 'indexer-2'));
    const back = await rollback(state, (now) => {
      advance(now, MIDNIGHT + 60_000);
    });
    await run('close', { past: first.recorded });
    const { written, found } = alerts(state);
    expect(written.some((a) => a.includes('2026-11-21T23:59'))).toBe(true);
    expect([back.end, found]).toEqual(['done', written]);
  });

  test('in a rollback after a close that could not ship it, because no indexer answers: nothing is waited for, and it is shipped at its end', async () => {
    const { run, state } = await platform({ startMs: await acrossMidnight });
    const first = await run(
      'apply',
      endingAfter('Wait until nodes are in one cluster', 'indexer-2', MIDNIGHT + 60_000),
    );
    for (const host of ['server-1', 'server-2'])
      state.faults.push({ fault: 'program', host, program: 'filebeat', exit: 1, stdout: 'dial up... ERROR' });
    const released = await run('close', { past: first.recorded });
    const back = await rollback(state, (now) => {
      now.faults.length = 0;
    });
    const { written, found } = alerts(state);
    expect([released.end, back.end]).toEqual(['failed', 'done']);
    expect(found).toEqual(written);
  });

  test('on any other day nothing of that is done', async () => {
    const { run, state } = await platform({ startMs: START });
    const ran = await run('apply');
    const { written, found } = alerts(state);
    const shipped = ran.events.flatMap((e) =>
      e.e === 'intent' && e.name === SHIP ? e.change.actions.filter((a) => a.do === 'job') : [],
    );
    expect([ran.end, shipped]).toEqual(['done', []]);
    expect(found).toEqual(written);
  });
});
