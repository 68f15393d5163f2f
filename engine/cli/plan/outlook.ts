import { foldAll } from '../../journal/fold.js';
import { isOpen, spanAt, type Window } from '../../lib/window.js';
import { backOutNow } from '../../report/plan/impact-lines.js';
import { timeLeftMs } from '../../report/live/time-left.js';
import { assess } from '../../run/assess.js';
import type { Run } from '../../run/run.js';
import type { Recorded } from '../../terms/event.js';
import type { Outlook } from '../../terms/state-now.js';
import type { KeptPlan } from './plan-of-run.js';
import { stepTimes } from './step-times.js';
import { backOutStages, rollbackMsOf } from '../back-out-times.js';

/** An unfinished run. */
export interface Open {
  readonly past: readonly Recorded[];
  readonly planned?: KeptPlan;
  readonly window?: Window;
}

/** How long what is left of an unfinished run takes, and which back-out is reached. Only reads. */
export async function outlookOf(run: Run, { planned, past, window }: Open): Promise<Outlook> {
  const { project } = run;
  const state = foldAll(past.map(({ event }) => event));
  const leftMs =
    planned === undefined ? undefined : timeLeftMs(project.playbook.plays, planned.steps, state, stepTimes(project));
  const { backOut: stages } = await assess(run, backOutStages(project));
  const backOut = backOutNow(stages);
  const nowMs = run.clock.nowMs();
  const span = window === undefined ? undefined : spanAt(window, nowMs);
  return {
    assessed: { atMs: nowMs, stages },
    ...(leftMs === undefined ? {} : { leftMs }),
    ...(backOut === undefined ? {} : { backOut }),
    ...(window === undefined || span === undefined || !isOpen(span, nowMs)
      ? {}
      : { window: { closesMs: span.closesMs, zone: window.zone, nowMs, rollbackMs: rollbackMsOf(project) } }),
  };
}
