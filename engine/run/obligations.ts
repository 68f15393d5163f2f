import type { Debt } from '../journal/state.js';
import type { Touch, Wanted } from '../terms/change.js';
import { refKey, type FactRef } from '../terms/fact.js';
import type { StillOwed } from '../terms/event.js';
import type { Step } from '../terms/playbook.js';
import { keyOf } from '../terms/subject.js';
import { taskKey, type TaskId } from '../terms/task.js';
import { renderArgs } from './bind.js';
import type { Run } from './run.js';
import { scopeOf } from './scope.js';
import { decideArgs, runTaskAt, type TaskAt } from './task.js';
import { think } from './think.js';

/**
 * Records what a temporary step owes, before it is made, and also when the step is already right: an earlier run may have left
 * it so. The value given back is the one written (§3: `all`), never what was found.
 */
export async function owe(run: Run, at: TaskAt): Promise<void> {
  const { temporary } = at.step;
  if (temporary === undefined || run.journal.state.debts.has(taskKey(at.task))) return;
  const undo = await think(run, (peek) => renderArgs(run, temporary.module, temporary.args, scopeOf(run, { ...at.standing, step: at.step }, peek, [])));
  if (undo.is !== 'bound') return;
  const wanted: Wanted = { module: temporary.module, args: undo.args, on: at.task.on };
  run.journal.emit({ e: 'owed', task: at.task, name: at.step.name, undo: { steps: [wanted] }, onFailure: temporary.onFailure });
}

/** A step that makes the end of somebody's temporary change true has paid that debt. */
export async function payWhatIsTrue(run: Run, by: TaskId, touched: readonly Touch[]): Promise<void> {
  for (const debt of [...run.journal.state.debts.values()]) {
    if (taskKey(debt.task) === taskKey(by)) continue;
    const wanted = wantedOf(debt);
    if (wanted !== undefined && concerns(run, debt, wanted, touched) && (await holds(run, debt, wanted)))
      run.journal.emit({ e: 'paid', task: debt.task, by: 'step' });
  }
}

/** Would ending this temporary change leave nothing to do? False when it cannot be known. */
export async function holds(run: Run, debt: { readonly task: TaskId }, wanted: Wanted): Promise<boolean> {
  const module = moduleOf(run, wanted);
  const at = { task: debt.task, timeMs: run.clock.nowMs() };
  const decided = await think(run, (peek) => decideArgs(run, module, wanted.args, at, peek));
  return decided.is === 'verdict' && decided.verdict.is === 'ok';
}

/** Gives these temporary changes back, the last one first. True when all were; what could not be stays owed. */
export async function giveBack(run: Run, debts: readonly Debt[], by: 'end' | 'release'): Promise<boolean> {
  let all = true;
  for (const debt of debts.toReversed()) {
    const wanted = wantedOf(debt);
    if (wanted === undefined) continue;
    const task: TaskId = { step: `${debt.task.step} (given back)`, on: wanted.on };
    const end = await runTaskAt(run, { step: stepFor(task, debt, wanted), standing: {}, task, module: moduleOf(run, wanted), args: wanted.args });
    if (end !== 'well') all = false;
    else if (run.journal.state.debts.has(taskKey(debt.task))) run.journal.emit({ e: 'paid', task: debt.task, by });
  }
  return all;
}

/** On a failure: which debts are given back at once, and which are kept because giving them back does harm now. */
export function splitByFailure(run: Run): { readonly give: readonly Debt[]; readonly keep: readonly Debt[] } {
  const debts = [...run.journal.state.debts.values()];
  const begun = new Set([...run.journal.state.tasks.values()].filter((t) => t.attempts > 0).map((t) => t.name));
  const keeps = ({ onFailure }: Debt): boolean => onFailure === 'keep' || (typeof onFailure === 'object' && begun.has(onFailure.keep_after));
  return { give: debts.filter((d) => !keeps(d)), keep: debts.filter(keeps) };
}

export const stillOwed = (run: Run): readonly StillOwed[] => [...run.journal.state.debts.values()].map(({ task, name, onFailure }) => ({ task, name, onFailure }));

export const wantedOf = (debt: Debt): Wanted | undefined => ('steps' in debt.undo ? debt.undo.steps[0] : undefined);

function concerns(run: Run, debt: Debt, wanted: Wanted, touched: readonly Touch[]): boolean {
  const needs = Object.values(moduleOf(run, wanted).needs(wanted.args, { task: debt.task, timeMs: 0 })) as readonly FactRef[];
  return touched.some((t) => needs.some((n) => ('everything' in t ? keyOf(t.of) === keyOf(n.of) : refKey(t) === refKey(n))));
}

function moduleOf(run: Run, wanted: Wanted) {
  const module = run.modules.get(wanted.module);
  if (module === undefined) throw new Error(`no module ${wanted.module}`);
  return module;
}

/** The task that ends a temporary change reads as a step of its own: the temporary step's, given back. */
const stepFor = (task: TaskId, debt: Debt, wanted: Wanted): Step => ({
  path: task.step,
  name: `${debt.name} (given back)`,
  module: wanted.module,
  args: wanted.args,
  tags: [],
  vars: {},
  runOnce: false,
  retries: 2,
  at: { file: '', line: 0, column: 0 },
});
