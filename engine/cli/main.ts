#!/usr/bin/env node
import { COMMAND_MODULES } from './load-command.js';
import { COMMANDS, isCommand } from './options/commands.js';
import { takes } from './options/options.js';
import { VERSION } from './options/version.js';

/** Everything heavy is loaded by the command that needs it: `--version` and a typing mistake cost a blink. */
async function main(argv: readonly string[]): Promise<number> {
  const [command = '', ...rest] = argv;
  if (command === '--version' || command === '-V') {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const isHelp = command === '' || command === '--help' || command === '-h' || command === 'help';
  if (isHelp || (isCommand(command) && asksForHelp(rest))) {
    const [{ usage }, { platformHelp }] = await Promise.all([
      import('./options/usage.js'),
      import('./options/platform-flags.js'),
    ]);
    const about = isHelp ? (rest[0] ?? '') : command;
    process.stdout.write(usage(about, isCommand(about) ? await platformHelp(about, rest) : []));
    return 0;
  }
  if (!isCommand(command)) {
    const { unknownCommand } = await import('./options/usage.js');
    process.stderr.write(unknownCommand(command));
    return 2;
  }
  if (COMMANDS[command].readsRuns === true) await (await import('./team/read-first.js')).readFirst(command, rest);
  if (rest.includes('--detach') && takes(command, 'detach'))
    return (await import('./run/detach.js')).detach(command, rest);
  await tuneV8();
  return (await COMMAND_MODULES[command]()).run(rest);
}

/**
 * A command runs much code a few times, and V8 would spend more on its optimization than that saves: it optimizes only what runs often. Most of what
 * a plan of thousands of hosts makes is soon garbage, and the heap would grow to four times what is in use. By release line of Node, as each has its
 * own V8, which reports a flag that it does not know on standard error. Others keep their defaults.
 */
const V8_FLAGS: Readonly<Record<string, readonly string[]>> = {
  20: ['--interrupt-budget=400000', '--heap-growing-percent=150'],
  22: ['--invocation-count-for-turbofan=30000', '--heap-growing-percent=150'],
};

async function tuneV8(): Promise<void> {
  const flags = V8_FLAGS[process.versions.node.split('.')[0] ?? ''] ?? [];
  const { setFlagsFromString } = await import('node:v8');
  for (const flag of flags) setFlagsFromString(flag);
}

const asksForHelp = (argv: readonly string[]): boolean =>
  argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined).some((a) => a === '--help' || a === '-h');

async function failed(error: unknown): Promise<number> {
  const { Refusal, say } = await import('./options/exit.js');
  if (error instanceof Refusal) return say(error);
  const { ioRefusal } = await import('./terminal/io-errors.js');
  const refused = ioRefusal(error, 3, process.cwd());
  if (refused !== undefined) return say(refused);
  const { traceText } = await import('../lib/trace-text.js');
  process.stderr.write(`runbook: internal error: ${traceText(error)}\n`);
  return 1;
}

/** Whoever read our output may have gone (`| head`): a run goes on without them. A page for which there is no room is no success. */
function watchOutput(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.stderr.write(`runbook: standard output could not be written (${code ?? 'unknown'})\n`);
    process.once('exit', (exit) => (process.exitCode = exit === 0 ? 1 : exit));
  });
}

watchOutput();
// What is thrown where nothing waits for it would be printed as it is, with the secrets in it.
process.on('uncaughtException', (error) => void failed(error).then((code) => process.exit(code)));
main(process.argv.slice(2))
  .catch(failed)
  .then(
    (code) => {
      process.exitCode = code;
    },
    () => undefined,
  );
