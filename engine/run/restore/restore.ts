import pLimit from 'p-limit';
import { isBestEffort, keptSince } from '../../journal/kept.js';
import { restoringTask, type TemporaryChange } from '../../journal/state.js';
import type { NotRestored } from '../../terms/event.js';
import type { Wanted } from '../../terms/change.js';
import type { Step } from '../../terms/playbook.js';
import { taskKey, type TaskId } from '../../terms/task.js';
import { moduleOf } from './temporary-changes.js';
import { isGivenUp, type Run } from '../run.js';
import { runTaskAt } from '../task/task.js';

export interface RestoreOptions {
  readonly by: 'end' | 'close';
  /** Of which a resume needs the changes again: where plays are left, all; where all were gone through, those that are not done with. */
  readonly again: 'all' | 'plays left open';
}

/**
 * Restores these temporary changes in the order in which they were made, those of one step on their hosts in parallel. True when all
 * were restored, or `close` leaves the rest; what could not be restored stays recorded as not restored yet.
 *
 * Not the last one first: these changes are no stack of which each stands on the one before, but a thing made ready and then the
 * parts that used it taken away. The first restricts (shards may not move, a repository is opened), the later ones stop services.
 * A service that is started comes back to something whole only when the restriction is lifted before it (the playbooks lift allocation first,
 * and start what writes and reads afterwards). Nothing that is restored needs a repository any more.
 */
export async function restore(
  run: Run,
  temporaryChanges: readonly TemporaryChange[],
  how: RestoreOptions,
): Promise<boolean> {
  const limit = pLimit(Math.max(1, run.options.forks));
  let all = true;
  for (const together of byStep(temporaryChanges)) {
    const given = await Promise.all(
      together.map((temporaryChange) => limit(() => restoreOne(run, temporaryChange, how))),
    );
    all &&= given.every(Boolean);
  }
  return all;
}

/** Neighbours of one step, in their order. */
function byStep(temporaryChanges: readonly TemporaryChange[]): readonly (readonly TemporaryChange[])[] {
  const groups: TemporaryChange[][] = [];
  for (const temporaryChange of temporaryChanges) {
    const last = groups.at(-1);
    if (last?.[0]?.task.step === temporaryChange.task.step) last.push(temporaryChange);
    else groups.push([temporaryChange]);
  }
  return groups;
}

async function restoreOne(run: Run, temporaryChange: TemporaryChange, { by, again }: RestoreOptions): Promise<boolean> {
  const wanted = temporaryChange.restoredBy;
  // It stays recorded as not restored yet.
  if ('host' in temporaryChange.task.on && isGivenUp(run, temporaryChange.task.on.host)) return true;
  const task = restoringTask(temporaryChange.task);
  run.journal.emit({
    e: 'temporary-restoring',
    task: temporaryChange.task,
    again: isNeededAgain(run, temporaryChange, again),
  });
  const end = await runTaskAt(run, {
    step: stepFor(task, temporaryChange, wanted),
    position: {},
    task,
    module: moduleOf(run, wanted.module),
    args: wanted.args,
  });
  // One of perhaps thousands of hosts that is off keeps no run open: it is reported at the end, and the next run restores the change there.
  if (end === 'unreachable' && by === 'close' && isBestEffort(temporaryChange)) return true;
  if (end !== 'well') return false;
  if (run.journal.state.temporaryChanges.has(taskKey(temporaryChange.task)))
    run.journal.emit({ e: 'temporary-restored', task: temporaryChange.task, by });
  return true;
}

function isNeededAgain(run: Run, { task }: TemporaryChange, again: RestoreOptions['again']): boolean {
  if (again === 'all') return true;
  return [...run.journal.state.plays].some(([path, { ended }]) => !ended && task.step.startsWith(`${path}/`));
}

/** On a failure: which temporary changes are restored at once, and which are kept because restoring them does harm now. */
export function splitByFailure(run: Run): {
  readonly give: readonly TemporaryChange[];
  readonly keep: readonly TemporaryChange[];
} {
  const { state } = run.journal;
  const temporaryChanges = [...state.temporaryChanges.values()];
  const keeps = (temporaryChange: TemporaryChange): boolean => keptSince(state, temporaryChange) !== undefined;
  return { give: temporaryChanges.filter((d) => !keeps(d)), keep: temporaryChanges.filter(keeps) };
}

export const notRestored = (run: Run): readonly NotRestored[] =>
  [...run.journal.state.temporaryChanges.values()].map(({ task, name, restoring }) => ({ task, name, restoring }));

/** The task that restores a temporary change has a title that says which step it restores: `Restore what "Stop the database" changed`. */
const stepFor = (task: TaskId, temporaryChange: TemporaryChange, wanted: Wanted): Step => ({
  path: task.step,
  name: `Restore what "${temporaryChange.name}" changed`,
  module: wanted.module,
  args: wanted.args,
  blocks: [],
  tags: [],
  vars: {},
  runOnce: false,
  retries: 2,
  at: { file: '', line: 0, column: 0 },
});
