import type { Stop } from '../terms/event.js';
import { warningText, type Hint, type Warning } from '../terms/hint.js';
import { keyOf } from '../terms/subject.js';
import type { TaskId } from '../terms/task.js';
import type { TaskAt } from './decide.js';
import { leftOutOf } from './left-out.js';
import type { Run } from './run.js';
import type { Failure } from './scope.js';

/** How a task ended, for the play that runs it. A stop: it only waited, and waits again in a resume. */
export type TaskEnd = 'well' | 'failed' | 'unreachable' | Stop;

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
  const lost = decided.is === 'failed' && decided.failure.why === 'unreachable' && isOwn(at, decided.failure);
  const reason = decided.is === 'failed' ? reasonOf(at, decided.failure) : decided.message;
  const hint = decided.is === 'failed' ? decided.failure.hint : undefined;
  const why = { reason, ...(hint === undefined ? {} : { hint }) };
  if (lost && 'host' in at.task.on)
    run.journal.emit({ e: 'host-lost', host: at.task.on.host, ...why, ...leftOutOf(run, at.task.on.host) });
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

/** Was it the task's own host that could not be asked? A condition may look at others. */
const isOwn = ({ task }: TaskAt, { of }: Failure): boolean => of === undefined || keyOf(of) === keyOf(task.on);

const reasonOf = (at: TaskAt, failure: Failure): string =>
  isOwn(at, failure) || failure.of === undefined || !('host' in failure.of)
    ? failure.reason
    : `${failure.of.host}: ${failure.reason}`;

/** Reports the warnings of a step that succeeded, each sentence once. */
export function warn(run: Run, { step, task }: TaskAt, warnings: readonly Warning[]): void {
  for (const [, warning] of new Map(warnings.map((one) => [warningText(one), one]))) {
    const told = typeof warning === 'string' ? { text: warning } : warning;
    run.journal.emit({ e: 'warned', task, ...told, ...(step.spec === undefined ? {} : { spec: step.spec }) });
  }
}

export const hintOf = (v: { readonly hint?: Hint }): { hint?: Hint } => (v.hint === undefined ? {} : { hint: v.hint });
