import { cut } from '../../expressions/value.js';
import { defined } from '../../lib/defined.js';
import type { Change, Touch } from '../../terms/change.js';
import type { Truth } from '../../terms/condition.js';
import type { Cause, Need } from '../../terms/fact.js';
import { isObject, type Json } from '../../terms/json.js';
import type { AnyModule } from '../../terms/module.js';
import { touchesOf, whyDue } from './bind.js';
import { decideWithReads, type TaskAt } from './decide.js';
import type { Decided } from './decision.js';
import { changedBy, readableBy } from './changed-by.js';
import { goesOnWithout } from '../left-out.js';
import { namedTouches } from './named-touches.js';
import { certainFailure } from './certain-failure.js';
import { registerTemporary, noteRestored } from '../restore/temporary-changes.js';
import type { Run } from '../run.js';
import { isTold } from './unsure.js';
import { settled, settleFailed, skipped, stepLabel, warn, type TaskEnd } from './settle.js';

/** A plan: what would be done is reported, and overrides the facts for the steps after it. */
export async function planTask(run: Run, at: TaskAt, ahead: () => readonly Need[]): Promise<TaskEnd> {
  run.planTime.ms += 1;
  const { module } = at;
  const { decision, reads } = await decideWithReads(run, at, ahead);
  switch (decision.is) {
    case 'skip':
      return skipped(run, at, decision.because);
    case 'failed':
      return decision.unread === true
        ? planUnknown(run, at, { ...NO_STEP, because: decision.reason }, reads)
        : settleFailed(run, at, decision);
    case 'blocked':
      if (decision.unsure !== undefined && (await isTold(run, at, decision.unsure))) return planTask(run, at, ahead);
      return planBlocked(run, at, decision, reads);
    case 'waiting':
      return decision.unknown === undefined
        ? planWait(run, at, decision, reads)
        : planUnknown(run, at, { ...decision.unknown, args: decision.args }, reads);
    case 'unknown':
      return planUnknown(run, at, decision, reads);
    case 'change':
      return planChange(run, at, decision);
    case 'ok': {
      const later = laterIn(module, decision);
      return later === undefined
        ? planNothing(run, at, decision)
        : planUnknown(run, at, { ...later, args: decision.args }, reads);
    }
  }
}

/** What is warned of may not be so once the step is done on which it hangs. */
function laterIn({ conditions = [] }: AnyModule, { warnings = [], args }: Decided<'ok'>): Cause | undefined {
  if (warnings.length === 0 || !isObject(args)) return undefined;
  const truths = conditions.map((key: string) => args[key] as Truth | undefined);
  return truths.find((truth) => truth?.is === 'unknown' && truth.dependsOn.length > 0) as Cause | undefined;
}

/** What endpoints answer when the wait is over is another answer than now. */
function planWait(run: Run, at: TaskAt, decision: Decided<'waiting'>, reads: readonly Need[]): TaskEnd {
  const { step } = at;
  const answers = reads.filter(({ of }) => 'endpoint' in of);
  run.facts.layUnknown(answers, { because: `"${step.name}" waits for it`, dependsOn: [step.path] });
  run.journal.emit({ e: 'checked', ...stepLabel(at), verdict: 'waiting', because: decision.for });
  return 'well';
}

/** What the rest of a run does before a check may be what makes it hold. A requirement looks at what is there before all that. */
async function planBlocked(
  run: Run,
  at: TaskAt,
  { reason, hint, unsure, args }: Decided<'blocked'>,
  reads: readonly Need[],
): Promise<TaskEnd> {
  if (unsure !== undefined && run.askOperator !== undefined) {
    const because = `asks whether it was done: ${unsure}`;
    return planUnknown(run, at, { because, dependsOn: [at.step.path], args }, reads);
  }
  const mayHold = run.isRest && at.step.required !== true && unsure === undefined;
  const cause = mayHold ? changedBy(run, reads, at.position.play?.path) : undefined;
  if (cause === undefined) return settled(run, at, { as: 'blocked', changed: false, reason, hint, tookMs: 0 });
  return planUnknown(run, at, { ...cause, because: cut(`${cause.because}; now: ${reason}`, 100), args }, reads);
}

const NO_STEP = { dependsOn: [] } as const;
type Unknown = Cause & { readonly args?: Json };

/** What a step does is known after apply; what it touches is unknown to the steps after it. */
export async function planUnknown(run: Run, at: TaskAt, decided: Unknown, reads: readonly Need[]): Promise<TaskEnd> {
  const { step, task, module } = at;
  const later = decided.dependsOn.length > 0 ? undefined : readableBy(run, reads);
  const { because, dependsOn, args } = later === undefined ? decided : { ...decided, ...later };
  if (dependsOn.length === 0 && step.failureWarns === true)
    return settled(run, at, { as: 'failed', changed: false, reason: because, tookMs: 0 });
  const touches =
    step.dryRun === true ? [] : [...touchesOf(module, task, args, run.planTime.ms), ...namedTouches(run, at, args)];
  run.facts.layUnknown(touches, { because: `"${step.name}" is known after apply`, dependsOn: [step.path] });
  const leavesActive = args === undefined || touches.length === 0 ? undefined : module.leavesActive?.(args);
  notePlanned(run, at, touches, args);
  const unread = dependsOn.length > 0 ? undefined : isPassedOver(run, at) ? 'continues' : 'stops';
  if (unread === 'stops') run.unread.add(step.name);
  const text = { because, dependsOn, touches };
  run.journal.emit({ e: 'undecided', ...stepLabel(at), ...text, ...defined({ unread, leavesActive } as const) });
  await registerTemporary(run, at);
  // One that is named as what restores a change counts as that, whatever it finds to do.
  await noteRestored(run, task, []);
  return 'well';
}

const isPassedOver = (run: Run, { position: { play } }: TaskAt): boolean =>
  play !== undefined && goesOnWithout(run, play);

/** For the steps after it. What only looks or asks, and what the engine keeps for itself, changes nothing that they read. */
function notePlanned(
  run: Run,
  { step, task, module, position }: TaskAt,
  touches: readonly Touch[],
  args?: Json,
  change?: Change,
): void {
  const isNoAct = module.onlyLooks === true || step.dryRun === true || change?.bookkeeping === true;
  if (isNoAct || change?.actions.every((action) => action.do === 'ask') === true) return;
  const left = args === undefined ? {} : (module.leavesActive?.(args) ?? {});
  run.plannedActs.add({
    ...{ play: position.play?.path, step: step.path, name: step.name, on: task.on, touches },
    runs: change === undefined || change.actions.some((action) => action.do === 'run' || action.do === 'job'),
    stops: Object.keys(left).filter((unit) => left[unit] === false),
  });
}

async function planChange(run: Run, at: TaskAt, { change: decided, args }: Decided<'change'>): Promise<TaskEnd> {
  const { step, task, position } = at;
  const change = { ...decided, touches: [...decided.touches, ...namedTouches(run, at, args)] };
  const refusal = await certainFailure(run, task.on, change);
  if (refusal !== undefined) return settled(run, at, { as: 'blocked', changed: false, ...refusal, tookMs: 0 });
  const due = run.options.explains === true ? await whyDue(run, step, position) : [];
  const cause = { because: `"${step.name}" changes it`, dependsOn: [step.path] };
  run.facts.layPredictions(change.touches, change.predicts, cause);
  notePlanned(run, at, change.touches, args, change);
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
