import { nearest } from '../lib/nearest.js';
import { VERBS } from './verbs.js';

const HELP: Readonly<Record<string, string>> = {
  validate: 'validate PLAYBOOK            check every file; contact nothing',
  plan: 'plan PLAYBOOK                say what would be done, host by host; change nothing',
  apply: 'apply PLAYBOOK               carry it out (--dry-run is plan)',
  resume: 'resume                       go on with the unfinished run of this inventory',
  release: 'release                      give back what an unfinished run left in place, and close it',
  runs: 'runs                         list the runs of this inventory',
  show: 'show [RUN]                   tell what a run did (the newest, or the one named)',
  modules: 'modules [NAME]               list the modules, or show the arguments of one',
  model: 'model PLAYBOOK               serve the embedded model platform for trying things out (-e from=4.12.0)',
};

export function usage(verb?: string): string {
  const lines = verb !== undefined && verb in HELP ? [HELP[verb] ?? ''] : Object.values(HELP);
  return `runbook: declarative runbooks over SSH and HTTPS

${lines.map((l) => `  runbook ${l}`).join('\n')}

Options
  -i, --inventory FILE     may be given several times; else RUNBOOK_INVENTORY, else ./inventory.yaml
  -l, --limit HOSTS        only these: names, globs, roles, groups, !except, separated by commas
  -e, --extra-vars K=V     or a JSON object, or @file; above all other vars
  -t, --tags T  --skip-tags T
  -f, --forks N            hosts side by side (50)
  -C, --check, --dry-run   with apply: plan
  -D, --diff               whole diffs
  -y, --yes                answers only the question whether to begin
  -K, --ask-become-pass    asks once for the sudo password
  -v, -vv, -vvv            also what is already right, what is skipped, every wait
  --json                   events as NDJSON on standard output
  --list-hosts             with plan and apply: which hosts each play takes; contact nothing

Exit codes  0 done · 1 failed, partly changed · 2 invalid input · 3 refused, nothing changed · 4 unreachable · 5 an unfinished run is in the way · 130 interrupted
`;
}

export function unknownVerb(verb: string): string {
  const close = nearest(verb, Object.keys(VERBS));
  return `runbook: there is no verb "${verb}"${close === undefined ? '' : `; did you mean "${close}"?`}  (runbook --help)\n`;
}
