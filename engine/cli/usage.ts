import { nearest } from '../lib/nearest.js';
import { OPTION_HELP, takes, type OptionName } from './options.js';
import { VERBS } from './verbs.js';

const HELP: Readonly<Record<string, string>> = {
  validate: 'validate PLAYBOOK   check every file; contact nothing',
  plan: 'plan PLAYBOOK       say what would be done, host by host; change nothing',
  apply: 'apply PLAYBOOK      carry it out (--dry-run is plan)',
  resume: 'resume              go on with the unfinished run of this inventory',
  close: 'close               restore what an unfinished run changed temporarily, and close the run',
  rollback: 'rollback            go back to the version that the last upgrade came from: a plan first, then a question',
  unlock: 'unlock [PLAYBOOK]   remove the lock of a process that is frozen, or that ended on another machine',
  diagnose: 'diagnose            look for the failures of §7, with evidence and remedy, at any time; change nothing',
  runs: 'runs                list the runs of this inventory',
  show: 'show [RUN]          tell what a run did (the newest, or the one named)',
  modules: 'modules [NAME]      list the modules, or show the arguments of one',
  model: 'model PLAYBOOK      serve the embedded model platform for trying things out (-e from=4.12.0)',
};

const EXITS =
  'Exit codes  0 done · 1 failed, partly changed (diagnose: something found) · 2 invalid input · 3 refused, nothing changed · 4 unreachable · 5 locked: an unfinished run, or another process · 130 interrupted';

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
  const close = nearest(verb, Object.keys(VERBS));
  return `runbook: there is no verb "${verb}"${close === undefined ? '' : `; did you mean "${close}"?`}  (runbook --help)\n`;
}
