import { taskKey, type TaskId } from '../terms/task.js';
import type { RunState, TaskState } from './state.js';

/**
 * A temporary change that is being restored, or that was reverted outside the run, is no longer in effect. What was done after it in its
 * play depends on it: these tasks are decided again, however far the play has progressed.
 */
export function reopen(state: RunState, id: TaskId): void {
  const own = taskKey(id);
  const path = [...state.plays.keys()].filter((p) => own.startsWith(`${p}/`)).sort((a, b) => b.length - a.length)[0];
  const task = state.tasks.get(own);
  if (path === undefined || task === undefined) return;
  for (const other of onSameHost(state, path, id)) if (other.nth >= task.nth) other.again = true;
  delete task.settled;
  delete task.open;
  const play = state.plays.get(path);
  if (play === undefined) return;
  play.ended = false;
  play.left = play.left.filter((host) => !('host' in id.on && id.on.host === host));
}

/** The tasks of a play where this one is: by its steps, of which there are few, and not by its hosts. */
const onSameHost = (state: RunState, play: string, { on }: TaskId): readonly TaskState[] =>
  [...state.byStep.keys()].flatMap((step) => {
    const task = step.startsWith(`${play}/`) ? state.tasks.get(taskKey({ step, on })) : undefined;
    return task === undefined ? [] : [task];
  });
