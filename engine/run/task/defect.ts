import { EndsRun } from '../../terms/ends-run.js';
import { keyOf } from '../../terms/subject.js';
import type { TaskId } from '../../terms/task.js';
import type { Run } from '../run.js';

/** Something that no code of ours expected was thrown within a task. */
export interface Defect {
  readonly reason: string;
  readonly hint: string;
}

/** More of a message would hide what stands beside it; the trace has all of it. */
const LONGEST = 200;

/**
 * What is reported of an error that was thrown within a task: the task fails, or its outcome is unknown, and the run goes on to restore what is
 * temporary. Throws the error again where the run must end upon it: in a plan, after the second Ctrl-C, and where nothing can be recorded.
 */
export function defectOf(run: Run, task: TaskId, error: unknown): Defect {
  const { keepTrace, signal, journal } = run;
  if (keepTrace === undefined || error instanceof EndsRun || signal?.aborted === true || journal.isBroken())
    throw error;
  const place = keepTrace(error, `${task.step} on ${keyOf(task.on)}`);
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const short = text.replace(/\s+/g, ' ').slice(0, LONGEST);
  // A file of the controller that cannot be read, a limit of its processes.
  const { syscall } = (error ?? {}) as { readonly syscall?: unknown };
  return {
    reason: typeof syscall === 'string' ? `on this machine: ${short}` : `a defect of runbook: ${short}`,
    hint: `this is no fault of the host; its trace is in ${place}`,
  };
}
