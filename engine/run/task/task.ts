import { isSettledWell, type TaskState } from '../../journal/state.js';
import type { Need } from '../../terms/fact.js';
import type { Step } from '../../terms/playbook.js';
import { taskKey } from '../../terms/task.js';
import { Attempt } from './attempt.js';
import { awaitEarlier } from './await-job.js';
import { taskOf } from './bind.js';
import { enterBlocks } from './blocks.js';
import type { TaskAt } from './decide.js';
import { lookTask, notFound } from './look.js';
import { planTask } from './plan-task.js';
import type { Run } from '../run.js';
import type { Position } from '../position.js';
import { defectOfTask, defectText } from './defect.js';
import { endOf, settled, warn, type TaskEnd } from './settle.js';

const STILL_RUNNING = 'what an earlier attempt started is still running on the host; another is not started beside it';

/**
 * One step on one host, from its facts to its settlement: the same road for a plan, an apply and a resume.
 *
 * A step with a `remedy` only reads, and so does each step of a diagnosis (look.ts).
 *
 *     bind → decide → ok ─────────────────────────────▶ settled ok | done
 *               │ ▲      waiting → sleep ─┐
 *               │ └──────── ask again ◀───┤
 *               └→ change → intent → perform ─▶ failed ─▶ retry? ─▶ settled failed
 */
export async function runTask(
  run: Run,
  step: Step,
  position: Position,
  ahead: () => readonly Need[],
): Promise<TaskEnd> {
  const module = run.modules.get(step.module);
  if (module === undefined) throw new Error(`no module ${step.module}: the playbook was not validated`);
  return runTaskAt(run, { step, position, task: taskOf(step, position), module }, ahead);
}

/** The same for a task that is already placed. What is thrown within it ends this task, not the run. */
export async function runTaskAt(run: Run, at: TaskAt, ahead: () => readonly Need[] = () => []): Promise<TaskEnd> {
  const stateOf = (): TaskState | undefined => run.journal.state.tasks.get(taskKey(at.task));
  const { settled: before } = stateOf() ?? {};
  try {
    return await attempted(run, at, ahead);
  } catch (error) {
    const defect = defectOfTask(run, at.task, error);
    const { settled: recorded, skipped, open } = stateOf() ?? {};
    // Thrown behind the record of how the task ended, by whoever was shown it: the record stands.
    if (skipped !== undefined || (recorded !== undefined && recorded !== before)) {
      warn(run, at, [{ text: defect.reason, hint: defect.hint }]);
      return recorded === undefined ? 'well' : endOf(recorded.as);
    }
    if (isLook(run, at)) return notFound(run, at, defectText(defect));
    return settled(run, at, { as: 'failed', changed: open !== undefined, ...defect, tookMs: 0 });
  }
}

async function attempted(run: Run, at: TaskAt, ahead: () => readonly Need[]): Promise<TaskEnd> {
  // What is required is asked again in each process that continues the run.
  if (at.step.required !== true && isSettledWell(run.journal.state.tasks.get(taskKey(at.task)))) return 'well';
  await enterBlocks(run, at.step, at.position);
  if (isLook(run, at)) return lookTask(run, at, ahead);
  if (run.actor === undefined) return planTask(run, at, ahead);
  const attempt = new Attempt(run, at);
  const earlier = await awaitEarlier(run, run.actor, at.task);
  if (earlier?.is === 'running') return attempt.fail({ reason: STILL_RUNNING });
  if (earlier?.is === 'unreachable') return attempt.fail({ as: 'unreachable', reason: earlier.reason });
  return attempt.settle(ahead);
}

/** In a diagnosis nothing that is found stops anything. */
const isLook = ({ options }: Run, { step }: TaskAt): boolean =>
  step.remedy !== undefined || options.diagnosing === true;
