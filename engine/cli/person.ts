import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** True when there is a person to ask. */
export const isAttended = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

/** Asks at the terminal; undefined when there is none. `hidden` shows nothing of what is typed. */
export function ask(question: string, hidden = false): Promise<string | undefined> {
  if (!isAttended()) return Promise.resolve(undefined);
  const quiet = new Writable({ write: (_chunk, _encoding, done) => done() });
  process.stderr.write(`${question} `);
  const lines = createInterface({ input: process.stdin, output: hidden ? quiet : process.stderr, terminal: true });
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      lines.close();
      if (hidden) process.stderr.write('\n');
      resolve(line);
    });
    lines.once('close', () => resolve(undefined));
  });
}

/** Asks for what nobody should see typed. Rejects when there is nobody to ask. */
export async function askHidden(question: string): Promise<string> {
  const answer = await ask(question, true);
  if (answer === undefined) throw new Error('there is no terminal to ask at');
  return answer;
}

/** The first Ctrl-C asks the run to stop at the next safe place, the second ends it at once. */
export function watchInterrupts(): { readonly stopping: () => boolean; readonly signal: AbortSignal; readonly end: () => void } {
  const abort = new AbortController();
  let times = 0;
  const onSignal = (): void => {
    times += 1;
    if (times === 1) process.stderr.write('\nStopping after the step in hand. Press Ctrl-C again to stop at once.\n');
    else abort.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    stopping: () => times > 0,
    signal: abort.signal,
    end() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
