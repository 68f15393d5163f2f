import { errorLine } from '../../lib/trace-text.js';
import { EndsRun } from '../../terms/ends-run.js';
import { keyOf } from '../../terms/subject.js';
import type { TaskId } from '../../terms/task.js';
import type { Run } from '../run.js';

/** Something that no code of ours expected was thrown. */
export interface Defect {
  readonly reason: string;
  readonly hint: string;
}

/** The same of an error within a task. */
export const defectOfTask = (run: Run, { step, on }: TaskId, error: unknown): Defect =>
  defectOf(run, `${step} on ${keyOf(on)}`, error);

/**
 * What is reported of an error that was thrown at this place: the task fails, or its outcome is unknown, or the play fails; and the run goes on
 * to restore what is temporary. Throws the error again where the run must end upon it: after the second Ctrl-C, and where nothing can be recorded.
 */
export function defectOf(run: Run, at: string, error: unknown): Defect {
  const { keepTrace, signal, journal } = run;
  if (keepTrace === undefined || error instanceof EndsRun || signal?.aborted === true || journal.isBroken())
    throw error;
  run.defects.add(at);
  const place = keepTrace(error, at);
  const short = errorLine(error);
  // A file of the controller that cannot be read, a limit of its processes.
  const { syscall } = (error ?? {}) as { readonly syscall?: unknown };
  return {
    reason: typeof syscall === 'string' ? `on this machine: ${short}` : `a defect of runbook: ${short}`,
    hint: `this is no fault of the host; its trace is in ${place}`,
  };
}

/** In one sentence, for what has no hint of its own. */
export const defectText = ({ reason, hint }: Defect): string => `${reason}; ${hint}`;
