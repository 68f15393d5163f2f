import type { TaskId } from '../terms/task.js';
import type { TaskAt } from './decide.js';
import type { Run } from './run.js';
import type { Failure } from './scope.js';

/** How a task ended, for the play that runs it. */
export type TaskEnd = 'well' | 'failed' | 'unreachable';

/** How events name a task: by its step's words and section. */
export interface Told {
  readonly task: TaskId;
  readonly name: string;
  readonly spec?: string;
}

export const toldOf = ({ step, task }: TaskAt): Told => ({
  task,
  name: step.name,
  ...(step.spec === undefined ? {} : { spec: step.spec }),
});

/** A step whose facts or arguments could not be had: the host is lost, or the step fails. */
export function settleUndecided(
  run: Run,
  at: TaskAt,
  decided: { is: 'failed'; failure: Failure } | { is: 'wrong'; message: string },
): TaskEnd {
  const lost = decided.is === 'failed' && decided.failure.why === 'unreachable';
  const reason = decided.is === 'failed' ? decided.failure.reason : decided.message;
  const hint = decided.is === 'failed' ? decided.failure.hint : undefined;
  const why = { reason, ...(hint === undefined ? {} : { hint }) };
  if (lost && 'host' in at.task.on) run.journal.emit({ e: 'host-lost', host: at.task.on.host, ...why });
  run.journal.emit({
    e: 'settled',
    ...toldOf(at),
    as: lost ? 'unreachable' : 'failed',
    changed: false,
    ...why,
    tookMs: 0,
  });
  return lost ? 'unreachable' : 'failed';
}

export const hintOf = (v: { readonly hint?: string }): { hint?: string } =>
  v.hint === undefined ? {} : { hint: v.hint };
