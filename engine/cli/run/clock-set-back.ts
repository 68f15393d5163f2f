import type { Journal } from '../../journal/journal.js';
import { showDuration } from '../../lib/duration.js';
import type { Clock } from '../../terms/machine.js';
import { timeText } from '../plan/plan-file.js';

/** From how far on a clock that is set back, or behind the records of its run, is named, milliseconds. */
const BEHIND_MS = 60_000;

/** How far the clock here is behind that of the run, which counts on from its last record; 0 up to one minute. */
export function behindMsOf(run: Clock, here: Clock): number {
  const behindMs = run.nowMs() - here.nowMs();
  return behindMs > BEHIND_MS ? behindMs : 0;
}

export const behindText = (behindMs: number): string =>
  `The clock here is ${showDuration(behindMs)} behind the last record of this run, whose times count on from there. Compare the clocks.`;

/** The journal of a run, which records once that the clock here was set back by more than `knownMs` while the run works. */
export function namingSetBack(journal: Journal, clock: Clock, knownMs: number): Journal {
  let isNamed = false;
  return {
    ...journal,
    emit(event) {
      const nowMs = clock.nowMs();
      const aheadMs = clock.aheadMs?.() ?? 0;
      if (!isNamed && aheadMs - knownMs > BEHIND_MS && journal.state.run !== undefined) {
        isNamed = true;
        const times = `it shows ${timeText(nowMs - aheadMs)}, and this run counts on from ${timeText(nowMs)}`;
        journal.emit({
          e: 'warned',
          text: `The clock here was set back by ${showDuration(aheadMs - knownMs)}: ${times}.`,
          hint: 'compare the clocks',
        });
      }
      journal.emit(event);
    },
  };
}
