import { foldAll } from '../journal/fold.js';
import type { RunFolder } from '../journal/run-folder.js';
import { isOpen, spanAt, type Window } from '../lib/window.js';
import { backOutNow } from '../report/impact-lines.js';
import { timeLeftMs } from '../report/time-left.js';
import { assess } from '../run/assess.js';
import type { Run } from '../run/run.js';
import type { Recorded } from '../terms/event.js';
import type { Outlook } from '../terms/state-now.js';
import { plannedOf } from './plan-of-run.js';
import { stepTimes } from './step-times.js';
import { rollbackMsOf } from './window.js';

/** How long what is left of an unfinished run takes, and which back-out is reached. Only reads. */
export async function outlookOf(
  run: Run,
  folder: RunFolder,
  past: readonly Recorded[],
  window: Window | undefined,
): Promise<Outlook> {
  const { project } = run;
  const planned = plannedOf(folder);
  const state = foldAll(past.map(({ event }) => event));
  const leftMs =
    planned === undefined ? undefined : timeLeftMs(project.playbook.plays, planned.steps, state, stepTimes(project));
  const backOut = backOutNow((await assess(run)).backOut);
  const nowMs = run.clock.nowMs();
  const span = window === undefined ? undefined : spanAt(window, nowMs);
  return {
    ...(leftMs === undefined ? {} : { leftMs }),
    ...(backOut === undefined ? {} : { backOut }),
    ...(window === undefined || span === undefined || !isOpen(span, nowMs)
      ? {}
      : { window: { closesMs: span.closesMs, zone: window.zone, nowMs, rollbackMs: rollbackMsOf(project) } }),
  };
}
