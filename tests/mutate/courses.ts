import { followAll } from './follow-all.js';
import { keepCourse, readCourse } from './kept-courses.js';
import type { Course } from './scenario.js';
import { scenarios } from './scenarios/index.js';

/** The courses of all scenarios; each is tried first, unless the tests or an earlier call did, and nothing was altered since. */
export async function coursesOf(workers: number, say: (line: string) => void): Promise<readonly Course[]> {
  const kept = new Map(scenarios.flatMap(({ name }) => readCourse(name) ?? []).map((course) => [course.name, course]));
  const wanting = scenarios.filter(({ name }) => !kept.has(name)).map(({ name }) => name);
  if (wanting.length > 0) {
    say(`trying ${wanting.length} scenarios on the shipped playbooks`);
    for (const course of await followAll(wanting, workers)) {
      keepCourse(course);
      kept.set(course.name, course);
    }
  }
  return scenarios.flatMap(({ name }) => kept.get(name) ?? []);
}
