import { didYouMean } from './did-you-mean.js';
import { HELP } from './command-help.js';
import { COMMANDS, OPTION_HELP, takes, type OptionName } from './options.js';

const EXITS =
  'Exit codes  0 done · 1 failed, partly changed (diagnose: problems found, verify: worse) · 2 invalid input · 3 refused, nothing changed · 4 unreachable · 5 locked: an unfinished run, another process, or outside the maintenance window · 6 done, but worse than before the run (--fail-if-worse) · 130 interrupted';

/** The help of all verbs, or of one with the lines of the platform's own flags. */
export function usage(verb?: string, more: readonly string[] = []): string {
  const known = verb !== undefined && Object.hasOwn(HELP, verb);
  const lines = known ? [HELP[verb] ?? ''] : Object.values(HELP);
  const options = (Object.keys(OPTION_HELP) as OptionName[]).filter((name) => !known || takes(verb, name));
  return `runbook: declarative runbooks over SSH and HTTPS

${lines.map((l) => `  runbook ${l}`).join('\n')}
${options.length === 0 ? '' : `\nOptions\n${[...options.map((name) => OPTION_HELP[name]), ...more].map((line) => `  ${line}`).join('\n')}\n`}
${EXITS}
`;
}

export function unknownVerb(verb: string): string {
  return `runbook: unknown command "${verb}"${didYouMean(verb, COMMANDS)}  (runbook --help)\n`;
}
