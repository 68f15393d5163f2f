import { keyOf } from '../terms/subject.js';
import type { StepPath } from '../terms/task.js';
import { isSettledWell, tasksOf, type TemporaryChange, type RunState, type TaskState } from './state.js';

/** The step that was begun and since which restoring this change on a failure does harm (`no_restore_after`); undefined where none was. */
export function keptSince(state: RunState, { restoring, task }: TemporaryChange): string | undefined {
  const isBegun = (t: TaskState): boolean => t.attempts > 0 || isSettledWell(t);
  return restoring.noRestoreAfter?.find(({ step }) => {
    // In the change's own play it counts on the change's own host only: the drain of one server has nothing to do with the next server.
    const samePlay = playOf(step) === playOf(task.step);
    const reaches = (t: TaskState): boolean => !samePlay || keyOf(t.task.on) === keyOf(task.on);
    return tasksOf(state, step).some((t) => isBegun(t) && reaches(t));
  })?.name;
}

/** Titles hold no slash. */
const playOf = (step: StepPath): string => step.slice(0, step.lastIndexOf('/'));

/** An unreachable host does not keep the run open for it (its play continues without hosts that fail). */
export const isBestEffort = ({ restoring }: Pick<TemporaryChange, 'restoring'>): boolean =>
  restoring.bestEffort === true;
