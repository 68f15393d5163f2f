import { inProcesses } from './processes.js';
import type { Course } from './scenario.js';
import { scenarios } from './scenarios/index.js';

type Answer = { readonly course: Course } | { readonly wrong: string };

/** Longer than the slowest of them takes on a busy machine. */
const LIMIT_MS = 180_000;

/** Tries these scenarios on the shipped playbooks, in so many processes; throws when one is not true of them. */
export async function followAll(names: readonly string[], workers: number): Promise<readonly Course[]> {
  const courses: Course[] = [];
  const numbers = scenarios.flatMap(({ name }, nth) => (names.includes(name) ? [nth] : []));
  await inProcesses<Answer>(numbers, {
    ...{ file: './follow-worker.ts', workers, first: {}, limitMs: LIMIT_MS },
    each: (nth, answer = { wrong: `it did not end in ${LIMIT_MS / 1000} s` }) => {
      if ('wrong' in answer)
        throw new Error(`"${scenarios[nth]?.name ?? ''}" is not true of the shipped playbooks: ${answer.wrong}`);
      courses.push(answer.course);
    },
  });
  return courses;
}
