import type { Recorded } from '../../terms/event.js';
import type { Origin } from './document.js';

/** Who made a plan or a run, when, from where and with which version: a run may have been resumed by others. */
export function originOf(events: readonly Recorded[], more: Pick<Origin, 'run' | 'approved'> = {}): Origin {
  const begun = events.flatMap(({ event, atMs }) => (event.e === 'run-started' ? [{ event, atMs }] : []));
  return {
    is: 'origin',
    ...more,
    inventory: begun[0]?.event.inventory ?? '',
    hash: begun[0]?.event.hash ?? '',
    sessions: begun.map(({ event: { verb, by, version }, atMs }) => ({
      verb,
      atMs,
      ...(by === undefined ? {} : { by }),
      ...(version === undefined ? {} : { version }),
    })),
  };
}
