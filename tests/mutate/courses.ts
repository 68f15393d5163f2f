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
const file = join(root, 'node_modules/.cache/mutate.json');

/** The courses of all scenarios; each is tried first, unless nothing was altered since it was. */
export async function coursesOf(workers: number, say: (line: string) => void): Promise<readonly Course[]> {
  const stamp = stampNow();
  const kept = read();
  if (kept?.stamp === stamp) return kept.courses;
  say(`trying ${scenarios.length} scenarios on the shipped playbooks`);
  const courses = await followAll(workers);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, JSON.stringify({ stamp, courses }));
  return courses;
}

/** Of all that a course hangs on. */
export const stampNow = (): string =>
  stampOf(['engine', 'playbooks', 'tests/mutate', 'tests/run', 'tests/playbooks', 'tests/demo']);

function read(): { readonly stamp: string; readonly courses: readonly Course[] } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof read>;
  } catch {
    return undefined;
  }
}

function stampOf(folders: readonly string[]): string {
  const hash = createHash('sha256');
  for (const folder of folders)
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).sort()) {
      const { mtimeMs, size } = statSync(join(root, folder, name));
      if (/\.(ts|yaml)$/.test(name) && !JUDGES.test(`${folder}/${name}`))
        hash.update(`${folder}/${name} ${mtimeMs} ${size}\n`);
    }
  return hash.digest('hex');
}
