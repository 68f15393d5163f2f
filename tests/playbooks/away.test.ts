import { describe, expect, test } from '@jest/globals';
import type { Event } from '../../engine/terms/event.js';
import { Crash } from '../run/bench-hosts.js';
import { platform, type Around } from './platform-bench.js';

const HOST = 'indexer-2';
const isUpgrade = (e: Event): boolean =>
  e.e === 'intent' && e.name === 'Upgrade the package' && 'host' in e.task.on && e.task.on.host === HOST;

/** The controller dies inside a node's package transaction, and the node with it. */
async function diedInside() {
  const made = await platform();
  let inside = false;
  const cut = await made.run('apply', {
    on: ({ event }) => (inside ||= isUpgrade(event)),
    actor: (real) => ({
      ...real,
      async perform(on, action, context) {
        if (!inside || action.do !== 'job') return real.perform(on, action, context);
        // It has begun there, and its end is not known.
        void real.perform(on, action, context);
        throw new Crash();
      },
    }),
  });
  made.state.faults.push({ fault: 'unreachable', host: HOST });
  const resume = (around: Around = {}) => made.run('resume', { past: cut.recorded, ...around });
  return { ...made, cut, resume };
}

const settledOnHost = (events: readonly Event[]): readonly string[] =>
  events.flatMap((e) =>
    e.e === 'settled' && e.name === 'Upgrade the package' && 'host' in e.task.on && e.task.on.host === HOST
      ? [`${e.as}: ${e.reason ?? ''}`]
      : [],
  );

describe('a host that is gone in the middle of its package, with the controller', () => {
  test('is waited for by name, with what may be running there and how long; then it is unreachable, never still running', async () => {
    const { cut, resume } = await diedInside();
    const ran = await resume();
    const events = ran.events.slice(cut.events.length);
    const waits = events.flatMap((e) => (e.e === 'waiting' && e.for.includes('cannot be reached') ? [e] : []));
    expect(waits[0]).toMatchObject({
      for: expect.stringMatching(/^indexer-2 cannot be reached \(.*\); "Upgrade the package" may be running there$/),
      forMs: 0,
    });
    expect(waits[0]?.limitMs).toBeLessThanOrEqual(600_000);
    expect(settledOnHost(events)).toEqual([expect.stringMatching(/^unreachable: .*cannot be reached/)]);
    expect(ran.end).toBe('unreachable');
  });

  test('the first Ctrl-C ends that wait', async () => {
    const { cut, resume } = await diedInside();
    const stop = new AbortController();
    const ran = await resume({
      stopSignal: stop.signal,
      stopping: () => stop.signal.aborted,
      on: ({ event }) => {
        if (event.e === 'waiting' && event.for.includes('cannot be reached')) stop.abort();
      },
    });
    const events = ran.events.slice(cut.events.length);
    expect(events.filter((e) => e.e === 'waiting' && e.for.includes('cannot be reached'))).toHaveLength(1);
    expect(events.filter((e) => e.e === 'intent')).toEqual([]);
  });

  test('once it is back the run goes on to its end', async () => {
    const { resume, state } = await diedInside();
    const ran = await resume({
      on: ({ event }) => {
        if (event.e === 'waiting' && event.for.includes('cannot be reached') && event.forMs > 60_000)
          state.faults.splice(0);
      },
    });
    expect(ran.end).toBe('done');
  });
});
