import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { auditLines } from '../../engine/report/audit-lines.js';
import type { Event } from '../../engine/terms/event.js';
import { localHarness, onePlay, touch, type Harness } from './cli-harness.js';

/** With a store: tests/system/approvals.test.ts. */
let harness: Harness;
beforeEach(() => {
  harness = localHarness(onePlay(touch('one', 'one')));
  harness.write('inventory.yaml', `approvals: 2\n${harness.read('inventory.yaml')}`);
});
afterEach(() => harness.end());

test.each([[['validate', 'test.yaml']], [['plan', 'test.yaml', '-o', 'change.plan']], [['apply', 'test.yaml', '-y']]])(
  'without a store, approvals are a mistake of the inventory: %j',
  async (args) => {
    const { exitCode, stderr } = await harness.run(args);
    expect([exitCode, stderr]).toEqual([
      2,
      [
        'inventory.yaml:1:12  approvals need a store, and none is configured',
        '    1 | approvals: 2',
        '      |            ^  store: nats://… in runbook.config.yaml beside the inventory (docs/teams.md), or remove `approvals`',
        '1 mistake in 1 file. Nothing was contacted.',
      ].join('\n'),
    ]);
  },
);

test('with a store, validate finds no mistake', async () => {
  harness.write('runbook.config.yaml', 'store: nats://nats-1.example:4222/team\n');
  expect(await harness.run(['validate', 'test.yaml'])).toMatchObject({ exitCode: 0, stderr: '' });
});

test('approve takes a plan file, and needs a store', async () => {
  harness.write('inventory.yaml', harness.read('inventory.yaml').replace('approvals: 2\n', ''));
  expect((await harness.run(['plan', 'test.yaml', '-o', 'change.plan'])).exitCode).toBe(0);
  const none = await harness.run(['approve', 'change.plan', '-y']);
  expect([none.exitCode, none.stderr]).toEqual([
    2,
    [
      'runbook: approvals need a store, and none is configured',
      `  store: nats://… in ${harness.path('runbook.config.yaml')}, or RUNBOOK_STORE; another inventory: -i`,
    ].join('\n'),
  ]);
  const missing = await harness.run(['approve']);
  expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining('runbook approve change.plan')]);
  const playbook = await harness.run(['approve', 'test.yaml']);
  expect([playbook.exitCode, playbook.stderr]).toEqual([
    2,
    'runbook: test.yaml is not a plan (plan -o FILE writes one)',
  ]);
});

test('the record of a run says who approved its plan', () => {
  const event: Event = {
    ...{ e: 'run-started', run: 'r', verb: 'apply', playbook: 'P', inventory: 'i', hosts: 1, hash: 'h' },
    ...{ by: 'ops@ctl-1', ticket: 'CHG-1', approvedBy: ['kim@ctl-2', 'lee@ctl-3'], reason: 'security update' },
  };
  expect(auditLines([{ seq: 1, atMs: 0, event }], false)).toEqual([
    '1970-01-01 00:00 UTC  apply   ops@ctl-1 · ticket CHG-1 · approved by kim@ctl-2, lee@ctl-3 · security update',
  ]);
});
