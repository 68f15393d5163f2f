import type { Recorded } from '../../terms/event.js';
import { partsOf } from '../audit-lines.js';
import type { Origin } from './document.js';

/** Who made a plan or a run, when, from where and with which version: a run may have been resumed by others. */
export function originOf(events: readonly Recorded[], more: Pick<Origin, 'run' | 'approved'> = {}): Origin {
  const begun = events.flatMap(({ event }) => (event.e === 'run-started' ? [event] : []));
  return {
    is: 'origin',
    ...more,
    inventory: begun[0]?.inventory ?? '',
    hash: begun[0]?.hash ?? '',
    sessions: partsOf(events),
  };
}
