import { expect, test } from '@jest/globals';
import { foldAll } from '../../engine/journal/fold.js';
import { isUnfinished } from '../../engine/journal/state.js';
import type { Event } from '../../engine/terms/event.js';
import { crashingAt } from '../run/bench-hosts.js';
import { platform } from './platform-bench.js';

const touching = (events: readonly Event[], host: string): readonly string[] =>
  events.flatMap((e) => (e.e === 'intent' && 'host' in e.task.on && e.task.on.host === host ? [e.name] : []));

test('a run that stopped because of a dead host is closed without it: all else is restored, and it is named', async () => {
  const { run, state } = await platform();
  state.faults.push({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' });
  const failed = await run('apply');
  state.faults.splice(0);
  state.faults.push({ fault: 'unreachable', host: 'indexer-2' });
  const closed = await run('close', { past: failed.recorded, options: { without: new Set(['indexer-2']) } });
  expect([closed.end, isUnfinished(foldAll(closed.events))]).toEqual(['closed', false]);
  const last = closed.events.at(-1);
  const left = last?.e === 'run-ended' ? last.notRestored.map(({ task }) => task.on) : [];
  expect(left.length).toBeGreaterThan(0);
  expect(left.filter((on) => !('host' in on) || on.host !== 'indexer-2')).toEqual([]);
});

test('a resume without a host asks nothing of it and changes nothing there; it stays open for that host', async () => {
  const { run, state } = await platform();
  const cut = await run('apply', { actor: crashingAt(3, 'after') });
  state.faults.push({ fault: 'unreachable', host: 'linux-1' });
  const resumed = await run('resume', { past: cut.recorded, options: { without: new Set(['linux-1']) } });
  const after = resumed.events.slice(cut.events.length);
  expect([resumed.end, touching(after, 'linux-1')]).toEqual(['unreachable', []]);
  expect(touching(after, 'indexer-1')).toContain('Upgrade the package');
});
