import { expect, test } from '@jest/globals';
import type { PlatformState } from '../../engine/model/state.js';
import type { Event } from '../../engine/terms/event.js';
import { platform } from './platform-bench.js';

const FILE = '/var/backups/runbook/before-4.14.7/saved-objects.ndjson';
const refusals = (events: readonly Event[]): readonly string[] =>
  events.flatMap((e) =>
    e.e === 'settled' && (e.as === 'blocked' || e.as === 'failed') ? [`${e.name}: ${e.reason ?? ''}`] : [],
  );
const valueOf = (events: readonly Event[], name: string): unknown =>
  events.flatMap((e) => (e.e === 'settled' && e.name === name && e.as === 'done' ? [e.value] : []))[0];
const ids = (state: PlatformState): readonly string[] => state.savedObjects.map((o) => o.id).sort();

test('are exported before the dashboard is stopped and imported after it: what was lost is back, nothing is overwritten', async () => {
  const { run, state } = await platform();
  const ran = await run('apply', {
    on: ({ event }, now) => {
      if (event.e !== 'intent' || event.name !== 'Stop the dashboard') return;
      expect(now.hosts['dashboard-1']?.files[FILE]).toMatchObject({ mode: '0600' });
      // As after a migration that lost one, while somebody altered the other.
      now.savedObjects.splice(0, now.savedObjects.length, {
        type: 'dashboard',
        id: 'ours',
        attributes: '{"title":"Newer"}',
      });
    },
  });
  expect([ran.end, refusals(ran.events), ids(state)]).toEqual(['done', [], ['alerts', 'ours']]);
  expect(state.savedObjects.find((o) => o.id === 'ours')?.attributes).toBe('{"title":"Newer"}');
  expect(valueOf(ran.events, 'Import what is missing')).toBeDefined();
});

test('are left to a person where that is said', async () => {
  const { run, state } = await platform({}, (p) => ({ ...p, extraVars: { saved_objects: 'person' } }));
  const ran = await run('apply', { answer: 'no' });
  expect([ran.end, refusals(ran.events)]).toEqual(['failed', [expect.stringMatching(/^Somebody exports them: /)]]);
  expect(state.hosts['dashboard-1']?.files[FILE]).toBeUndefined();
});
