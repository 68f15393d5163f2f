import type { Journal } from '../../journal/journal.js';
import { showDuration } from '../../lib/duration.js';
import type { Clock } from '../../terms/machine.js';
import { timeText } from '../plan/plan-file.js';

/** From how far on a clock that is set back, or behind the records of its run, is named, milliseconds. */
export const BEHIND_MS = 60_000;

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
