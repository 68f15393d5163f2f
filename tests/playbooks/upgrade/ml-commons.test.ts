import { expect, test } from '@jest/globals';
import type { MlDocument } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import type { Ran } from '../../run/bench-hosts.js';
import { platform } from '../platform-bench.js';
import { actedAtAll, endOf, warningsOf } from '../platform-looks.js';

const FILE = '/var/backups/runbook/before-4.14/ml-commons.json';
const many = (count: number): MlDocument[] =>
  Array.from({ length: count }, (_, i) => ({ id: `m${String(i).padStart(5, '0')}`, name: `model ${i}` }));
const recorded = ({ events }: Ran): unknown =>
  events.flatMap((e) => (e.e === 'settled' && e.name === 'Record the models and agents' ? [e.value] : []))[0];

test('models and agents are recorded page by page without their parts, and what is gone at the end is reported by its name', async () => {
  const { run, state } = await platform();
  const parts = Array.from({ length: 20 }, (_, chunk) => ({ id: `m00001_${chunk}`, name: 'model 1', chunk }));
  state.cluster.mlCommons = { models: [...parts, ...many(2_500)], agents: [{ id: 'a1', name: 'night helper' }] };
  const ran = await run('apply', {
    on: ({ event }) => {
      if (event.e === 'settled' && event.name === 'Wait for green cluster health')
        state.cluster.mlCommons?.models.pop();
      if (event.e === 'settled' && event.name === 'Wait for green cluster health')
        state.cluster.mlCommons?.agents.pop();
    },
  });
  expect([endOf(ran), (recorded(ran) as { count: number }).count]).toEqual([['done'], 2_501]);
  expect(JSON.parse(state.hosts['indexer-1']?.files[FILE]?.text ?? '')).toEqual({
    models: many(2_500),
    agents: [{ id: 'a1', name: 'night helper' }],
  });
  const gone = ['model "model 2499" (m02499)', 'agent "night helper" (a1)'];
  const told = gone.map((what) => `ML Commons: the recorded ${what} is gone`);
  expect(warningsOf(ran).filter((w) => w.startsWith('ML Commons'))).toEqual(told);
  const second = await run('apply', { name: 'second' });
  expect([...endOf(second), ...actedAtAll(second)]).toEqual(['done']);
  expect(warningsOf(second).filter((w) => w.startsWith('ML Commons'))).toEqual(told);
});

test('without the plug-in it is not in use, and nothing is kept', async () => {
  const { run, state } = await platform();
  const ran = await run('apply');
  expect(endOf(ran)).toEqual(['done']);
  const [because] = ran.events.flatMap((e) =>
    e.e === 'settled' && e.name === 'Record the models and agents' ? [e.reason] : [],
  );
  expect(because).toBe('ML Commons is not in use');
  expect(state.hosts['indexer-1']?.files[FILE]).toBeUndefined();
});
