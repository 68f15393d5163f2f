import { isSettledWell, type RunState } from '../../journal/state.js';
import type { Play } from '../../terms/playbook.js';
import { stepOf, type StepTimes } from '../../terms/step-time.js';
import type { PlannedStep } from '../plan/planned-steps.js';

/** How long what a run has not done yet of its plan takes at most: plays one after another, their hosts side by side or one at a time. */
export function timeLeftMs(
  plays: readonly Play[],
  planned: readonly PlannedStep[],
  state: RunState,
  times: StepTimes,
): number {
  const left = planned.filter(({ key }) => !isSettledWell(state.tasks.get(key)));
  const timeOf = ({ key }: PlannedStep): number => times.get(stepOf(key.slice(0, key.lastIndexOf('@'))))?.maxMs ?? 0;
  return plays.reduce((sum, play) => {
    const byHost = new Map<string, number>();
    for (const step of left)
      if (step.key.startsWith(`${play.path}/`)) byHost.set(step.host, (byHost.get(step.host) ?? 0) + timeOf(step));
    const all = [...byHost.values()];
    return sum + (play.serial === undefined ? Math.max(0, ...all) : all.reduce((a, b) => a + b, 0));
  }, 0);
}
