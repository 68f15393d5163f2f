import type { Debt } from '../journal/state.js';
import type { Touch, Wanted } from '../terms/change.js';
import { refKey, type FactRef } from '../terms/fact.js';
import type { AnyModule } from '../terms/module.js';
import { keyOf } from '../terms/subject.js';
import { taskKey, type TaskId } from '../terms/task.js';
import { renderArgs } from './bind.js';
import type { Run } from './run.js';
import { scopeOf } from './scope.js';
import { decideArgs, type TaskAt } from './decide.js';
import { think } from './think.js';

/**
 * Records what a temporary step owes, before it is made, and also when the step is already right: an earlier run may have left
 * it so. The value given back is the one written (§3: `all`), never what was found.
 */
export async function owe(run: Run, at: TaskAt): Promise<void> {
  const { temporary } = at.step;
  if (temporary === undefined || run.journal.state.debts.has(taskKey(at.task))) return;
  const undo = await think(run, (peek) =>
    renderArgs(run, temporary.module, temporary.args, scopeOf(run, { ...at.standing, step: at.step }, peek, [])),
  );
  if (undo.is !== 'bound') return;
  const wanted: Wanted = { module: temporary.module, args: undo.args, on: at.task.on };
  run.journal.emit({
    e: 'owed',
    task: at.task,
    name: at.step.name,
    undo: { steps: [wanted] },
    onFailure: temporary.onFailure,
  });
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

export const wantedOf = (debt: Debt): Wanted | undefined => ('steps' in debt.undo ? debt.undo.steps[0] : undefined);

function concerns(run: Run, debt: Debt, wanted: Wanted, touched: readonly Touch[]): boolean {
  const needs = Object.values(
    moduleOf(run, wanted).needs(wanted.args, { task: debt.task, timeMs: 0 }),
  ) as readonly FactRef[];
  return touched.some((t) =>
    needs.some((n) => ('everything' in t ? keyOf(t.of) === keyOf(n.of) : refKey(t) === refKey(n))),
  );
}

export function moduleOf(run: Run, wanted: Wanted): AnyModule {
  const module = run.modules.get(wanted.module);
  if (module === undefined) throw new Error(`no module ${wanted.module}`);
  return module;
}
