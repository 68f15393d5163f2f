import { describe, expect, jest, test } from '@jest/globals';
import type { Event } from '../../engine/terms/event.js';
import { taskKey } from '../../engine/terms/task.js';
import { crashingAt, type Ran } from '../run/bench-hosts.js';
import { differences, endState, startsOf } from './end-state.js';
import { platform } from './platform-bench.js';

/** `CRASH_POINTS=all` tries each effect of the upgrade; otherwise a few that lie apart, other ones in each way to die. */
const STRIDE = process.env['CRASH_POINTS'] === 'all' ? 1 : 81;
const WAYS = 6;
jest.setTimeout(STRIDE === 1 ? 600_000 : 60_000);
const WHEN = ['before', 'after'] as const;

const whole = platform().then(async ({ run, state }) => {
  const ran = await run('apply');
  return { ran, end: endState(state), starts: startsOf(state), effects: state.effects };
});
const points = async (way: number, when: (typeof WHEN)[number]): Promise<readonly number[]> => {
  const { effects } = await whole;
  const first = 1 + Math.floor(((2 * way + WHEN.indexOf(when)) * STRIDE) / WAYS);
  return Array.from({ length: Math.ceil((effects - first + 1) / STRIDE) }, (_, i) => first + i * STRIDE);
};

const settledTwice = (events: readonly Event[]): readonly string[] => {
  const done = events.flatMap((e) => (e.e === 'settled' && e.as === 'done' ? [taskKey(e.task)] : []));
  return done.filter((key, i) => done.indexOf(key) !== i);
};

/** Ended well, as the run that was not cut: the same state, every temporary change restored, no unit started once more, no task done twice. */
async function isAsUncut(ran: Ran, state: Parameters<typeof endState>[0], point: string): Promise<void> {
  const uncut = await whole;
  const last = ran.events.at(-1);
  expect({
    point,
    end: ran.end,
    notRestored: last?.e === 'run-ended' ? last.notRestored : 'no end',
    differs: differences(uncut.end, endState(state)),
    starts: startsOf(state),
    twice: settledTwice(ran.events),
  }).toEqual({ point, end: 'done', notRestored: [], differs: [], starts: uncut.starts, twice: [] });
}

describe('the whole upgrade', () => {
  test('finds everything as it was predicted', async () => {
    const { ran } = await whole;
    expect([ran.end, ran.events.filter((e) => e.e === 'observed')]).toEqual(['done', []]);
  });

  test.each(WHEN)('a controller that dies %s an effect: resumed, it ends as if it had not', async (when) => {
    for (const nth of await points(0, when)) {
      const { run, state } = await platform();
      const cut = await run('apply', { actor: crashingAt(nth, when) });
      await isAsUncut(await run('resume', { past: cut.recorded }), state, `${when} effect ${nth}`);
    }
  });

  test.each(WHEN)('one that dies %s an effect, and again at the first or second of its resume', async (when) => {
    for (const nth of await points(1, when)) {
      const { run, state } = await platform();
      const cut = await run('apply', { actor: crashingAt(nth, when) });
      const again = await run('resume', { past: cut.recorded, actor: crashingAt(1 + (nth % 2), 'after') });
      const ran = again.end === 'done' ? again : await run('resume', { past: again.recorded });
      await isAsUncut(ran, state, `${when} effect ${nth}, twice`);
    }
  });

  test.each(WHEN)(
    'a connection that goes %s an effect ends nothing: the machine is asked, and it goes on',
    async (when) => {
      for (const at of await points(2, when)) {
        const { run, state } = await platform();
        state.faults.push({ fault: 'cut', at, when });
        await isAsUncut(await run('apply'), state, `cut ${when} effect ${at}`);
      }
    },
  );
});
