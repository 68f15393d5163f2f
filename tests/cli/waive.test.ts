import { existsSync, mkdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { auditLines } from '../../engine/report/audit-lines.js';
import { WebhookCalls } from '../../engine/report/webhook-calls.js';
import type { Event } from '../../engine/terms/event.js';
import { linesOf, localHarness, onePlay, PLATFORM, touch, type Harness } from './cli-harness.js';

const CHECKS = `${PLATFORM.replace('vars: {}', 'vars: { others: late, release: right }')}checks:
  others_first: { that: vars.others == "done", description: The others come first, message: the others are not done, spec: "2" }
  in_release: { that: vars.release == "right", description: Target is a right release, waivable: false }
`;
const REASON = ['--waive', 'others_first', '--reason', 'they are dead, CHG-1'];

let harness: Harness;
beforeEach(() => {
  harness = localHarness(
    `${onePlay(touch('one', 'no/one'))}  - play: Go on
    hosts: all
    requires: [others_first, in_release]
    steps:
${touch('two', 'two')}`,
  );
  harness.write('platform.yaml', CHECKS);
});
afterEach(() => harness.end());

/** The text of what ended well, on both streams. */
const outputOf = async (args: readonly string[], code: number): Promise<string> => {
  const { exitCode, stdout, stderr } = await harness.run(args);
  expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: code });
  return `${stdout}\n${stderr}`;
};

describe('a requirement that is broken', () => {
  test('refuses, and says how it is waived; one that cannot be waived does not', async () => {
    expect(await outputOf(['plan', 'test.yaml'], 3)).toMatch(
      /the others are not done .* \(§2\) → --waive\s+others_first --reason TEXT goes on without this rule/,
    );
    const fixed = await outputOf(['plan', 'test.yaml', '-e', 'others=done', '-e', 'release=wrong'], 3);
    expect(fixed).toContain('Target is a right release');
    expect(fixed).not.toContain('--waive');
  });

  test('warns where it was waived: on the page, in the record, and in the run that goes on', async () => {
    const page = await outputOf(['plan', 'test.yaml', ...REASON], 0);
    expect(page).toContain('WAIVED others_first: they are dead, CHG-1');
    expect(page).toContain('waived: The others come first: the others are not done');
    await outputOf(['apply', 'test.yaml', '-y', ...REASON], 1); // the folder of its first file is missing
    const shown = await outputOf(['show'], 0);
    expect(shown).toMatch(/ apply {3}\S+@\S+ · waives others_first · they are dead, CHG-1/);
    expect(await outputOf(['report', '--format', 'md'], 0)).toContain('waives others\\_first: they are dead, CHG-1');
    // It stays waived for the rest of this run.
    mkdirSync(harness.path('no'));
    expect(linesOf((await harness.run(['resume', '--dry-run', '--json'])).stdout)).toContainEqual(
      expect.objectContaining({
        event: expect.objectContaining({ e: 'run-started', waived: ['others_first'] }) as object,
      }),
    );
    expect(await outputOf(['resume', '-y'], 0)).toContain('waived: The others come first');
    expect(harness.read('two')).toBe('');
  });

  test('a resume takes it, too', async () => {
    await outputOf(['apply', 'test.yaml', '-y', '-e', 'others=done'], 1);
    mkdirSync(harness.path('no'));
    const refused = await outputOf(['resume', '-y', '-e', 'others=late'], 3);
    expect(refused).toContain('the others are not done');
    const goesOn = await outputOf(['resume', '-y', '-e', 'others=late', ...REASON], 0);
    expect(goesOn).toContain('waived: The others come first');
  });
});

describe('a requirement that a module looks at', () => {
  beforeEach(() => {
    const looks = `{ file: { path: ${harness.path('ready')}, state: directory }, when: vars.others == "late",`;
    const checks = CHECKS.replace('{ that: vars.others == "done",', looks).replace(
      ', message: the others are not done',
      '',
    );
    harness.write('platform.yaml', checks);
  });

  test('refuses what the module would change, and changes nothing itself', async () => {
    expect(await outputOf(['plan', 'test.yaml'], 3)).toMatch(
      /The others come first: not so yet: \S+ready \(§2\)\s+→\s+--waive\s+others_first\s+--reason/,
    );
    expect(await outputOf(['explain', 'test.yaml'], 0)).toContain('The others come first (required others_first)');
    mkdirSync(harness.path('no'));
    expect(await outputOf(['apply', 'test.yaml', '-y', ...REASON], 0)).toContain(
      'waived: The others come first: not so yet',
    );
    expect(existsSync(harness.path('ready'))).toBe(false);
  });

  test('holds where it is so, and where it is not asked', async () => {
    await outputOf(['plan', 'test.yaml', '-e', 'others=done'], 0);
    mkdirSync(harness.path('ready'));
    await outputOf(['plan', 'test.yaml'], 0);
  });
});

test.each([
  [['--waive', 'others_first'], '--waive needs --reason: it is recorded who waived what, and why'],
  [
    ['--waive', 'others_frist', '--reason', 'x'],
    '--waive: nothing in "Try" requires "others_frist"; did you mean "others_first"?',
  ],
  [['--waive', 'in_release', '--reason', 'x'], '--waive: "in_release" cannot be waived: Target is a right release'],
])('is refused before anything is contacted: %j', async (args, message) => {
  for (const verb of ['plan', 'apply']) {
    const { exitCode, stderr } = await harness.run([verb, 'test.yaml', ...args]);
    expect([exitCode, stderr]).toEqual([2, `runbook: ${message}`]);
  }
  await harness.run(['apply', 'test.yaml', '-y', '-e', 'others=done']);
  const { exitCode, stderr } = await harness.run(['resume', '-y', ...args]);
  expect([exitCode, stderr]).toEqual([2, `runbook: ${message}`]);
});

test('is part of what a plan file has approved', async () => {
  await outputOf(['plan', 'test.yaml', '-o', 'without.plan', '-e', 'others=done'], 0);
  expect(await outputOf(['apply', 'without.plan', '-y', ...REASON], 2)).toContain(
    'without.plan was approved without --waive: plan again with it, and have that plan approved',
  );
  await outputOf(['plan', 'test.yaml', '-o', 'with.plan', ...REASON], 0);
  expect(await outputOf(['show', 'with.plan'], 0)).toContain('WAIVED others_first: they are dead, CHG-1');
  expect(await outputOf(['apply', 'with.plan', '-y'], 1)).toContain('waived: The others come first');
});

test('explain says which cannot be waived', async () => {
  const text = await outputOf(['explain', 'test.yaml'], 0);
  expect(text).toContain('1. The others come first (required others_first)');
  expect(text).toContain('2. Target is a right release (required, cannot be waived: in_release)');
});

test('the record and the webhook say who waives what, and that it awaits approval', () => {
  const event: Event = {
    ...{ e: 'run-started', run: 'r', verb: 'resume', playbook: 'P', inventory: 'i', hosts: 1, hash: 'h' },
    ...{ by: 'ops@ctl-1', waived: ['others_first'], reason: 'indexer-2 is dead' },
    ...{ awaitsApproval: true, approvalsNeeded: 2 },
  };
  const recorded = { seq: 1, atMs: 0, event };
  expect(auditLines([recorded], false)).toEqual([
    '1970-01-01 00:00 UTC  resume  ops@ctl-1 · waives others_first, not approved: awaits 2 approvals · indexer-2 is dead',
  ]);
  expect(new WebhookCalls().take(recorded).map(({ text }) => text)).toEqual([
    'runbook: P: resumed by ops@ctl-1, waives others_first, not approved: awaits 2 approvals: indexer-2 is dead',
  ]);
});
