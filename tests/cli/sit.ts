import { execa, execaSync } from 'execa';
import { existsSync, readFileSync } from 'node:fs';
import { Terminal } from '../report/terminal.js';
import { nodeFlags } from '../tools/node-flags.js';
import { program, type Harness } from './cli-harness.js';

const COLUMNS = 100;
const ROWS = 24;

/** A real pseudo terminal comes with util-linux's `script`. */
export const hasScript = execaSync('script', ['--version'], { reject: false }).stdout.includes('util-linux');

/** The program that `script` runs. */
const childOf = (pid = 0): number => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());

const quoted = (args: readonly string[]): string =>
  [process.execPath, ...nodeFlags, program, ...args].map((a) => `'${a}'`).join(' ');

/** A shell's command at a pseudo terminal. */
const script = (at: Harness, command: string, env: Record<string, string> = {}) =>
  execa('script', ['-qefc', command, '/dev/null'], {
    cwd: at.folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: at.folder, TERM: 'xterm', SHELL: '/bin/sh', ...env },
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    // A question without an answer would wait for ever.
    timeout: 15_000,
    killSignal: 'SIGKILL',
  });

/** What `runbook show` prints meanwhile, from another shell. */
export const showMeanwhile = (at: Harness): string =>
  execaSync(process.execPath, [program, 'show'], {
    cwd: at.folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: at.folder },
    extendEnv: false,
  }).stdout;

/** Sits at a terminal: types an answer, or what a function gives (undefined: nothing), whenever a question is shown. Gives the exit code and all that the terminal received. */
export async function sit(
  at: Harness,
  args: readonly string[],
  answers: readonly (readonly [RegExp, string | ((pid: number) => string | undefined)])[] = [],
  env: Record<string, string> = {},
) {
  const running = script(at, `stty cols ${COLUMNS} rows ${ROWS}; exec ${quoted(args)}`, env);
  let received = '';
  let from = 0;
  const left = [...answers];
  running.stdout.on('data', (chunk: Buffer | string) => {
    received += chunk.toString();
    const [next] = left;
    const asked = next?.[0].exec(received.slice(from));
    if (next === undefined || asked === null || asked === undefined) return;
    from = received.length;
    left.shift();
    const answer = typeof next[1] === 'string' ? next[1] : next[1](childOf(running.pid));
    if (answer !== undefined) running.stdin.write(`${answer}\n`);
  });
  const { exitCode } = await running;
  const terminal = new Terminal(COLUMNS, ROWS);
  // Editing a line moves the cursor about; what is judged here is what the program wrote.
  // eslint-disable-next-line no-control-regex -- the sequences of a terminal
  terminal.write(received.replace(/\u001b\[(\?\d+[hl]|\d*[GKC]|[JK])/g, ''));
  return { exitCode, received, shown: terminal.text(), unasked: left.length };
}

/** The same terminal is lost once this is shown, as a connection is: what the program exits with. */
export async function loseTerminal(at: Harness, args: readonly string[], shown: RegExp, then?: () => void) {
  const running = script(at, `trap '' HUP; ${quoted(args)}; echo $? > exit`);
  let received = '';
  running.stdout.on('data', (chunk: Buffer | string) => {
    received += chunk.toString();
    if (shown.test(received)) running.kill('SIGKILL');
  });
  await running;
  then?.();
  while (!existsSync(at.path('exit')) || at.read('exit') === '')
    await new Promise((resolve) => setTimeout(resolve, 20));
  return Number(at.read('exit'));
}
