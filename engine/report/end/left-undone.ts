import { isSettledWell, tasksOf as allOf, type RunState, type TaskState } from '../../journal/state.js';
import type { Play, Step } from '../../terms/playbook.js';
import { keyOf } from '../../terms/subject.js';
import { taskKey } from '../../terms/task.js';

/** A play that was begun and not ended: who is done with it, and which steps each of the others lacks. */
export interface UnderWay {
  readonly play: Play;
  readonly done: readonly string[];
  /** Steps by host, in order; all of the play's for a host that was not begun. */
  readonly lacking: ReadonlyMap<string, readonly Step[]>;
  /** Of those, the hosts on which some step was made. */
  readonly halfWay: readonly string[];
  /** Where it stopped: the steps that were tried and are not settled well. */
  readonly stoppedAt: readonly { readonly step: Step; readonly host: string }[];
}

/** What of the playbook a run that ends here leaves undone, from its fold alone. */
export function leftUndone(
  state: RunState,
  plays: readonly Play[],
): { readonly underWay: readonly UnderWay[]; readonly notBegun: readonly Play[] } {
  const begun = plays.filter(({ path }) => state.plays.has(path));
  return {
    underWay: begun
      .filter(({ path }) => state.plays.get(path)?.ended !== true)
      .map((play) => underWay(state, play))
      .filter(({ lacking }) => lacking.size > 0),
    notBegun: plays.filter(({ path }) => !state.plays.has(path)),
  };
}

function underWay(state: RunState, play: Play): UnderWay {
  const of = state.plays.get(play.path);
  const hosts = of === undefined || of.hosts.length === 0 ? ['controller'] : of.hosts;
  const lacking = new Map(hosts.map((host) => [host, lackingOn(state, play, host)] as const));
  const tried = hosts.flatMap((host) => (lacking.get(host) ?? []).map((step) => ({ step, host })));
  return {
    play,
    done: hosts.filter((host) => lacking.get(host)?.length === 0),
    halfWay: hosts.filter((host) => isHalf(play, lacking.get(host)?.length ?? 0)),
    lacking: new Map([...lacking].filter(([, steps]) => steps.length > 0)),
    stoppedAt: tried.filter(({ step, host }) => isTried(state, step, host)),
  };
}

/** A loop of which nothing is recorded, before a step that was reached, had nothing to go through. */
function lackingOn(state: RunState, { steps }: Play, host: string): readonly Step[] {
  const isReached = (step: Step): boolean => tasksOf(state, step, host).some((task) => task !== undefined);
  const furthest = steps.findLastIndex(isReached);
  return steps.filter(
    (step, i) => !isMade(state, step, host) && (step.loop === undefined || i > furthest || isReached(step)),
  );
}

function tasksOf(state: RunState, step: Step, host: string): readonly (TaskState | undefined)[] {
  if (step.runOnce) return state.byStep.get(step.path) ?? [];
  const on = host === 'controller' ? ({ controller: true } as const) : { host };
  const elements = step.loop === undefined ? [] : allOf(state, step.path).filter((t) => keyOf(t.task.on) === keyOf(on));
  return [state.tasks.get(taskKey({ step: step.path, on })), ...elements];
}

const isHalf = ({ steps }: Play, lacking: number): boolean => lacking > 0 && lacking < steps.length;

/** A temporary change that was restored, and that a resume makes again, counts as made. */
const isMade = (state: RunState, step: Step, host: string): boolean =>
  tasksOf(state, step, host).some((task) => isSettledWell(task) || (task?.again === true && !hasFailed(task)));

const isTried = (state: RunState, step: Step, host: string): boolean =>
  tasksOf(state, step, host).some((task) => task?.open !== undefined || (task !== undefined && hasFailed(task)));

const hasFailed = ({ settled }: TaskState): boolean =>
  settled !== undefined && settled.as !== 'done' && settled.as !== 'ok';
