/** Each command in the words of `--help`. */
export const HELP: Readonly<Record<string, string>> = {
  init: 'init                write a commented inventory, from answers, flags or an Ansible inventory; contacts nothing',
  doctor: 'doctor [PLAYBOOK]   check hosts and endpoints for what the upgrade needs, with the fix; changes nothing',
  validate: 'validate PLAYBOOK   check all files; contacts nothing',
  explain: 'explain PLAYBOOK [PLAY]  list the steps, of a play or phase too, with conditions; contacts nothing',
  plan: 'plan PLAYBOOK       show what would be done on each host; changes nothing',
  approve:
    'approve PLAN        approve a plan that plan -o wrote, where the inventory asks for approvals; --show lists them',
  apply: 'apply PLAYBOOK      run the playbook (with --dry-run: plan); apply FILE runs a plan written by plan -o',
  resume: 'resume              continue the unfinished run of this inventory',
  close: 'close               restore temporary changes of the unfinished run and close it',
  rollback: 'rollback            return to the version before the last upgrade; shows a plan and asks',
  attach: 'attach [RUN]        the live view of a run of another process; q detaches',
  stop: 'stop                stop the run of this inventory at its next safe point, from another terminal',
  unlock: 'unlock [PLAYBOOK]   remove the lock of a process that is frozen or ended on another machine',
  eval: "eval EXPRESSION     print an expression's value, type and sources (such as 'fact.health.status'); changes nothing",
  diagnose: 'diagnose            check for known failures, with evidence and fix; changes nothing',
  verify: 'verify              compare what was measured before the upgrade with now; changes nothing',
  runs: 'runs                list the runs of this inventory; write one to a file, or take it from there (--export, --import)',
  show: 'show [RUN]          show what a run did (default: the newest); show FILE shows a plan written by plan -o',
  report: 'report [RUN]        write what a run did as a document: md, html or json (default: the newest run)',
  worker: 'worker --zone NAME  reach the hosts of a zone for controllers elsewhere, until it is ended',
  store: 'store create        make the store in which a team shares its runs',
  modules: 'modules [NAME]      list the modules, or the arguments of one',
  completion: 'completion SHELL    print a completion script for bash, zsh or fish',
  bundle: 'bundle              write an archive of the program for a machine without internet',
  model: 'model PLAYBOOK      run the embedded model platform (-e from=4.12.0)',
};

/** What each command does, in one sentence. */
export const summaries: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(HELP).map(([verb, text]) => [verb, text.replace(/^\S+(?: \[?[A-Z]+\]?)* +/, '')]),
);
