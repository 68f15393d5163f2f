import { execa, type Options } from 'execa';

/** What a finished command left; `exit` is -1 when it could not be started. */
export interface Finished {
  exit: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  /** Text for standard input; without it standard input is empty, never the terminal. */
  input?: string;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  timeoutMs?: number;
}

/** Runs a command and answers what it left, whatever its status. */
export async function attempt(file: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const settings: Options = {
    reject: false,
    stripFinalNewline: false,
    maxBuffer: 64 * 1024 * 1024,
    ...(options.input === undefined ? { stdin: 'ignore' as const } : { input: options.input }),
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs }),
  };
  const result = await execa(file, args, settings);
  return {
    exit: result.exitCode ?? -1,
    stdout: String(result.stdout ?? ''),
    stderr: String(result.stderr ?? '') || (result.failed ? (result.message ?? '') : ''),
  };
}

/** Runs a command and answers its standard output; throws with the end of its output when its status is not 0. */
export async function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { exit, stdout, stderr } = await attempt(file, args, options);
  if (exit !== 0) {
    throw new Error(`${file} ${args.join(' ')}: status ${exit}\n${tail(`${stdout}\n${stderr}`)}`);
  }
  return stdout;
}

/** Says what the lab is doing, on standard error, so that `lab ssh` and `lab status` stay usable in pipes. */
export function say(text: string): void {
  console.error(`lab: ${text}`);
}

/** Runs `work` and says how long it took. */
export async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const value = await work();
  say(`${what}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return value;
}

/** The last 25 lines. */
export function tail(text: string): string {
  return text.trimEnd().split('\n').slice(-25).join('\n');
}
