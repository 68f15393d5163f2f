import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { followAll } from './follow-all.js';
import type { Course } from './scenario.js';
import { scenarios } from './scenarios/index.js';
import { root } from './shipped.js';

/** What judges by the courses, and is no part of them. */
const JUDGES =
  /^tests\/mutate\/(main|carriers|judge|pool|courses|follow-all|follow-worker|survivors|sample|worker|alter|[\w-]+\.test)\.|^tests\/run\/.*\.test\./;
const folder = join(root, 'node_modules/.cache/mutate');
const fileOf = (name: string): string => join(folder, `${createHash('sha256').update(name).digest('hex')}.json`);

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

/** Keeps where a scenario came by that is true of the shipped playbooks as they are now. */
export function keepCourse(course: Course): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(course.name), JSON.stringify({ stamp: stampNow(), course }));
}

function readCourse(name: string): Course | undefined {
  try {
    const kept = JSON.parse(readFileSync(fileOf(name), 'utf8')) as { readonly stamp: string; readonly course: Course };
    return kept.stamp === stampNow() ? kept.course : undefined;
  } catch {
    return undefined;
  }
}

/** Of all that a course hangs on. */
let stamp: string | undefined;
const stampNow = (): string =>
  (stamp ??= stampOf(['engine', 'playbooks', 'tests/mutate', 'tests/run', 'tests/playbooks', 'tests/demo']));

function stampOf(folders: readonly string[]): string {
  const hash = createHash('sha256');
  for (const folder of folders)
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).sort()) {
      const { mtimeMs, size } = statSync(join(root, folder, name));
      if (/(?<!\.generated\.d)\.(ts|yaml)$/.test(name) && !JUDGES.test(`${folder}/${name}`))
        hash.update(`${folder}/${name} ${mtimeMs} ${size}\n`);
    }
  return hash.digest('hex');
}
