import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';

/** A program under way: `output` is what it writes to its standard output, `errors` all else that an operator would see. */
export interface Spawned {
  readonly child: ChildProcess;
  readonly output: Readable;
  readonly errors: Readable;
  readonly signal: (name: NodeJS.Signals) => void;
}

interface Options {
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Starts a program without a terminal: it cannot ask. */
export function spawnAlone([file = '', ...args]: readonly string[], options: Options): Spawned {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  return { child, output: child.stdout, errors: child.stderr, signal: (name) => void child.kill(name) };
}

/** Starts it at a real terminal (util-linux's `script`), its standard output elsewhere, and types the answer at each question. */
export function spawnAtTerminal(argv: readonly string[], answer: string, options: Options): Spawned {
  const quoted = argv.map((each) => `'${each.replaceAll("'", `'\\''`)}'`).join(' ');
  const child = spawn('script', ['-qefc', `echo $$ >&4; exec ${quoted} >&3 3>&- 4>&-`, '/dev/null'], {
    ...options,
    env: { ...options.env, SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'ignore', 'pipe', 'pipe'],
  });
  const [input, errors, , output, pid] = child.stdio as unknown as [NodeJS.WritableStream, ...Readable[]];
  if (errors === undefined || output === undefined || pid === undefined) throw new Error('no pipes');
  let own = '';
  pid.on('data', (part: Buffer) => (own += part.toString()));
  errors.on('data', (part: Buffer) => {
    if (part.toString().includes('[y/N]')) input.write(`${answer}\n`);
  });
  const signal = (name: NodeJS.Signals): void => {
    process.kill(Number(own), name);
    // `script` stops itself with what it runs.
    if (name === 'SIGCONT') child.kill(name);
  };
  return { child, output, errors, signal };
}
