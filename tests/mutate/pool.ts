import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Verdict } from './judge.js';
import type { Course } from './scenario.js';

export interface Judged {
  readonly nth: number;
  readonly verdict: Verdict;
  readonly tookMs: number;
}

/** A mutant whose run is under way for so long beyond its patience will not end: its worker is ended, and another takes its place. */
const GRACE_MS = 60_000;

interface How {
  readonly courses: readonly Course[];
  readonly patienceMs: number;
}

/** Has mutants judged, by their numbers, in so many processes; `each` is called as they come. */
export async function judgeAll(
  numbers: readonly number[],
  { workers, each, ...how }: How & { workers: number; each: (judged: Judged) => void },
): Promise<void> {
  const left = [...numbers];
  const one = async (): Promise<void> => {
    let child = await start(how);
    for (let nth = left.shift(); nth !== undefined; nth = left.shift()) {
      const limitMs = how.patienceMs + GRACE_MS;
      const judged = await ask(child, nth, limitMs);
      if (judged === undefined) {
        child.kill('SIGKILL');
        child = await start(how);
      }
      each(judged ?? { nth, verdict: { is: 'killed', by: 'every run ends', why: 'it did not' }, tookMs: limitMs });
    }
    child.kill();
  };
  await Promise.all(Array.from({ length: Math.min(workers, numbers.length) }, one));
}

const start = (how: How): Promise<ChildProcess> =>
  new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('./worker.ts', import.meta.url)), { stdio: 'inherit' });
    child.once('error', reject);
    child.once('message', () => {
      resolve(child);
    });
    child.send(how);
  });

/** Nothing when it takes too long, or when the worker ended by itself. */
const ask = (child: ChildProcess, nth: number, limitMs: number): Promise<Judged | undefined> =>
  new Promise((resolve) => {
    const done = (judged?: Judged): void => {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve(judged);
    };
    const timer = setTimeout(done, limitMs);
    child.once('message', (judged: Judged) => {
      done(judged);
    });
    child.once('exit', () => {
      done();
    });
    child.send({ nth });
  });
