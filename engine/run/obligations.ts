import { wantedOf } from './owing.js';
import type { Touch, Undo, Wanted } from '../terms/change.js';
import type { FactRef } from '../terms/fact.js';
import type { Json } from '../terms/json.js';
import type { AnyModule } from '../terms/module.js';
import type { Play, Step, Temporary } from '../terms/playbook.js';
import type { Restoring } from '../terms/restoring.js';
import { taskKey, type TaskId } from '../terms/task.js';
import { renderArgs } from './bind.js';
import { decideArgs, type TaskAt } from './decide.js';
import type { Run } from './run.js';
import { scopeOf } from './scope.js';
import { subjectOf, type Standing } from './standing.js';
import { think } from './think.js';

/**
 * Records how a temporary change is restored, before it is made, and also when the step is unchanged: an earlier run may have left
 * it so. The restored value is the written one (§3: `all`), never what was found. `made` are the arguments that hold until it is restored.
 */
export async function owe(run: Run, at: TaskAt, made?: Json): Promise<void> {
  const { temporary, module, name } = at.step;
  if (temporary === undefined || run.journal.state.debts.has(taskKey(at.task))) return;
  const wanted = await restoredBy(run, at.step, at.standing);
  if (wanted === undefined) return;
  const undo: Undo = { steps: [wanted] };
  run.journal.emit({
    e: 'owed',
    task: at.task,
    name,
    undo,
    restoring: restoringOf(run, temporary, at.standing.play),
    ...(made === undefined ? {} : { made: { module, args: made, on: at.task.on } }),
  });
  run.owing.add(at, needsOf(run, at.task, wanted));
}

/** What restores the temporary change of this step; undefined where it makes none, or a name in it is not known. */
export async function restoredBy(run: Run, step: Step, standing: Standing): Promise<Wanted | undefined> {
  const { temporary } = step;
  if (temporary === undefined) return undefined;
  const bound = await think(run, (peek) =>
    renderArgs(run, temporary.module, temporary.args, scopeOf(run, { ...standing, step }, peek, [])),
  );
  return bound.is === 'bound' ? { module: temporary.module, args: bound.args, on: subjectOf(standing) } : undefined;
}

/** With the steps that the `id` names, as this run has them: a file of steps may be imported more than once. A play that goes on without hosts keeps no run open for one. */
function restoringOf(run: Run, { noRestoreAfter: wanted }: Temporary, play: Play | undefined): Restoring {
  const steps = run.project.playbook.plays
    .flatMap((play) => play.steps)
    .flatMap(({ id, path, name }) => (id !== undefined && id === wanted ? [{ step: path, name }] : []));
  return {
    ...(wanted === undefined ? {} : { noRestoreAfter: steps }),
    ...(play?.onHostFailure === 'continue' ? { bestEffort: true as const } : {}),
  };
}

/** Takes over the temporary changes that an earlier part of the run has not restored. */
export function takeOver(run: Run): void {
  for (const debt of run.journal.state.debts.values()) {
    const wanted = wantedOf(debt);
    if (wanted !== undefined) run.owing.add(debt, needsOf(run, debt.task, wanted));
  }
}

/** A step that sets, or finds, the state to which the temporary change of another step is restored, has restored it. */
export async function payWhatIsTrue(run: Run, by: TaskId, touched: readonly Touch[]): Promise<void> {
  for (const debt of run.owing.concernedBy(touched, run.journal.state)) {
    const wanted = wantedOf(debt);
    if (taskKey(debt.task) === taskKey(by) || wanted === undefined) continue;
    if (await holds(run, debt, wanted)) run.journal.emit({ e: 'paid', task: debt.task, by: 'step' });
  }
}

/** Would ending this temporary change leave nothing to do? False when it cannot be known. */
export async function holds(run: Run, debt: { readonly task: TaskId }, wanted: Wanted): Promise<boolean> {
  const module = moduleOf(run, wanted.module);
  const at = { task: debt.task, timeMs: run.clock.nowMs() };
  const decided = await think(run, (peek) => decideArgs(run, module, wanted.args, at, peek));
  return decided.is === 'verdict' && decided.verdict.is === 'ok';
}

/** The facts that decide whether this is so. */
export const needsOf = (run: Run, task: TaskId, wanted: Wanted): readonly FactRef[] =>
  Object.values(moduleOf(run, wanted.module).needs(wanted.args, { task, timeMs: 0 }));

export function moduleOf(run: Run, name: string): AnyModule {
  const module = run.modules.get(name);
  if (module === undefined) throw new Error(`no module ${name}`);
  return module;
}
