import { restoringTask } from '../../journal/state.js';
import type { Touch, Wanted } from '../../terms/change.js';
import type { FactRef } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import type { AnyModule } from '../../terms/module.js';
import type { Play, Step, Temporary } from '../../terms/playbook.js';
import type { Restoring } from '../../terms/restoring.js';
import { taskKey, type TaskId } from '../../terms/task.js';
import { renderArgs } from '../task/bind.js';
import { decideArgs, type TaskAt } from '../task/decide.js';
import type { Run } from '../run.js';
import { scopeOf } from '../facts/scope.js';
import { subjectOf, type Position } from '../position.js';
import { resolveFacts } from '../facts/resolve-facts.js';

/**
 * Records how a temporary change is restored, before it is made, and also when the step is unchanged: an earlier run may have left
 * it so. The restored value is the written one, never what was found. `made` are the arguments that hold until it is restored.
 */
export async function registerTemporary(run: Run, at: TaskAt, made?: Json): Promise<void> {
  const { temporary, module, name } = at.step;
  if (temporary === undefined || run.journal.state.temporaryChanges.has(taskKey(at.task))) return;
  const wanted = await restoredBy(run, at.step, at.position);
  if (wanted === undefined) return;
  const restoring = restoringOf(run, temporary, at.position.play);
  run.journal.emit({
    e: 'temporary-made',
    task: at.task,
    name,
    restoredBy: wanted,
    restoring,
    ...(made === undefined ? {} : { made: { module, args: made, on: at.task.on } }),
  });
  run.temporaryIndex.add({ task: at.task, restoring }, needsOf(run, at.task, wanted));
}

/** What restores the temporary change of this step; undefined where it makes none, or a name in it is not known. */
export async function restoredBy(run: Run, step: Step, position: Position): Promise<Wanted | undefined> {
  const { temporary } = step;
  if (temporary === undefined) return undefined;
  const bound = await resolveFacts(run, (lookup) =>
    renderArgs(run, temporary.module, temporary.args, scopeOf(run, { ...position, step }, lookup, [])),
  );
  return bound.is === 'bound' ? { module: temporary.module, args: bound.args, on: subjectOf(position) } : undefined;
}

/** With the steps that the `id` names, as this run has them: a file of steps may be imported more than once. A play that goes on without hosts keeps no run open for one. */
function restoringOf(run: Run, { noRestoreAfter, restoredBy }: Temporary, play: Play | undefined): Restoring {
  const steps = (wanted: string): NonNullable<Restoring['noRestoreAfter']> =>
    run.project.playbook.plays
      .flatMap((play) => play.steps)
      .flatMap(({ id, path, name }) => (id === wanted ? [{ step: path, name }] : []));
  return {
    ...(noRestoreAfter === undefined ? {} : { noRestoreAfter: steps(noRestoreAfter) }),
    ...(restoredBy === undefined ? {} : { restoredBy: steps(restoredBy).map(({ step }) => step) }),
    ...(play?.onHostFailure === 'continue' ? { bestEffort: true as const } : {}),
  };
}

/** Takes over the temporary changes that an earlier part of the run has not restored. */
export function takeOver(run: Run): void {
  for (const temporaryChange of run.journal.state.temporaryChanges.values()) {
    run.temporaryIndex.add(temporaryChange, needsOf(run, temporaryChange.task, temporaryChange.restoredBy));
  }
}

/** A step that sets, or finds, the state to which the temporary change of another step is restored, has restored it; so has one that it names. */
export async function noteRestored(run: Run, by: TaskId, touched: readonly Touch[]): Promise<void> {
  const { state } = run.journal;
  for (const { task } of run.temporaryIndex.restoredBy(by, state))
    run.journal.emit({ e: 'temporary-restored', task, by: 'step' });
  for (const temporaryChange of run.temporaryIndex.concernedBy(touched, state)) {
    if (taskKey(temporaryChange.task) === taskKey(by)) continue;
    if (await holds(run, temporaryChange, temporaryChange.restoredBy))
      run.journal.emit({ e: 'temporary-restored', task: temporaryChange.task, by: 'step' });
  }
}

/** Would ending this temporary change leave nothing to do? False when it cannot be known. */
export async function holds(run: Run, temporaryChange: { readonly task: TaskId }, wanted: Wanted): Promise<boolean> {
  const module = moduleOf(run, wanted.module);
  // By the task that ends it: that its own command was run says nothing of the one that ends it.
  const at = { task: restoringTask(temporaryChange.task), timeMs: run.clock.nowMs() };
  const decided = await resolveFacts(run, (lookup) => decideArgs(run, module, wanted.args, at, lookup));
  return decided.is === 'ok';
}

/** The facts that decide whether this is so. */
export const needsOf = (run: Run, task: TaskId, wanted: Wanted): readonly FactRef[] =>
  Object.values(moduleOf(run, wanted.module).needs(wanted.args, { task, timeMs: 0 }));

export function moduleOf(run: Run, name: string): AnyModule {
  const module = run.modules.get(name);
  if (module === undefined) throw new Error(`no module ${name}`);
  return module;
}
