import { decode } from '../../facts/answer.js';
import type { ProbeOutput } from '../../facts/kind.js';
import { lastLines } from '../../lib/last-lines.js';
import { quote, quoteOne } from '../../lib/quote.js';
import type { Command, Outcome } from '../../terms/action.js';

/** How long an ended command has to end itself before it is killed, and then how long the answer may take to come. */
export const graceMs = 5_000;

/**
 * A command as the last words of a shell line. By `env`, so that the name is a program's and never a shell's own word.
 */
export function commandText({ argv, env = {} }: Pick<Command, 'argv' | 'env'>): string {
  return quote(['env', ...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...argv]);
}

/**
 * Runs a command, whose shell has a mark among its arguments, in a process group of its own. `timeout` ends that group, also after the
 * connection is lost. The shell around the command outlives TERM; otherwise `timeout` would take the shell's end for the command's, and
 * would never send KILL. Output goes through files: a daemon that the command leaves behind keeps those open and nothing else. Prints the
 * status and the lengths on one line, then both outputs.
 */
export const runText = (command: Omit<Command, 'stdin'>, mark: string, keptBytes: number): string => `scratch || exit 97
trap 'rm -rf -- "$d"' EXIT
timeout -k ${graceMs / 1000} ${command.timeoutMs / 1000} /bin/sh -c ${quoteOne(`trap 'exit 1' TERM; ${commandText(command)}; echo "$?" >"$0"`)} "$d/exit" ${mark} >"$d/out" 2>"$d/err"
read -r x <"$d/exit" || x=timeout
${outputText('"$d/out"', '"$d/err"', keptBytes)}`;

/** Shell that prints `$x`, two lengths, `cut` where one of them is not the whole, and the ends of two files. */
export const outputText = (
  out: string,
  err: string,
  keptBytes: number,
): string => `c=; o=$(wc -c <${out}); [ "$o" -le ${keptBytes} ] || { o=${keptBytes}; c=' cut'; }
e=$(wc -c <${err}); [ "$e" -le ${keptBytes} ] || { e=${keptBytes}; c=' cut'; }
printf '%s %s %s%s\\n' "$x" "$o" "$e" "$c"; tail -c "$o" -- ${out}; tail -c "$e" -- ${err}`;

export interface Output {
  /** What stood for the exit status. */
  readonly status: string;
  readonly stdout: string;
  readonly stderr: string;
  /** These are only the ends of what was printed. */
  readonly cut?: true;
}

/** Reads what `outputText` printed. */
export function readOutput(latin1: string): Output | undefined {
  const [head, status = '', out, err, cut] = /^(\S+) (\d+) (\d+)( cut)?\n/.exec(latin1) ?? [];
  if (head === undefined) return undefined;
  const middle = head.length + Number(out);
  return {
    status,
    stdout: decode(latin1.slice(head.length, middle)).text,
    stderr: decode(latin1.slice(middle, middle + Number(err))).text,
    ...(cut === undefined ? {} : { cut: true }),
  };
}

/** Of a command that has ended. */
export const endedWith = ({ status, ...output }: Output): Extract<Outcome, { is: 'ended' }> => ({
  is: 'ended',
  exit: Number(status),
  ...output,
});

export function outcomeOfRun(printed: ProbeOutput, timeoutMs: number): Outcome {
  const output = readOutput(printed.stdout);
  if (output === undefined)
    return {
      is: 'refused',
      by: 'machine',
      found: 'no temporary directory can be written to',
      hint: 'is there space in /tmp, /run or /var/tmp?',
    };
  if (output.status === 'timeout') return { is: 'unknown', why: 'timeout', detail: overdue(timeoutMs, output) };
  return endedWith(output);
}

/** What was printed last, to say why it did not go well. */
export const lastWords = (printed: string): string => lastLines(printed, 3).join('\n');

function overdue(timeoutMs: number, { stdout, stderr }: Output): string {
  const said = lastWords(`${lastWords(stdout)}\n${stderr}`);
  return `ended after its time limit of ${timeoutMs / 1000} s${said === '' ? ', without a word' : `; its last words: ${said}`}`;
}
