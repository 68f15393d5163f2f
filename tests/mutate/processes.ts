import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

interface How<Answer> {
  /** The file of this folder that each process runs. It answers its first message when it is ready, and each number with one message. */
  readonly file: string;
  readonly workers: number;
  readonly first: object;
  readonly limitMs: number;
  /** Called as answers come; without one where it took longer than the limit, or the process ended by itself. */
  readonly each: (nth: number, answer: Answer | undefined) => void;
}

/** Has numbers worked on in so many processes. One that does not answer is ended, and another takes its place. */
export async function inProcesses<Answer>(numbers: readonly number[], how: How<Answer>): Promise<void> {
  const left = [...numbers];
  const one = async (): Promise<void> => {
    let child = await start(how);
    for (let nth = left.shift(); nth !== undefined; nth = left.shift()) {
      const answer = await ask<Answer>(child, nth, how.limitMs);
      if (answer === undefined) {
        child.kill('SIGKILL');
        child = await start(how);
      }
      how.each(nth, answer);
    }
    child.kill();
  };
  await Promise.all(Array.from({ length: Math.min(how.workers, numbers.length) }, one));
}

const start = ({ file, first }: Pick<How<never>, 'file' | 'first'>): Promise<ChildProcess> =>
  new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL(file, import.meta.url)), { stdio: 'inherit' });
    child.once('error', reject);
    child.once('message', () => {
      resolve(child);
    });
    child.send(first);
  });

const ask = <Answer>(child: ChildProcess, nth: number, limitMs: number): Promise<Answer | undefined> =>
  new Promise((resolve) => {
    const done = (answer?: Answer): void => {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve(answer);
    };
    const timer = setTimeout(done, limitMs);
    child.once('message', (answer: Answer) => {
      done(answer);
    });
    child.once('exit', () => {
      done();
    });
    child.send({ nth });
  });
