import { describe, expect, test } from '@jest/globals';
import type { Change, Verdict } from '../../engine/terms/change.js';
import { hintText, type Hint } from '../../engine/terms/hint.js';
import type { Judgement } from '../../engine/terms/module.js';
import {
  atOf,
  casesOf,
  decide,
  lookIn,
  moduleNamed,
  namesOfTables,
  type Expected,
  type ExpectedJudgement,
} from './case-table.js';

describe.each(namesOfTables().map((name) => ({ name })))('$name', ({ name }) => {
  test.each(casesOf(name).map((row) => ({ row, title: row.case })))('$title', ({ row }) => {
    const { verdict, missing } = decide(moduleNamed(name), row.args, atOf(row), lookIn(row));
    expect(missing).toEqual([]);
    expect(said(verdict)).toMatchObject({ is: row.expect.is });
    look(row.expect, verdict);
    for (const judgement of row.judge ?? [])
      lookAtJudgement(judgement, moduleNamed(name).judge?.(row.args, judgement.outcome, judgement.action));
  });
});

/** The verdict without what makes a failing test hard to read. */
const said = (v: Verdict): object => (v.is === 'change' ? { is: v.is, summary: v.change.summary } : v);

function look(wanted: Expected, v: Verdict): void {
  if (v.is === 'change') lookAtChange(wanted, v.change);
  if (wanted.warnings !== undefined)
    expect((v.is === 'change' ? v.change.warnings : v.is === 'ok' ? v.warnings : undefined) ?? []).toEqual(
      wanted.warnings,
    );
  if (v.is === 'ok' && wanted.value !== undefined) expect({ value: v.value }).toMatchObject({ value: wanted.value });
  if (v.is === 'waiting' && wanted.pace !== undefined) expect(v).toMatchObject(wanted.pace);
  if (wanted.items !== undefined) {
    expect(Object.keys(v.items ?? {})).toEqual(Object.keys(wanted.items));
    expect(v.items).toMatchObject(wanted.items);
  }
  const texts: Readonly<Record<string, string | undefined>> = { ...(v as unknown as Record<string, string>) };
  if (wanted.hint !== undefined)
    expect(v.is === 'blocked' ? hintText(v.hint ?? '') : undefined).toMatch(new RegExp(wanted.hint, 'm'));
  for (const key of ['because', 'for', 'reason'] as const) {
    if (wanted[key] !== undefined) expect(texts[key]).toMatch(new RegExp(wanted[key], 'm'));
  }
  if (v.is !== 'change') {
    for (const key of ['summary', 'diff', 'actions', 'predicts', 'touches'] as const)
      expect(wanted[key]).toBeUndefined();
  }
}

function lookAtChange(wanted: Expected, change: Change): void {
  if (wanted.summary !== undefined) expect(change.summary).toBe(wanted.summary);
  if (wanted.diff !== undefined) expect(change.diff ?? '').toContain(wanted.diff);
  if (wanted.actions !== undefined) expect(change.actions).toHaveLength(wanted.actions.length);
  const { sign, actions, touches, predicts, left, starts } = wanted;
  const parts = { sign, actions, touches, predicts, left, starts };
  expect(change).toMatchObject(Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)));
}

function lookAtJudgement(
  { outcome: _, action: __, reason, hint, ...exact }: ExpectedJudgement,
  judgement: Judgement | undefined,
): void {
  expect(judgement).toMatchObject(exact);
  const texts: Readonly<Record<string, unknown>> = { ...judgement };
  if (reason !== undefined) expect(texts['reason']).toMatch(new RegExp(reason, 'm'));
  if (hint !== undefined) expect(hintText(texts['hint'] as Hint)).toMatch(new RegExp(hint, 'm'));
}
