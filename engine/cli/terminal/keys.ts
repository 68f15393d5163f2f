import { readFileSync } from 'node:fs';
import { watchTerminal } from './hang-up.js';

const INTERRUPT = '\u0003';
const SUSPEND = '\u001a';
const QUIT = '\u001c';

export interface Keys {
  /** Lines are typed again, as at a question. */
  off(): void;
  on(): void;
}

/** Standard input is one: so are its keys. */
let watching: Keys | undefined;

/** While a question is asked no keys are watched. */
export async function withoutKeys<T>(question: () => Promise<T>): Promise<T> {
  const keys = watching;
  keys?.off();
  try {
    return await question();
  } finally {
    keys?.on();
  }
}

/**
 * Single keys at the terminal of a run. While they are watched the terminal sends no signals by itself, so Ctrl-C, Ctrl-Z and Ctrl-\
 * are sent from here. Nothing may be read from standard input meanwhile. In the background none are watched: it would stop the process.
 */
export function watchKeys(actions: Readonly<Record<string, () => void>>): Keys {
  const { stdin } = process;
  watchTerminal();
  let armed = false;
  const signal = (name: NodeJS.Signals): void => void process.kill(process.pid, name);
  const onData = (data: Buffer): void => {
    for (const key of data.toString('utf8')) {
      if (key === INTERRUPT) signal('SIGINT');
      else if (key === QUIT) signal('SIGQUIT');
      else if (key === SUSPEND) suspend();
      else actions[key]?.();
    }
  };
  const arm = (): void => {
    if (armed || !isForeground()) return;
    armed = true;
    stdin.setRawMode(true);
    stdin.on('data', onData);
    stdin.resume();
    // The run alone decides how long the process lives.
    stdin.unref();
  };
  const disarm = (): void => {
    if (!armed) return;
    armed = false;
    stdin.off('data', onData);
    stdin.setRawMode(false);
    stdin.pause();
    stdin.ref();
  };
  const suspend = (): void => {
    disarm();
    signal('SIGTSTP');
  };
  const keys: Keys = {
    on() {
      watching = keys;
      process.off('SIGCONT', arm).on('SIGCONT', arm);
      arm();
    },
    off() {
      watching = undefined;
      process.off('SIGCONT', arm);
      disarm();
    },
  };
  return keys;
}

/** Is this process in the foreground of its terminal? Where that is not told, it is taken to be. */
function isForeground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const [, , group, , , terminalGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return group === terminalGroup;
  } catch {
    return true;
  }
}
