import { keyOf } from '../terms/subject.js';
import { isSettledWell, type Debt, type RunState, type TaskState } from './state.js';

/** The step that was begun and since which giving this change back on a failure does harm (`keep_after`); undefined where none was. */
export function keptSince(state: RunState, { onFailure, task, name }: Debt): string | undefined {
  if (typeof onFailure !== 'object') return undefined;
  const after = onFailure.keep_after;
  const inPlay = `${task.step.slice(0, -name.length)}${after}`;
  const isBegun = (t: TaskState): boolean => t.attempts > 0 || isSettledWell(t);
  // In the change's own play it counts only on the change's own host.
  const reaches = (t: TaskState): boolean => t.task.step !== inPlay || keyOf(t.task.on) === keyOf(task.on);
  // By steps, of which there are few: a fleet has as many changes as hosts.
  const named = [...state.byStep.values()].filter(([t]) => t?.name === after);
  return named.some((tasks) => tasks.some((t) => isBegun(t) && reaches(t))) ? after : undefined;
}

/** Whether it holds on nobody looks (`watched: false`), so it harms nobody where it is left. */
export const isUnwatched = ({ onFailure }: Debt): boolean =>
  typeof onFailure === 'object' && onFailure.watched === false;
