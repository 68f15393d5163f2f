import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Course } from './scenario.js';
import { scenarios } from './scenarios/index.js';

type Answer = { readonly course: Course } | { readonly wrong: string };

/** Tries these scenarios on the shipped playbooks, in so many processes; throws when one is not true of them. */
export async function followAll(names: readonly string[], workers: number): Promise<readonly Course[]> {
  const courses: Course[] = [];
  const left = scenarios.flatMap(({ name }, nth) => (names.includes(name) ? [nth] : []));
  const one = async (): Promise<void> => {
    const child = fork(fileURLToPath(new URL('./follow-worker.ts', import.meta.url)), { stdio: 'inherit' });
    // One that ends by itself answers nothing more.
    const ended = once(child, 'exit').then(() => [{ wrong: 'its process ended' }] as const);
    try {
      for (let nth = left.shift(); nth !== undefined; nth = left.shift()) {
        child.send({ nth });
        const [answer] = (await Promise.race([once(child, 'message'), ended])) as readonly [Answer];
        if ('wrong' in answer)
          throw new Error(`"${scenarios[nth]?.name ?? ''}" is not true of the shipped playbooks: ${answer.wrong}`);
        courses.push(answer.course);
      }
    } finally {
      left.length = 0;
      child.kill();
    }
  };
  await Promise.all(Array.from({ length: workers }, one));
  return courses;
}
