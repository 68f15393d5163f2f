import { describe, expect, test } from '@jest/globals';
import type { PlatformState } from '../../engine/model/state.js';
import { advance } from '../../engine/model/time.js';
import type { Event, Recorded } from '../../engine/terms/event.js';
import type { Actor } from '../../engine/terms/machine.js';
import { Crash } from './bench-hosts.js';
import { platform } from './platform-bench.js';

const MIDNIGHT = Date.parse('2026-11-22T00:00:00Z');
const START = Date.parse('2026-11-21T12:00:00Z');
const SHIP = 'Ship what was written before midnight';
const KEPT = '/var/platform/logs/alerts/alerts.json.kept';

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

/** Every alert that the managers wrote, and every one that the indexer has, by manager, time and text. */
function alerts(state: PlatformState): { readonly written: readonly string[]; readonly found: readonly string[] } {
  advance(state, state.nowMs + 60_000);
  const key = (json: string): string => {
    const alert = JSON.parse(json) as { timestamp: string; full_log: string; manager: { name: string } };
    return `${alert.manager.name} ${alert.timestamp} ${alert.full_log}`;
  };
  const files = new Set(
    Object.values(state.hosts).flatMap((h) =>
      Object.entries(h.files).flatMap(([path, f]) =>
        /\/logs\/alerts\/.*json/.test(path) && f.type === 'file' ? [f] : [],
      ),
    ),
  );
  const written = [...files].flatMap(({ text }) =>
    text.split('\n').flatMap((line) => (line === '' ? [] : [key(line)])),
  );
  const found = Object.entries(state.cluster.indices).flatMap(([name, index]) =>
    name.startsWith('platform-alerts-') ? Object.values(index.documents).map(key) : [],
  );
  return { written: written.sort(), found: found.sort() };
}

/** The controller dies at this step's effect on the master: before it, or with its outcome unrecorded. */
const dyingAt =
  (when: 'before' | 'after') =>
  (real: Actor): Actor => ({
    job: (on, id) => real.job(on, id),
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

  test('and when the run is released after midnight and the next one finds the shippers running', async () => {
    const { run, state } = await platform({ startMs: await acrossMidnight });
    const failing = ({ event }: Recorded, now: PlatformState): void => {
      if (event.e === 'intent' && event.name === 'Upgrade the manager' && now.faults.length === 0)
        now.faults.push({ fault: 'start-fails', host: 'server-2', unit: 'platform-manager' });
    };
    const first = await run('apply', { on: failing });
    state.faults.length = 0;
    await run('release', { past: first.recorded });
    const second = await run('apply', { name: 'second' });
    const { written, found } = alerts(state);
    expect([first.end, second.end]).toEqual(['failed', 'done']);
    expect(found).toEqual(written);
  });

  test('and when it is released after midnight with indexers still to be upgraded: the next one ships that before it keeps another file', async () => {
    const { run, state } = await platform({ startMs: await acrossMidnight });
    let stop = false;
    const first = await run('apply', {
      stopping: () => stop,
      on: ({ event }, now) => {
        if (event.e !== 'settled' || event.name !== 'The node is in the same cluster') return;
        advance(now, Math.max(now.nowMs, MIDNIGHT + 60_000));
        stop = true;
      },
    });
    await run('release', { past: first.recorded });
    const second = await run('apply', { name: 'second' });
    const { written, found } = alerts(state);
    expect([first.end, second.end]).toEqual(['interrupted', 'done']);
    expect(found).toEqual(written);
  });

  test('on any other day nothing of that is done', async () => {
    const { run, state } = await platform({ startMs: START });
    const ran = await run('apply');
    const { written, found } = alerts(state);
    expect([ran.end, acted(ran.events, SHIP)]).toEqual(['done', []]);
    expect(found).toEqual(written);
  });
});
