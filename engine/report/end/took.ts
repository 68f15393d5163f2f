import { showDuration } from '../../lib/duration.js';
import type { Recorded } from '../../terms/event.js';

/** How long a run took: at work, and from its first event to its last. The time between a stop and its resume is no work. */
export interface Took {
  readonly workedMs: number;
  readonly lastedMs: number;
}

export function tookOf(events: readonly Recorded[]): Took {
  const begins = events.flatMap(({ event }, i) =>
    i === 0 || event.e === 'run-started' || event.e === 'close-started' ? [i] : [],
  );
  const atMs = (i: number): number => events[i]?.atMs ?? 0;
  const workedMs = begins.reduce((sum, from, n) => sum + atMs((begins[n + 1] ?? events.length) - 1) - atMs(from), 0);
  return { workedMs, lastedMs: atMs(events.length - 1) - atMs(0) };
}

/** `31 min`; of a run that was resumed `31 min of work within 6 h 30 min`. */
export function tookText({ workedMs, lastedMs }: Took): string {
  const [worked, lasted] = [showDuration(workedMs), showDuration(lastedMs)];
  return worked === lasted ? worked : `${worked} of work within ${lasted}`;
}
