import { expect, test } from '@jest/globals';
import { guarded } from '../../engine/cli/run/guarded.js';
import { LockLost } from '../../engine/journal/lock.js';
import { openJournal } from '../../engine/journal/journal.js';
import { perform } from '../../engine/run/task/perform.js';
import type { Run } from '../../engine/run/run.js';
import type { Leases } from '../../engine/run/lease.js';
import type { Outbox } from '../../engine/store/outbox.js';
import type { Actor } from '../../engine/terms/machine.js';
import type { AnyModule } from '../../engine/terms/module.js';

const task = { step: 'play/step', on: { host: 'a' } };
const action = {
  do: 'job',
  command: { argv: ['apt-get', 'install', 'x'], timeoutMs: 60_000 },
  why: 'install',
} as const;

test.each([
  [0, 'done'],
  [100, 'failed'],
])('the result of a job that ended with %i is removed from its host once it is recorded', async (exit, is) => {
  const order: string[] = [];
  const journal = openJournal({ nowMs: () => 0, split: (text) => [text] });
  journal.subscribe(({ event }) => order.push(event.e));
  const run = { journal, inHand: new Set() } as unknown as Run;
  const actor: Actor = {
    perform: () => Promise.resolve({ is: 'ended', exit, stdout: '', stderr: '' }),
    job: () => Promise.resolve({ is: 'absent' }),
    forgetJob: (_on, id) => Promise.resolve(void order.push(`forget ${id}`)),
  };
  const module = {} as AnyModule;
  const change = { actions: [action], predicts: [], touches: [], summary: 'x' };
  const performed = await perform(run, actor, { task, module, args: null, change, attempt: 2 } as never);
  expect(performed.is).toBe(is);
  expect(order).toEqual(['effect', 'forget /play/step@host:a/2/0']);
});

test('it stays there where its record could not be brought to the store', async () => {
  const forgotten: string[] = [];
  const actor = { forgetJob: (_on: unknown, id: string) => Promise.resolve(void forgotten.push(id)) };
  const outbox = { mayAct: () => Promise.reject(new LockLost()) } as unknown as Outbox;
  const journal = openJournal({ nowMs: () => 0, split: (text) => [text] });
  const guard = guarded(actor as unknown as Actor, {
    journal,
    leases: {} as unknown as Leases,
    holder: undefined,
    outbox,
  });
  await expect(guard.forgetJob(task.on, 'x')).rejects.toThrow(LockLost);
  expect(forgotten).toEqual([]);
});
