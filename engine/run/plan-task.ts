import type { Need } from '../terms/fact.js';
import type { AnyModule } from '../terms/module.js';
import { touchesOf } from './bind.js';
import { decideTask, type TaskAt } from './decide.js';
import { registerTemporary, noteRestored } from './temporary-changes.js';
import type { Run } from './run.js';
import { hintOf, settleUndecided, toldOf, warn, type TaskEnd } from './settle.js';

/** A plan: what would be done is reported, and overrides the facts for the steps after it. */
export async function planTask(run: Run, at: TaskAt, ahead: () => readonly Need[]): Promise<TaskEnd> {
  const { step, task, module } = at;
  const told = toldOf(at);
  run.planTime.ms += 1;
  const decided = await decideTask(run, at, ahead);
  if (decided.is === 'skip')
    return (run.journal.emit({ e: 'task-skipped', task, name: step.name, because: decided.because }), 'well');
  if (decided.is === 'failed' || decided.is === 'wrong') return settleUndecided(run, at, decided);
  if (decided.is === 'unknown') {
    const touches = step.dryRun === true ? [] : touchesOf(module, task, decided.args, run.planTime.ms);
    run.facts.layUnknown(touches, { because: `"${step.name}" is known after apply`, dependsOn: [step.path] });
    run.journal.emit({ e: 'undecided', ...told, because: decided.because, dependsOn: decided.dependsOn, touches });
    await registerTemporary(run, at);
    return 'well';
  }
  const { verdict } = decided;
  if (verdict.is === 'change') {
    run.facts.layPredictions(verdict.change.touches, verdict.change.predicts, {
      because: `"${step.name}" changes it`,
      dependsOn: [step.path],
    });
    run.journal.emit({
      e: 'checked',
      ...told,
      verdict: 'change',
      because: verdict.change.summary,
      change: verdict.change,
      ...(step.runOnce || at.position.play?.runOnce === true ? { once: true as const } : {}),
    });
    warn(run, at, verdict.change.warnings ?? []);
    await registerTemporary(run, at);
    await noteRestored(run, task, verdict.change.touches);
    return 'well';
  }
  if (verdict.is === 'waiting')
    return (run.journal.emit({ e: 'checked', ...told, verdict: 'waiting', because: verdict.for }), 'well');
  if (verdict.is === 'blocked') {
    run.journal.emit({
      e: 'settled',
      ...told,
      as: 'blocked',
      changed: false,
      reason: verdict.reason,
      ...hintOf(verdict),
      tookMs: 0,
    });
    return 'failed';
  }
  run.journal.emit({
    e: 'settled',
    ...told,
    as: 'ok',
    changed: false,
    reason: verdict.because,
    ...(verdict.value === undefined ? {} : { value: verdict.value }),
    tookMs: 0,
  });
  if (!areOutdated(run, module)) warn(run, at, verdict.warnings ?? []);
  await registerTemporary(run, at);
  await noteRestored(run, task, module.touches(decided.args, { task, timeMs: run.planTime.ms }));
  return 'well';
}

/** The warnings of a module depend on a fact that an earlier step of the plan changes on some host. */
const areOutdated = (run: Run, { warningsDependOn = [] }: AnyModule): boolean =>
  warningsDependOn.some((fact) => run.facts.predicts(fact));
