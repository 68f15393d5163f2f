interface Command {
  /** How it is written in the help: its name and its arguments. */
  readonly usage: string;
  /** What it does, in one sentence. */
  readonly summary: string;
  /** It reads the runs of an inventory, which a team may share. */
  readonly readsRuns?: true;
}

/** What `runbook` can do, in the order of the help. */
const TABLE = {
  init: {
    usage: 'init',
    summary: 'write a commented inventory, from answers, flags or an Ansible inventory; contacts nothing',
  },
  doctor: {
    usage: 'doctor [PLAYBOOK]',
    summary: 'check hosts and endpoints for what the upgrade needs, with the fix; changes nothing',
  },
  validate: {
    usage: 'validate PLAYBOOK',
    summary: 'check all files; contacts nothing',
  },
  explain: {
    usage: 'explain PLAYBOOK [PLAY]',
    summary: 'list the steps, of a play or phase too, with conditions; contacts nothing',
  },
  plan: {
    usage: 'plan PLAYBOOK',
    summary: 'show what would be done on each host; changes nothing',
    readsRuns: true,
  },
  approve: {
    usage: 'approve PLAN|RUN',
    summary:
      'approve a plan that plan -o wrote, or what a run waived, where the inventory asks for approvals; --show lists them',
  },
  apply: {
    usage: 'apply PLAYBOOK',
    summary: 'run the playbook (with --dry-run: plan); apply FILE runs a plan written by plan -o',
    readsRuns: true,
  },
  resume: {
    usage: 'resume',
    summary: 'continue the unfinished run of this inventory',
    readsRuns: true,
  },
  close: {
    usage: 'close',
    summary: 'restore temporary changes of the unfinished run and close it',
    readsRuns: true,
  },
  rollback: {
    usage: 'rollback',
    summary: 'return to the version before the last upgrade; shows a plan and asks',
    readsRuns: true,
  },
  attach: {
    usage: 'attach [RUN]',
    summary: 'the live view of a run of another process; q detaches',
    readsRuns: true,
  },
  stop: {
    usage: 'stop',
    summary: 'stop the run of this inventory at its next safe point, from another terminal',
    readsRuns: true,
  },
  unlock: {
    usage: 'unlock [PLAYBOOK]',
    summary: 'remove the lock of a process that is frozen or ended on another machine',
    readsRuns: true,
  },
  eval: {
    usage: 'eval EXPRESSION',
    summary: "print an expression's value, type and sources (such as 'fact.health.status'); changes nothing",
  },
  diagnose: {
    usage: 'diagnose',
    summary: 'check for known failures, with evidence and fix; changes nothing',
  },
  verify: {
    usage: 'verify',
    summary: 'compare what was measured before the upgrade with now; changes nothing',
    readsRuns: true,
  },
  runs: {
    usage: 'runs',
    summary: 'list the runs of this inventory; write one to a file, or take it from there (--export, --import)',
    readsRuns: true,
  },
  show: {
    usage: 'show [RUN]',
    summary: 'show what a run did (default: the newest); show FILE shows a plan written by plan -o',
    readsRuns: true,
  },
  report: {
    usage: 'report [RUN]',
    summary: 'write what a run did as a document: md, html or json (default: the newest run)',
    readsRuns: true,
  },
  worker: {
    usage: 'worker --zone NAME',
    summary: 'reach the hosts of a zone for controllers elsewhere, until it is ended',
  },
  store: {
    usage: 'store create',
    summary: 'make the store in which a team shares its runs',
  },
  modules: {
    usage: 'modules [NAME]',
    summary: 'list the modules, or the arguments of one',
  },
  completion: {
    usage: 'completion SHELL',
    summary: 'print a completion script for bash, zsh or fish',
  },
  bundle: {
    usage: 'bundle',
    summary: 'write an archive of the program for a machine without internet',
  },
  model: {
    usage: 'model PLAYBOOK',
    summary: 'run the embedded model platform (-e from=4.12.0)',
  },
} satisfies Readonly<Record<string, Command>>;

export type CommandName = keyof typeof TABLE;

export const COMMANDS: Readonly<Record<CommandName, Command>> = TABLE;

export const isCommand = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);
