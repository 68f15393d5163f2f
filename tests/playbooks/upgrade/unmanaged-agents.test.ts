import { expect, test } from '@jest/globals';
import type { ModelSeed } from '../../../engine/platforms/security-monitoring/simulator/create.js';
import type { Event } from '../../../engine/terms/event.js';
import type { JsonObject } from '../../../engine/terms/json.js';
import { planView } from '../../../engine/report/plan/plan-view.js';
import { platform } from '../platform-bench.js';
import { actedAtAll, endOf, versionsOf, warningsOf } from '../platform-looks.js';

/** The platform as an operator finds it, who has accepted nothing yet unless he says so. */
const found = (seed: Partial<ModelSeed>, extraVars: JsonObject = {}) =>
  platform(seed, (project) => ({ ...project, extraVars }));
const asked = (events: readonly Event[]): string =>
  events
    .flatMap((e) => ((e.e === 'intent' || e.e === 'checked') && e.change?.sign === '?' ? [e.change.summary] : []))
    .join('\n');
const OLD = [
  { name: 'old-1', version: '4.8.2' },
  { name: 'old-2', version: '4.7.0' },
  { name: 'new-1', version: '4.9.0' },
];

test('agents that a 4.14 server does not manage are named by the plan (§9.1.3, §8)', async () => {
  const { run } = await found({ remoteAgents: OLD });
  const planned = await run('plan');
  expect(asked(planned.events)).toMatch(
    /2 of 3 agents are below 4\.9: 003 old-1 \(v4\.8\.2\), 004 old-2 \(v4\.7\.0\)\. A 4\.14 server does not manage them/,
  );
  expect(planView(planned.recorded, { color: false, width: 100, diff: false, verbose: false })).toMatch(/003 old-1/);
});

test('and confirmed before the first change: without a yes nothing is changed', async () => {
  const { run, state } = await found({ remoteAgents: OLD });
  const hosts = structuredClone(state.hosts);
  for (const answer of ['no', '', undefined]) {
    const ran = await run('apply', answer === undefined ? {} : { answer });
    expect([ran.end, actedAtAll(ran).filter((name) => !name.startsWith('Confirm'))]).toEqual(['refused', []]);
  }
  expect(state.hosts).toEqual(hosts);
});

test('with a yes the upgrade goes through, and a second one asks no more', async () => {
  const { run } = await found({ remoteAgents: OLD });
  expect(endOf(await run('apply', { answer: 'yes' }))).toEqual(['done']);
  const again = await run('apply', { name: 'again' });
  expect([again.end, asked(again.events)]).toEqual(['done', '']);
});

test('unmanaged_agents: accept answers beforehand', async () => {
  const { run } = await found({ remoteAgents: OLD }, { unmanaged_agents: 'accept' });
  const ran = await run('apply');
  expect([...endOf(ran), asked(ran.events)]).toEqual(['done', '']);
});

test('agents of the inventory are named too, and are upgraded by their package once that is confirmed', async () => {
  const { run, state } = await found({ at: { 'linux-2': '4.8.2' } });
  const planned = await run('plan');
  expect(warningsOf(planned).join('\n')).toMatch(/agent 4\.8\.2-1 is below 4\.9: a 4\.14 server does not manage it/);
  expect(asked(planned.events)).toMatch(/Agents of the inventory are below 4\.9/);
  expect((await run('apply')).end).toBe('refused');
  expect(endOf(await run('apply', { answer: 'yes', name: 'again' }))).toEqual(['done']);
  expect(versionsOf(state)['platform-agent']).toEqual(['4.14.7-1']);
});

test('nothing is asked where every agent is managed, or the servers are of 4.14 already', async () => {
  for (const seed of [{}, { from: '4.14.6', remoteAgents: OLD }]) {
    const { run } = await found(seed);
    const planned = await run('plan');
    expect([planned.end, asked(planned.events)]).toEqual(['done', '']);
  }
});
