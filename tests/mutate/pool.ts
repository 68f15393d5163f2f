import type { Verdict } from './judge.js';
import { inProcesses } from './processes.js';
import type { Course } from './scenario.js';

export interface Judged {
  readonly nth: number;
  readonly verdict: Verdict;
  readonly tookMs: number;
}

/** A mutant whose run is under way for so long beyond its patience will not end. */
const GRACE_MS = 60_000;

interface How {
  readonly courses: readonly Course[];
  readonly patienceMs: number;
  readonly workers: number;
  readonly each: (judged: Judged) => void;
}

/** Has mutants judged, by their numbers, in so many processes; `each` is called as they come. */
export function judgeAll(numbers: readonly number[], { courses, patienceMs, workers, each }: How): Promise<void> {
  const limitMs = patienceMs + GRACE_MS;
  return inProcesses<Judged>(numbers, {
    ...{ file: './worker.ts', workers, first: { courses, patienceMs }, limitMs },
    each: (nth, judged) => {
      each(judged ?? { nth, verdict: { is: 'killed', by: 'every run ends', why: 'it did not' }, tookMs: limitMs });
    },
  });
}
