import { COMMANDS, isCommand } from './commands.js';
import { didYouMean } from './did-you-mean.js';
import type { Option } from './option-kinds.js';
import { OPTION_BY_NAME, takes } from './options.js';

const EXITS =
  'Exit codes  0 done · 1 failed, partly changed (diagnose: problems found, verify: worse) · 2 invalid input · 3 refused, nothing changed · 4 unreachable · 5 locked: an unfinished run, another process, or outside the maintenance window · 6 done, but worse than before the run (--fail-if-worse) · 130 interrupted';

/** The help of all commands, or of one with the lines of the platform's own flags. */
export function usage(command = '', more: readonly string[] = []): string {
  const known = isCommand(command);
  const commands = known ? [COMMANDS[command]] : Object.values(COMMANDS);
  const options = [...OPTION_BY_NAME].filter(([name]) => !known || takes(command, name));
  const lines = [...options.map(([name, { option }]) => optionLine(name, option)), ...more];
  return `runbook: declarative runbooks over SSH and HTTPS

${commands.map(({ usage: written, summary }) => `  runbook ${written.padEnd(18)}  ${summary}`).join('\n')}
${options.length === 0 ? '' : `\nOptions\n${lines.map((line) => `  ${line}`).join('\n')}\n`}
${EXITS}
`;
}

function optionLine(name: string, { short, value = '', help, type, multiple }: Option<unknown>): string {
  const letter = short === undefined ? '   ' : `-${short},`;
  // One that counts is given as -v, -vv or -vvv.
  const counts = type === 'boolean' && multiple === true;
  const written = counts
    ? `${letter} -${short}${short}, -${short}${short}${short}`
    : `${letter} --${name} ${value}`.trimEnd();
  return `${written.padEnd(24)}  ${help}`;
}

export function unknownCommand(command: string): string {
  return `runbook: unknown command "${command}"${didYouMean(command, Object.keys(COMMANDS))}  (runbook --help)\n`;
}
