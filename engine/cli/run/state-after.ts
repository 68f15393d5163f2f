import { keepForReport, readForReport } from '../../journal/for-report.js';
import { shownData } from '../../journal/redaction.js';
import type { RunFolder } from '../../journal/run-folder.js';
import type { Json } from '../../terms/json.js';
import type { Recorded } from '../../terms/event.js';
import type { StateNow } from '../../terms/state-now.js';
import type { Session } from './session.js';

interface KeptState {
  /** The number of the record that ended the run. */
  readonly after: number;
  readonly now: StateNow;
}

/** Keeps for the report how the platform was after a failure: it contacts no host. What hosts said may hold a secret. */
export function keepStateAfter(
  folder: RunFolder,
  { events, split }: Pick<Session, 'events' | 'split'>,
  now: StateNow,
): void {
  const after = endIn(events);
  const kept = shownData(now as unknown as Json, split) as unknown as StateNow;
  if (after !== undefined) keepForReport(folder, 'state.json', { after, now: kept } satisfies KeptState);
}

/** How the platform was after the end of this run; undefined where it was resumed since. */
export function stateAfter(folder: RunFolder, events: readonly Recorded[]): StateNow | undefined {
  const kept = readForReport(folder, 'state.json') as unknown as KeptState | undefined;
  return kept !== undefined && kept.after === endIn(events) ? kept.now : undefined;
}

function endIn(events: readonly Recorded[]): number | undefined {
  const last = events.findLast(({ event: { e } }) => e === 'run-started' || e === 'close-started' || e === 'run-ended');
  return last?.event.e === 'run-ended' ? last.seq : undefined;
}
