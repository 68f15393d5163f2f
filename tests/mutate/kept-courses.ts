import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Course } from './scenario.js';
import { root } from './shipped.js';

/** What judges by the courses, and is no part of them. */
const JUDGES =
  /^tests\/mutate\/(main|carriers|judge|pool|processes|courses|kept-courses|follow-all|follow-worker|survivors|sample|worker|alter|[\w-]+\.test)\.|^tests\/run\/.*\.test\./;
const folder = join(root, 'node_modules/.cache/mutate');
const fileOf = (name: string): string => join(folder, `${createHash('sha256').update(name).digest('hex')}.json`);

/** Keeps where a scenario came by that is true of the shipped playbooks as they are now. */
export function keepCourse(course: Course): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(course.name), JSON.stringify({ stamp: stampNow(), course }));
}

/** Undefined where it was not tried since anything that it hangs on was altered. */
export function readCourse(name: string): Course | undefined {
  try {
    const kept = JSON.parse(readFileSync(fileOf(name), 'utf8')) as { readonly stamp: string; readonly course: Course };
    return kept.stamp === stampNow() ? kept.course : undefined;
  } catch {
    return undefined;
  }
}

let stamp: string | undefined;
/** Of all that a course hangs on, as it was when this process began to ask. */
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
