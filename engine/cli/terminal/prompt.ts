import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { EXIT } from '../options/exit.js';
import { leaveTerminalAtExit, watchTerminal } from './hang-up.js';
import { withoutKeys } from './keys.js';

/** True when there is an operator to ask. */
export const isAttended = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

let asking: Promise<unknown> = Promise.resolve();

/** Asks at the terminal, one question at a time; undefined without a terminal or an answer. `hidden` shows nothing of what is typed; `signal` ends the question without an answer. */
export function ask(question: string, hidden = false, signal?: AbortSignal): Promise<string | undefined> {
  if (!isAttended()) return Promise.resolve(undefined);
  const answer = asking.then(() => withoutKeys(() => askNow(question, hidden, signal)));
  asking = answer;
  return answer;
}

async function askNow(question: string, hidden: boolean, stop?: AbortSignal): Promise<string | undefined> {
  if (stop?.aborted === true) return undefined;
  const quiet = new Writable({ write: (_chunk, _encoding, done) => done() });
  watchTerminal();
  // It takes the terminal's own echo away: only then is the question shown, for an answer may come at once.
  const lines = createInterface({ input: process.stdin, output: hidden ? quiet : process.stderr, terminal: true });
  const end = (): void => {
    process.stderr.write('\n');
    lines.close();
  };
  const unwatch = watchEnds(lines, end, stop);
  process.stderr.write(`${question.trimEnd()} `);
  try {
    return await new Promise((resolve) => {
      lines.once('line', (line) => {
        resolve(line);
        lines.close();
        if (hidden) process.stderr.write('\n');
      });
      // Ctrl-C or Ctrl-D at a question is no answer.
      lines.once('close', () => resolve(undefined));
    });
  } finally {
    unwatch();
  }
}

/** What ends a question without an answer: a stop, where a run may be asked to stop; else a signal. */
function watchEnds(lines: Interface, end: () => void, stop: AbortSignal | undefined): () => void {
  const onHangUp = (): void => {
    leaveTerminalAtExit();
    end();
  };
  // The line editor passes on that the mode of a terminal that is gone cannot be set.
  lines.on('error', () => undefined);
  if (stop === undefined) {
    process.once('SIGTERM', end).once('SIGHUP', onHangUp);
  } else {
    // The line editor keeps Ctrl-C to itself: a run that may be asked to stop hears of it.
    lines.once('SIGINT', () => process.emit('SIGINT'));
    stop.addEventListener('abort', end, { once: true });
  }
  return () => {
    process.off('SIGTERM', end).off('SIGHUP', onHangUp);
    stop?.removeEventListener('abort', end);
  };
}

interface Questions {
  /** Undefined without a terminal, and after Ctrl-D. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** By Ctrl-C. */
  readonly interrupted: () => boolean;
  readonly close: () => void;
}

/**
 * Several questions in a row with one line editor, so that answers that are pasted at once each reach theirs. A question of `ask` takes no
 * line that was typed before it was shown: it may be a confirmation.
 */
export function openQuestions(): Questions {
  if (!isAttended()) return { ask: () => Promise.resolve(undefined), interrupted: () => false, close: () => undefined };
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  const typed: string[] = [];
  let [closed, interrupted] = [false, false];
  let heard = (): void => undefined;
  lines.on('line', (line) => {
    typed.push(line);
    heard();
  });
  lines.once('SIGINT', () => {
    interrupted = true;
    lines.close();
  });
  lines.once('close', () => {
    closed = true;
    heard();
  });
  return {
    async ask(question) {
      if (closed) return typed.shift();
      process.stderr.write(`${question.trimEnd()} `);
      if (typed.length === 0) await new Promise<void>((resolve) => (heard = resolve));
      return typed.shift();
    },
    interrupted: () => interrupted,
    close: () => lines.close(),
  };
}

/** Asks for what must not be shown while it is typed. Rejects without a terminal. */
export async function askHidden(question: string): Promise<string> {
  const answer = await ask(question, true);
  if (answer === undefined) throw new Error('a confirmation is needed and there is no terminal');
  return answer;
}

export const isYes = (answer: string | undefined): boolean => answer !== undefined && /^y(es)?$/i.test(answer.trim());

/** Enter alone is the answer that the question shows in capitals. */
export const isNo = (answer: string): boolean => /^(n|no)?$/i.test(answer.trim());

/** How long the second Ctrl-C leaves for what is under way to be recorded, milliseconds. */
const LAST_WORDS_MS = 3000;

export interface Interrupts {
  /** True from the first Ctrl-C on: no step begins any more. */
  readonly stopping: () => boolean;
  /** The first one, for what need not be waited for. */
  readonly stopSignal: AbortSignal;
  /** The second one. */
  readonly signal: AbortSignal;
  end(): void;
}

/** The first Ctrl-C asks the run to stop at the next safe point, which `after` names; the second ends it at once. */
export function watchInterrupts(acting: boolean, say: (text: string) => void, after: () => string): Interrupts {
  const stop = new AbortController();
  const abort = new AbortController();
  let times = 0;
  const onSignal = (): void => {
    times += 1;
    stop.abort();
    if (times === 1) say(acting ? `Stopping after ${after()}. Press Ctrl-C again to stop at once.` : 'Stopping.');
    if (times > 1 || !acting) abort.abort();
    // Whatever hangs: the journal has every act, so that this is no worse than a crash, and resume knows what to ask.
    if (times === 2)
      setTimeout(() => {
        process.stderr.write('Stopped at once. runbook resume asks the hosts what became of the step under way.\n');
        process.exit(EXIT.interrupted);
      }, LAST_WORDS_MS).unref();
  };
  // The terminal is gone. It may be reported twice (by the kernel and by a shell), and it is no request to stop at once.
  const onHangUp = (): void => {
    leaveTerminalAtExit();
    if (times === 0) onSignal();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.on('SIGHUP', onHangUp);
  return {
    stopping: () => times > 0,
    stopSignal: stop.signal,
    signal: abort.signal,
    end() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
      process.off('SIGHUP', onHangUp);
    },
  };
}
