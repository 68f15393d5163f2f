import type { Event, RunEnd } from '../terms/event.js';

/** How a run stands, the same code in every view. `partial`: gone through to its end, without hosts that failed or could not be reached. */
export type RunOutcome = RunEnd | 'partial';

export const outcomeOf = ({
  as,
  throughout,
}: Pick<Extract<Event, { e: 'run-ended' }>, 'as' | 'throughout'>): RunOutcome => (throughout === true ? 'partial' : as);
