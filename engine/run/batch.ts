import pLimit from 'p-limit';
import { defined } from '../lib/defined.js';
import { isSettledWell } from '../journal/state.js';
import type { Need } from '../terms/fact.js';
import type { Play, Step } from '../terms/playbook.js';
import type { Stop } from '../terms/event.js';
import { taskKey } from '../terms/task.js';
import { actedOn } from './acted-on.js';
import type { Failed } from './task/decision.js';
import { defectOf, defectOfTask, defectText } from './task/defect.js';
import { taskOf } from './task/bind.js';
import { beginLoop, type NoList } from './task/loop.js';
import { READ_AHEAD, ReadAhead } from './read-ahead.js';
import { goesOnWithout } from './left-out.js';
import type { Run } from './run.js';
import type { Position } from './position.js';
import { moduleOf } from './restore/temporary-changes.js';
import { whyElsewhere } from './task/goal.js';
import { planUnknown } from './task/plan-task.js';
import { settleFailed, skipped, type TaskEnd } from './task/settle.js';
import { stopAsked } from './stop.js';
import { runTask } from './task/task.js';

/** How a play, or some hosts of it, ended. `stopped`: for this reason, at a safe point. */
export type PlayEnd =
  | { readonly is: 'done' }
  | { readonly is: 'stopped'; readonly stop: Stop; readonly notBegun?: true }
  | {
      readonly is: 'failed' | 'unreachable';
      readonly because: string;
      readonly goOn: boolean;
      /** It ended before it began. */
      readonly notBegun?: true;
    };

/** Hosts side by side, each through all steps. A step that runs once is done by whoever comes first; the others wait for it. */
export async function runBatch(
  run: Run,
  play: Play,
  steps: readonly Step[],
  hosts: readonly string[],
): Promise<PlayEnd> {
  const once = new Map<string, Promise<TaskEnd>>();
  const limit = pLimit(Math.max(1, run.options.forks));
  const positions: readonly Position[] = hosts.length === 0 ? [{ play }] : hosts.map((host) => ({ play, host }));
  // A host that was begun is completed: nothing is required of it any more, and it may not even answer yet.
  const begun = new Set(actedOn(run, play, hosts));
  const rest = begun.size === 0 ? steps : steps.filter(({ required }) => required !== true);
  const stepsOn = ({ host = '' }: Position): readonly Step[] => (begun.has(host) ? rest : steps);
  const ends = await Promise.all(
    positions.map((position) =>
      limit(() =>
        runSteps(run, stepsOn(position), position, once).catch((error: unknown) => failedAt(run, position, error)),
      ),
    ),
  );
  const bad = positions
    .filter((_, i) => ends[i] === 'failed' || ends[i] === 'unreachable')
    .map((s) => s.host ?? 'the controller');
  const goOn = goesOnWithout(run, play);
  const stop = ends.find((end) => typeof end === 'object');
  // A failure beside a pause ends the run as one: what is temporary is restored, and the failure is shown.
  if (stop !== undefined && (bad.length === 0 || goOn || stop.by !== 'pause')) return { is: 'stopped', stop };
  if (bad.length === 0) return { is: 'done' };
  const is = ends.includes('failed') ? 'failed' : 'unreachable';
  return {
    is,
    because: `${bad.slice(0, 10).join(', ')}${bad.length > 10 ? ` and ${bad.length - 10} more` : ''} ${is} in "${play.name}"`,
    goOn,
  };
}

async function runSteps(
  run: Run,
  steps: readonly Step[],
  position: Position,
  once: Map<string, Promise<TaskEnd>>,
): Promise<TaskEnd> {
  const readAhead = new ReadAhead(run, position);
  for (const [index, step] of steps.entries()) {
    // A host that was begun is completed where the play says so.
    const stop = index === 0 || position.play?.safePoint !== true ? stopAsked(run) : undefined;
    if (stop !== undefined) return stop;
    const paused = await pausedBefore(run, step, position, once);
    if (paused !== 'well') return paused;
    const elements = await beginLoop(run, step, position).catch((error: unknown) =>
      defectOfTask(run, taskOf(step, position), error),
    );
    if ('reason' in elements) {
      const end = await noElements(run, step, position, elements);
      if (end !== 'well') return end;
      continue;
    }
    for (const [nth, { step: one, position: at }] of elements.entries()) {
      const ahead = (): readonly Need[] => {
        const rest = steps.slice(index + 1, index + READ_AHEAD).map((later) => ({ step: later, position }));
        return readAhead.needs([...elements.slice(nth + 1), ...rest]);
      };
      const start = async (): Promise<TaskEnd> =>
        (await isWanted(run, one, at)) ? runTask(run, one, at, ahead) : 'well';
      const end = await (one.runOnce ? shared(once, one.path, () => doneElsewhere(run, one) ?? start()) : start());
      if (end !== 'well') return end;
    }
  }
  return 'well';
}

/** What is thrown between tasks fails this host: the others are at work, and nothing may be restored beside them. */
function failedAt(run: Run, { play, host }: Position, error: unknown): TaskEnd {
  const text = defectText(defectOf(run, `${play?.path ?? ''} on ${host ?? 'the controller'}`, error));
  run.journal.emit({ e: 'warned', text });
  return 'failed';
}

/** Of hosts side by side the first is asked about, and the others wait for the answer. What was done before is no place for a pause. */
function pausedBefore(
  run: Run,
  step: Step,
  position: Position,
  once: Map<string, Promise<TaskEnd>>,
): Promise<TaskEnd> | 'well' {
  const { goOn } = run;
  const { play } = position;
  if (goOn === undefined || play === undefined) return 'well';
  if (isSettledWell(run.journal.state.tasks.get(taskKey(taskOf(step, position))))) return 'well';
  return shared(once, `pause ${step.path}`, async () =>
    (await goOn({ before: play, step })) ? 'well' : { by: 'pause' },
  );
}

/** The step fails, for the list of its loop could not be made. In a plan the list may be known after apply, and with it the step. */
async function noElements(
  run: Run,
  step: Step,
  position: Position,
  why: NoList & Partial<Pick<Failed, 'hint'>>,
): Promise<TaskEnd> {
  const at = { step, position, task: taskOf(step, position), module: moduleOf(run, step.module) };
  const { unknown, reads = [], reason, hint } = why;
  // The step that records the list may be left out by the same condition.
  const elsewhere = unknown === undefined ? undefined : await whyElsewhere(run, step, position);
  if (elsewhere !== undefined) return skipped(run, at, elsewhere);
  if (unknown !== undefined && run.actor === undefined)
    return planUnknown(run, at, { ...unknown, because: reason }, reads);
  return settleFailed(run, at, defined({ is: 'failed' as const, reason, hint }));
}

/** With `--step` the operator may leave a step out; what is settled already is not asked about. */
async function isWanted(run: Run, step: Step, position: Position): Promise<boolean> {
  if (run.mayBegin === undefined || step.required === true) return true;
  const task = taskOf(step, position);
  if (isSettledWell(run.journal.state.tasks.get(taskKey(task))) || (await run.mayBegin(step))) return true;
  run.journal.emit({ e: 'task-skipped', task, name: step.name, because: 'you left it out' });
  return false;
}

function shared(once: Map<string, Promise<TaskEnd>>, key: string, start: () => Promise<TaskEnd>): Promise<TaskEnd> {
  const running = once.get(key) ?? start();
  once.set(key, running);
  return running;
}

/** On resume a step that runs once may have been done on another host than the one that comes first now. */
function doneElsewhere(run: Run, step: Step): Promise<TaskEnd> | undefined {
  const tasks = run.journal.state.byStep.get(step.path) ?? [];
  return tasks.some(isSettledWell) ? Promise.resolve('well') : undefined;
}
