import { defined } from '../../lib/defined.js';
import type { Need } from '../../terms/fact.js';
import type { AnyModule } from '../../terms/module.js';
import { touchesOf, whyDue } from './bind.js';
import { decideWithReads, type TaskAt } from './decide.js';
import type { Decided } from './decision.js';
import { registerTemporary, noteRestored } from '../restore/temporary-changes.js';
import type { Run } from '../run.js';
import { isTold } from './unsure.js';
import { settled, settleFailed, skipped, stepLabel, warn, type TaskEnd } from './settle.js';

/** A plan: what would be done is reported, and overrides the facts for the steps after it. */
export async function planTask(run: Run, at: TaskAt, ahead: () => readonly Need[]): Promise<TaskEnd> {
  run.planTime.ms += 1;
  const { decision, reads } = await decideWithReads(run, at, ahead);
  switch (decision.is) {
    case 'skip':
      return skipped(run, at, decision.because);
    case 'failed':
      return settleFailed(run, at, decision);
    case 'blocked': {
      const { reason, hint, unsure, args } = decision;
      if (unsure !== undefined && (await isTold(run, at, unsure))) return planTask(run, at, ahead);
      if (unsure !== undefined && run.askOperator !== undefined)
        return planUnknown(run, at, {
          is: 'unknown',
          because: `asks whether it was done: ${unsure}`,
          dependsOn: [at.step.path],
          args,
        });
      return settled(run, at, { as: 'blocked', changed: false, reason, hint, tookMs: 0 });
    }
    case 'waiting':
      return planWait(run, at, decision, reads);
    case 'unknown':
      return planUnknown(run, at, decision);
    case 'change':
      return planChange(run, at, decision);
    case 'ok':
      return planNothing(run, at, decision);
  }
}

/** What endpoints answer when the wait is over is another answer than now. */
function planWait(run: Run, at: TaskAt, decision: Decided<'waiting'>, reads: readonly Need[]): TaskEnd {
  const { step } = at;
  const answers = reads.filter(({ of }) => 'endpoint' in of);
  run.facts.layUnknown(answers, { because: `"${step.name}" waits for it`, dependsOn: [step.path] });
  run.journal.emit({ e: 'checked', ...stepLabel(at), verdict: 'waiting', because: decision.for });
  return 'well';
}

async function planUnknown(run: Run, at: TaskAt, { because, dependsOn, args }: Decided<'unknown'>): Promise<TaskEnd> {
  const { step, task, module } = at;
  const touches = step.dryRun === true ? [] : touchesOf(module, task, args, run.planTime.ms);
  run.facts.layUnknown(touches, { because: `"${step.name}" is known after apply`, dependsOn: [step.path] });
  const leavesActive = args === undefined || touches.length === 0 ? undefined : module.leavesActive?.(args);
  run.journal.emit({ e: 'undecided', ...stepLabel(at), because, dependsOn, touches, ...defined({ leavesActive }) });
  await registerTemporary(run, at);
  return 'well';
}

async function planChange(run: Run, at: TaskAt, { change }: Decided<'change'>): Promise<TaskEnd> {
  const { step, task, position } = at;
  const due = run.options.explains === true ? await whyDue(run, step, position) : [];
  const cause = { because: `"${step.name}" changes it`, dependsOn: [step.path] };
  run.facts.layPredictions(change.touches, change.predicts, cause);
  run.journal.emit({
    e: 'checked',
    ...stepLabel(at),
    ...{ verdict: 'change', because: change.summary, change },
    ...(due.length === 0 ? {} : { due }),
    ...(step.runOnce || position.play?.runOnce === true ? { once: true as const } : {}),
  });
  warn(run, at, change.warnings ?? []);
  await registerTemporary(run, at);
  await noteRestored(run, task, change.touches);
  return 'well';
}

async function planNothing(
  run: Run,
  at: TaskAt,
  { because, value, warnings = [], args }: Decided<'ok'>,
): Promise<TaskEnd> {
  const { task, module } = at;
  settled(run, at, { as: 'ok', changed: false, reason: because, value, tookMs: 0 });
  if (!areOutdated(run, module)) warn(run, at, warnings);
  await registerTemporary(run, at);
  await noteRestored(run, task, module.touches(args, { task, timeMs: run.planTime.ms }));
  return 'well';
}

/** The warnings of a module depend on a fact that an earlier step of the plan changes on some host. */
const areOutdated = (run: Run, { warningsDependOn = [] }: AnyModule): boolean =>
  warningsDependOn.some((fact) => run.facts.predicts(fact));
