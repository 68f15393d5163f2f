import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openJournal } from '../../engine/journal/journal.js';
import { sumsIn } from '../../engine/journal/journal-file.js';
import { createRunFolder, runsOf, type RunFolder } from '../../engine/journal/run-folder.js';
import { escapePattern } from '../../engine/lib/escape-pattern.js';
import { auditLines } from '../../engine/report/audit-lines.js';
import { addWaiverApproval, waiverName } from '../../engine/store/approvals.js';
import { openFileStore } from '../../engine/store/files.js';
import type { Event } from '../../engine/terms/event.js';
import { linesOf, localHarness, onePlay, touch, type Harness } from './cli-harness.js';

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
  const ofRun = await harness.run(['approve', '2026-11-26T22-00-00Z', '-y']);
  expect([ofRun.exitCode, ofRun.stderr]).toEqual([none.exitCode, none.stderr]);
  const both = await harness.run(['approve', '2026-11-26T22-00-00Z', 'change.plan']);
  expect([both.exitCode, both.stderr]).toEqual([2, expect.stringContaining('approve takes one plan')]);
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

describe('a waiver of a run', () => {
  const AT = Date.UTC(2026, 10, 26, 22);
  const begun: Event = {
    ...{ e: 'run-started', run: 'r', verb: 'apply', playbook: 'Try', inventory: 'inventory.yaml', hosts: 1, hash: 'h' },
    ...{ by: 'ops@ctl-1' },
  };
  const waiving: Event = {
    ...{ ...begun, verb: 'resume', waived: ['others_first'], reason: 'CHG-2' },
    ...{ awaitsApproval: true, approvalsNeeded: 2 },
  };
  const ended: Event = { e: 'run-ended', as: 'done', untouched: [], notRestored: [], tookMs: 1 };
  let folder: RunFolder;

  /** A run that two persons' approvals are asked for, twice; it is over. */
  beforeEach(() => {
    const runs = runsOf(harness.path('inventory.yaml'));
    const inventory = [{ file: runs.inventory, text: harness.read('inventory.yaml') }];
    const playbook = [{ file: harness.path('test.yaml'), text: harness.read('test.yaml') }];
    folder = createRunFolder(runs, AT, { version: 1, playbook, inventory, cwd: harness.folder, extraVars: {} });
    const journal = openJournal({ file: folder.journalFile, blobs: folder.blobs, nowMs: () => AT });
    for (const event of [begun, waiving, waiving, ended]) journal.emit(event);
    journal.close();
  });

  /** As this machine has it from the team's store. */
  async function approve(record: number, ...people: readonly string[]): Promise<void> {
    const store = openFileStore(runsOf(harness.path('inventory.yaml')).folder);
    const waiver = waiverName(folder.id, sumsIn(folder.journalFile)[record - 1] ?? '');
    for (const by of people) await addWaiverApproval(store, { waiver, by, atMs: AT + 60_000 });
    await store.close();
  }
  const outputOf = async (...args: readonly string[]): Promise<string> => (await harness.run(args)).stdout;

  test('awaits as many approvals as the inventory asked for', async () => {
    expect(await outputOf('show')).toMatch(
      / resume {2}ops@ctl-1 · waives others_first, not approved: awaits 2 approvals · CHG-2\n(.*\n)*To approve .*: {2}runbook approve 2026-11-26T22-00-00Z\n/,
    );
  });

  test('is approved by others, each once; a later one of the same run is not', async () => {
    await approve(2, 'kim@ctl-2', 'kim@ctl-3', 'ops@ctl-2');
    const one = 'waives others_first, approved by kim@ctl-2 (2026-11-26 22:01 UTC), awaits 1 more approval';
    expect(await outputOf('show')).toContain(`${one} · CHG-2`);
    await approve(2, 'lee@ctl-2');
    const whole = 'waives others_first, approved by kim@ctl-2 (2026-11-26 22:01 UTC), lee@ctl-2 (2026-11-26 22:01 UTC)';
    const later = 'waives others_first, not approved: awaits 2 approvals';
    expect(await outputOf('show')).toMatch(
      new RegExp(`${escapePattern(`${whole} · CHG-2`)}\n.*${escapePattern(later)}`),
    );
    for (const format of ['md', 'html'])
      expect((await outputOf('report', '--format', format)).replaceAll('\\', '')).toContain(
        `${whole}: CHG-2; ${later}: CHG-2`,
      );
    const approvals = ['kim@ctl-2', 'lee@ctl-2'].map((by) => ({ by, atMs: AT + 60_000 }));
    const { awaitsApproval: _, ...approved } = { ...waiving, waiverApprovals: approvals };
    const events = linesOf(await outputOf('show', '--json')).map(({ event }) => event);
    expect(events.slice(2, 4)).toEqual([approved, waiving]);
    const [, run] = linesOf(await outputOf('runs', '--json'));
    const parts = [{ waiverApprovals: approvals }, { awaitsApproval: true }];
    expect(run?.['parts']).toMatchObject([{ verb: 'apply' }, ...parts]);
    const document = JSON.parse(await outputOf('report', '--format', 'json')) as { sections: { is: string }[] };
    expect(document.sections.find(({ is }) => is === 'origin')).toMatchObject({
      sessions: [{ verb: 'apply' }, ...parts],
    });
  });

  test('names no approver in a document that is public', async () => {
    await approve(2, 'kim@ctl-2');
    const document = await outputOf('report', '--public');
    expect(document).toMatch(/approved by user-\d+@host-\d+ /);
    expect(document).not.toMatch(/kim|ctl-2/);
  });

  test('has a damaged approval: the run is shown all the same', async () => {
    await approve(2, 'kim@ctl-2');
    const file = `.runbook/approvals/${waiverName(folder.id, sumsIn(folder.journalFile)[1] ?? '')}/journal.ndjson`;
    harness.write(file, harness.read(file).replace('kim', 'lee'));
    const { exitCode, stdout, stderr } = await harness.run(['show']);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('not approved: awaits 2 approvals')]);
    expect(stderr).toContain('is not one of its approvals');
  });
});
