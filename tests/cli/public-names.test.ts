import { expect, test } from '@jest/globals';
import { namesOf } from '../../engine/cli/run/public-names.js';
import type { Recorded } from '../../engine/terms/event.js';

test('the people and machines of each part of a run are masked, also those of who approved it and who closed it', async () => {
  const parts = [
    { e: 'run-started', by: 'kim@ctl-1', inventory: '/home/kim/inventory.yaml', approvedBy: ['pat@ctl-3'] },
    { e: 'close-started', by: 'lee@ctl-2', sudoUser: 'mo' },
  ];
  const events = parts.map((event, seq) => ({ seq, atMs: seq, event })) as unknown as readonly Recorded[];
  const { users, hosts } = await namesOf(undefined, events);
  expect([[...users].sort(), [...hosts].sort()]).toEqual([
    ['kim', 'lee', 'mo', 'pat'],
    ['ctl-1', 'ctl-2', 'ctl-3'],
  ]);
});
