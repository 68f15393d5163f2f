import { afterAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../../engine/lib/hash.js';
import {
  addApproval,
  addWaiverApproval,
  approvalsOf,
  countingApprovals,
  countingWaiverApprovals,
  waiverApprovalsOf,
  waiverName,
  type Approval,
} from '../../engine/store/approvals.js';
import { approvedPlans } from '../../engine/cli/doctor/approved-plans.js';
import { openFileStore } from '../../engine/store/files.js';

const root = mkdtempSync(join(tmpdir(), 'runbook-approvals-'));
afterAll(() => rmSync(root, { recursive: true }));
const newStore = () => openFileStore(join(mkdtempSync(join(root, 'store-')), 'runs'));

const PLAN = sha256('a plan file');
const NOW = Date.UTC(2026, 10, 26, 22);
const approval = (by: string, lastsMs = 1000): Approval => ({
  plan: PLAN,
  by,
  atMs: NOW - 5000,
  untilMs: NOW + lastsMs,
});

test.each<readonly [string, readonly Approval[], readonly string[]]>([
  ['none', [], []],
  ['one other person', [approval('kim@ctl-1')], ['kim@ctl-1']],
  ['the author', [approval('ops@ctl-1')], []],
  ['the author on another machine', [approval('ops@ctl-2')], []],
  ['two others', [approval('kim@ctl-1'), approval('lee@ctl-1')], ['kim@ctl-1', 'lee@ctl-1']],
  ['the same person twice', [approval('kim@ctl-1'), approval('kim@ctl-1')], ['kim@ctl-1']],
  ['the same person on two machines', [approval('kim@ctl-1'), approval('kim@ctl-2', 2000)], ['kim@ctl-2']],
  ['an expired one', [approval('kim@ctl-1', -1)], []],
  ['one that expires now', [approval('kim@ctl-1', 0)], ['kim@ctl-1']],
  ['an expired one that was renewed', [approval('kim@ctl-1', -1), approval('kim@ctl-1')], ['kim@ctl-1']],
  ['one that was renewed for a shorter time', [approval('kim@ctl-1'), approval('kim@ctl-1', -1)], ['kim@ctl-1']],
  [
    'a name with an @',
    [approval('kim@example.org@ctl-1'), approval('kim@ctl-1')],
    ['kim@example.org@ctl-1', 'kim@ctl-1'],
  ],
])('approvals of a plan of ops count: %s', (_, all, expected) => {
  expect(countingApprovals(all, 'ops@ctl-1', NOW).map(({ by }) => by)).toEqual(expected);
});

test('approvals are kept in the order in which they were given, also by two persons at once', async () => {
  const store = newStore();
  await addApproval(store, approval('kim@ctl-1'));
  await Promise.all(['lee@ctl-2', 'mo@ctl-3'].map((by) => addApproval(store, approval(by))));
  const all = await approvalsOf(store, PLAN);
  expect(all[0]).toEqual(approval('kim@ctl-1'));
  expect(all.map(({ by }) => by).sort()).toEqual(['kim@ctl-1', 'lee@ctl-2', 'mo@ctl-3']);
  expect(await approvalsOf(store, sha256('another plan file'))).toEqual([]);
});

test('a line that was altered, or is of another plan, is no approval', async () => {
  for (const line of ['{"plan":"x"}', '']) {
    const store = newStore();
    await store.approvals.append(PLAN, 0, [Buffer.from(line)]);
    await expect(approvalsOf(store, PLAN)).rejects.toMatchObject({ code: 'damaged' });
  }
  const store = newStore();
  await addApproval(store, approval('kim@ctl-1'));
  const [line = Buffer.alloc(0)] = await store.approvals.read(PLAN, 0);
  const other = sha256('another plan file');
  await store.approvals.append(other, 0, [line]);
  await expect(approvalsOf(store, other)).rejects.toMatchObject({ code: 'damaged' });
});

test('approvals of a waiver count for good: the first of each person other than the one who waived', async () => {
  const store = newStore();
  const waiver = waiverName('2026-11-26T22-00-00Z', '0123456789abcdef');
  for (const by of ['ops@ctl-2', 'kim@ctl-1', 'kim@ctl-2', 'lee@ctl-1'])
    await addWaiverApproval(store, { waiver, by, atMs: NOW });
  const all = await waiverApprovalsOf(store, waiver);
  expect(all).toHaveLength(4);
  expect(countingWaiverApprovals(all, 'ops@ctl-1').map(({ by }) => by)).toEqual(['kim@ctl-1', 'lee@ctl-1']);
});

test('the approval of another waiver, or of a plan, is none of this one', async () => {
  const [one, other] = ['0123456789abcdef', 'fedcba9876543210'].map((sum) => waiverName('2026-11-26T22-00-00Z', sum));
  const store = newStore();
  await addWaiverApproval(store, { waiver: one ?? '', by: 'kim@ctl-1', atMs: NOW });
  const [line = Buffer.alloc(0)] = await store.approvals.read(one ?? '', 0);
  for (const name of [other ?? '', PLAN]) await store.approvals.append(name, 0, [line]);
  await expect(waiverApprovalsOf(store, other ?? '')).rejects.toMatchObject({ code: 'damaged' });
  await expect(approvalsOf(store, PLAN)).rejects.toMatchObject({ code: 'damaged' });
});

test('doctor names the plans that are approved and not begun yet', async () => {
  const store = newStore();
  const named = async (): Promise<readonly string[]> => (await approvedPlans(store, NOW)).map(({ text }) => text);
  await addApproval(store, approval('kim@ctl-1'));
  await addApproval(store, approval('lee@ctl-1', 120_000));
  await addApproval(store, { ...approval('kim@ctl-1', -1), plan: sha256('one that expired') });
  await addWaiverApproval(store, { waiver: waiverName('r', '0'), by: 'kim@ctl-1', atMs: NOW - 5000 });
  const text = `the plan with SHA-256 ${PLAN.slice(0, 12)}… was approved by kim@ctl-1, lee@ctl-1, until 2026-11-26 22:02 UTC`;
  expect(await named()).toEqual([text]);
  await store.append('2026-11-26T21-59-00Z', 0, [Buffer.from('begun before it was approved')]);
  expect(await named()).toEqual([text]);
  await store.append('2026-11-26T22-00-00Z', 0, [Buffer.from('begun after it')]);
  expect(await named()).toEqual([]);
});
