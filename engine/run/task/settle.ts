import { defined } from '../../lib/defined.js';
import type { Settled, Stop } from '../../terms/event.js';
import { hintText, warningText, type Hint, type Warning } from '../../terms/hint.js';
import type { Json } from '../../terms/json.js';
import type { TaskId } from '../../terms/task.js';
import type { TaskAt } from './decide.js';
import type { Failed } from './decision.js';
import { leftOutOf } from '../left-out.js';
import type { Run } from '../run.js';

/** How a task ended, for the play that runs it. A stop: it only waited, and waits again in a resume. */
export type TaskEnd = 'well' | 'failed' | 'unreachable' | Stop;

/** How events name a task: by its step's title and section. */
export interface StepLabel {
  readonly task: TaskId;
  readonly name: string;
  readonly spec?: string;
}

export const stepLabel = ({ step, task }: TaskAt): StepLabel => defined({ task, name: step.name, spec: step.spec });

export interface Settlement {
  readonly as: Settled;
  readonly changed: boolean;
  readonly reason?: string | undefined;
  readonly hint?: Hint | undefined;
  readonly unsure?: true | undefined;
  readonly value?: Json | undefined;
  readonly tookMs: number;
}

/**
 * Records how a task ended. A host that does not answer is lost: the run goes on without it, or ends. The failure of a step whose severity
 * is `warning` is reported as a warning, and the run continues.
 */
export function settled(run: Run, at: TaskAt, settlement: Settlement): TaskEnd {
  const { as, changed, reason, hint: said, unsure, value, tookMs } = asWarning(run, at, settlement);
  const hint = as === 'blocked' ? withWaiver(run, at, said) : said;
  const { on } = at.task;
  if (as === 'unreachable' && 'host' in on) {
    const { host } = on;
    const why = { reason: reason ?? '', hint: hint === undefined ? undefined : hintText(hint) };
    const address = run.hosts.get(host)?.address;
    run.journal.emit(defined({ e: 'host-lost' as const, host, address, ...why, ...leftOutOf(run, host) }));
  }
  if (at.step.required === true && as === 'ok') {
    // Asked of each host, and the same on all: that it holds is said once.
    if (run.requirementsMet.has(at.step.path)) return 'well';
    run.requirementsMet.add(at.step.path);
  }
  run.journal.emit(
    defined({ e: 'settled' as const, ...stepLabel(at), as, changed, reason, hint, unsure, value, tookMs }),
  );
  return endOf(as);
}

/** With how a requirement is waived, where it can be. */
function withWaiver(run: Run, { step: { required, check } }: TaskAt, hint: Hint | undefined): Hint | undefined {
  if (required !== true || check === undefined || typeof hint === 'object') return hint;
  if (run.project.platform.checks[check]?.waivable === false) return hint;
  const waiver = `--waive ${check} --reason TEXT goes on without this rule`;
  return hint === undefined ? waiver : `${hint}; ${waiver}`;
}

export const endOf = (as: Settled): TaskEnd =>
  as === 'done' || as === 'ok' ? 'well' : as === 'unreachable' ? 'unreachable' : 'failed';

function asWarning(run: Run, at: TaskAt, settlement: Settlement): Settlement {
  const { as, changed, reason = '', hint } = settlement;
  if (at.step.failureWarns !== true || (as !== 'failed' && as !== 'blocked')) return settlement;
  // A requirement was waived with the knowledge of what its hint says.
  const isWaived = at.step.required === true;
  const text = `${isWaived ? 'waived: ' : ''}${at.step.name}: ${reason}`;
  warn(run, at, [hint === undefined || isWaived ? text : { text, hint }]);
  return {
    ...settlement,
    as: changed ? 'done' : 'ok',
    reason: `failed, which is a warning: ${reason}`,
    hint: undefined,
  };
}

/** A task whose facts could not be read, or whose arguments do not fit. */
export const settleFailed = (run: Run, at: TaskAt, { reason, hint, unreachable }: Failed): TaskEnd =>
  settled(run, at, { as: unreachable === 'own' ? 'unreachable' : 'failed', changed: false, reason, hint, tookMs: 0 });

export function skipped(run: Run, { step, task }: TaskAt, because: string): TaskEnd {
  run.journal.emit({ e: 'task-skipped', task, name: step.name, because });
  return 'well';
}

/** Reports the warnings of a step that succeeded, each sentence once. */
export function warn(run: Run, { step, task }: TaskAt, warnings: readonly Warning[]): void {
  for (const [, warning] of new Map(warnings.map((one) => [warningText(one), one]))) {
    const sentence = typeof warning === 'string' ? { text: warning } : warning;
    run.journal.emit(defined({ e: 'warned' as const, task, ...sentence, spec: step.spec }));
  }
}
