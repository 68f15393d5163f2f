import type { Estimate } from '../../journal/run-folder.js';
import type { RunState } from '../../journal/state.js';
import { spanAt, type Window } from '../../lib/window.js';
import type { Project } from '../../language/project.js';
import type { PlanSummary } from '../../report/plan/plan-summary.js';
import { planWindow } from '../../report/plan/plan-window.js';
import { closedText } from '../../report/plan/window-lines.js';
import { WindowGuard, type Over } from '../../run/window-guard.js';
import type { Verb } from '../../terms/event.js';
import type { Clock } from '../../terms/machine.js';
import { rollbackMsOf } from '../back-out-times.js';
import type { Choice } from './choice.js';
import { EXIT, refusal } from '../options/exit.js';
import type { Flags } from '../options/flags.js';

/** Refuses where a run would begin or go on outside its window, or too late in it. */
export function refuseOutside(
  { window }: Choice,
  { takes, window: planned }: PlanSummary,
  flags: Flags,
  nowMs: number,
): void {
  if (window === undefined || planned === undefined || flags.outsideWindow) return;
  const why = closedText(planWindow({ window, rollbackMs: planned.rollbackMs }, nowMs, takes.maxMs));
  if (why !== undefined)
    throw refusal(
      EXIT.locked,
      `nothing was changed: ${why}`,
      '--window OPENS/CLOSES   names another window',
      '--outside-window        works outside the window',
    );
}

interface Bound {
  readonly window?: Window;
  readonly estimate?: Estimate;
  readonly flags: Flags;
  readonly project: Project;
  readonly verb: Verb;
}

/** What stops a run at the end of its window, and before a point of no return for which the rest of it is too short. */
export function guardOf(
  { window, estimate, flags, project, verb }: Bound,
  clock: Pick<Clock, 'nowMs'>,
): WindowGuard | undefined {
  const isBound = (verb === 'apply' || verb === 'resume') && !flags.outsideWindow && estimate?.takesDown !== false;
  if (window === undefined || !isBound) return undefined;
  const { closesMs } = spanAt(window, clock.nowMs());
  const bounds = { zone: window.zone, closesMs, rollbackMs: rollbackMsOf(project), restMs: estimate?.restMs ?? {} };
  return new WindowGuard(bounds, clock);
}

/** Calls once, with the first event after the window closed. */
export function onceOver(guard: WindowGuard, call: (stop: Over) => void): () => void {
  let called = false;
  return () => {
    const stop = called ? undefined : guard.over();
    if (stop === undefined) return;
    called = true;
    call(stop);
  };
}

/** What a run that is to stop completes first. */
export function stopsAfter({ playbook }: Project, { plays, ended }: RunState): string {
  if (ended !== undefined) return 'the last reading';
  const now = playbook.plays.find(({ path }) => plays.get(path)?.ended === false);
  if (now?.safePoint !== true) return 'the current step';
  const { inHand = [] } = plays.get(now.path) ?? {};
  return inHand.length === 0 ? `the hosts at work in "${now.name}"` : inHand.join(', ');
}
