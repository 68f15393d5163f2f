import { durationMs } from '../../lib/duration.js';
import { FORMATS } from '../../report/document/format.js';
import type { CommandName } from './commands.js';
import {
  countOption,
  durationOption,
  isDuration,
  listOption,
  notEmpty,
  repeatedOption,
  switchOption,
  textOption,
  textsOption,
  valueOption,
  type Option,
  type ValueCheck,
} from './option-kinds.js';

/** Commands that act on hosts by steps. */
const RUNNING = ['apply', 'resume', 'rollback'] as const satisfies readonly CommandName[];
/** Commands that change hosts. */
const CHANGING = [...RUNNING, 'close'] as const;
/** Commands that show or make a plan. */
const PLANNING = ['plan', ...CHANGING] as const;
/** Commands that take a playbook and a selection of it. */
const STARTING = ['plan', 'apply'] as const;
const READ_ONLY = ['verify', 'diagnose', 'doctor'] as const;
/** Commands that contact hosts. */
const CONTACTING = [...PLANNING, ...READ_ONLY, 'unlock'] as const;

const MOST_CHARACTERS = 500;
const [LEAST_EXPIRES, MOST_EXPIRES] = ['1m', '30d'];

const atMost500: ValueCheck = (given) =>
  notEmpty(given) ?? (given.length > MOST_CHARACTERS ? ` takes at most ${MOST_CHARACTERS} characters` : undefined);
const approvalTime: ValueCheck = (given) => {
  const [ms = 0, least = 0, most = 0] = [given, LEAST_EXPIRES, MOST_EXPIRES].map(durationMs);
  const wrong = ms < least || ms > most ? ` takes ${LEAST_EXPIRES} to ${MOST_EXPIRES}, not "${given}"` : undefined;
  return isDuration('24h')(given) ?? wrong;
};
const countFromOne: ValueCheck = (given) =>
  Number.isInteger(Number(given)) && Number(given) >= 1 ? undefined : ` takes a whole number from 1, not "${given}"`;
const formatName: ValueCheck = (given) =>
  notEmpty(given) ??
  (FORMATS.some((name) => name === given) ? undefined : ` takes ${FORMATS.join(', ')}, not "${given}"`);

/**
 * What operators write on the command line, by the names of the flags that commands get, in the order of the help; habits of Ansible's users
 * where the meaning is the same. A run keeps its playbook, inventory, variables, limit and tags; a resume takes edits of the inventory and
 * single variables.
 */
export const OPTIONS = {
  inventory: repeatedOption(
    {
      short: 'i',
      value: 'FILE',
      help: 'may be given several times; else RUNBOOK_INVENTORY, else ./inventory.yaml',
      commands: [
        ...CONTACTING,
        'validate',
        'explain',
        'approve',
        'eval',
        'stop',
        'attach',
        'runs',
        'show',
        'report',
        'worker',
        'store',
        'model',
      ],
      selects: true,
    },
    (files) => files,
  ),
  limit: textOption({
    short: 'l',
    value: 'HOSTS',
    check: notEmpty,
    selects: true,
    help: 'only these: names, globs, roles, groups, !except, &also, separated by commas',
    commands: [...STARTING, 'diagnose', 'doctor'],
  }),
  extraVars: textsOption({
    short: 'e',
    value: 'K=V',
    selects: true,
    help: 'or a JSON object, or @FILE (YAML or JSON); overrides all other variables',
    commands: ['validate', 'explain', 'plan', ...RUNNING, ...READ_ONLY, 'eval', 'unlock', 'worker', 'model'],
  }),
  tags: listOption({
    short: 't',
    value: 'T,T',
    selects: true,
    help: 'only steps with these tags',
    commands: [...STARTING, 'diagnose'],
  }),
  skipTags: listOption({
    value: 'T,T',
    selects: true,
    help: 'skip steps with these tags',
    commands: [...STARTING, 'diagnose'],
  }),
  startAtStep: textOption({
    value: 'NAME',
    check: notEmpty,
    selects: true,
    help: 'start at this step ("PLAY / STEP" if several have the name)',
    commands: STARTING,
  }),
  forks: valueOption(
    { short: 'f', value: 'N', check: countFromOne, help: 'hosts in parallel (50)', commands: CONTACTING },
    (forks) => Number(forks ?? 50),
  ),
  check: switchOption({ short: 'C', help: 'same as --dry-run', commands: PLANNING }),
  dryRun: switchOption({ help: 'show what would be done; changes nothing', commands: PLANNING }),
  detail: switchOption({
    help: 'with a plan: every change after the first page',
    commands: ['plan', ...RUNNING, 'show'],
  }),
  output: textOption({
    short: 'o',
    value: 'FILE',
    check: notEmpty,
    help: 'with plan: a file that `apply FILE` runs, once; with report, init, bundle and runs --export: the file',
    commands: ['init', 'plan', 'runs', 'report', 'bundle'],
  }),
  validMs: durationOption({
    name: 'valid',
    value: 'DURATION',
    default: '7d',
    check: isDuration('7d'),
    help: 'with -o: how long the plan can be applied (7d)',
    commands: ['plan'],
  }),
  compare: textOption({
    value: 'FILE',
    check: notEmpty,
    help: 'with plan: what differs from the plan in this file',
    commands: ['plan'],
  }),
  why: textOption({
    value: 'STEP',
    check: notEmpty,
    help: 'with plan: the conditions of this step, and what each host answered',
    commands: ['plan'],
  }),
  allow: textsOption({
    value: 'STEP',
    help: 'with apply FILE: this step may differ from the plan; may be given several times',
    commands: ['apply'],
  }),
  expiresMs: valueOption(
    {
      name: 'expires',
      value: 'DURATION',
      check: approvalTime,
      help: 'with approve PLAN: how long the approval counts, 1m to 30d (24h)',
      commands: ['approve'],
    },
    (value) => (value === undefined ? undefined : durationMs(value)),
  ),
  show: switchOption({
    help: 'with approve: only show the plan, or what was waived, and who approved it',
    commands: ['approve'],
  }),
  waive: textsOption({
    value: 'NAME',
    selects: true,
    help: 'go on although this requirement is broken (runbook explain names them); needs --reason',
    commands: ['plan', ...RUNNING],
  }),
  reason: textOption({
    value: 'TEXT',
    check: atMost500,
    selects: true,
    help: 'why: recorded in the run, with who, when and from where',
    commands: PLANNING,
  }),
  ticket: textOption({
    value: 'ID',
    check: atMost500,
    help: 'the change ticket: recorded in the run, and shown by runs',
    commands: CHANGING,
  }),
  window: textOption({
    value: 'OPENS/CLOSES [ZONE]',
    selects: true,
    help: 'the maintenance window: "22:00/02:00", "2026-11-21 22:00/02:00 Europe/Berlin"',
    commands: [...STARTING, 'resume'],
  }),
  outsideWindow: switchOption({
    help: 'run outside the maintenance window, and where the rest of it is too short',
    commands: ['apply', 'resume'],
  }),
  diff: switchOption({ short: 'D', help: 'show full diffs', commands: [...PLANNING, 'attach', 'show'] }),
  step: switchOption({ help: 'ask before each step: yes, no, all', commands: RUNNING }),
  pauseBefore: textsOption({
    value: 'NAME',
    help: 'ask before this play, phase or step; without a terminal stop there',
    commands: RUNNING,
  }),
  pauseAfter: textsOption({
    value: 'NAME',
    help: 'the same after this step, or this host of a serial play',
    commands: RUNNING,
  }),
  detach: switchOption({
    help: 'run in the background, where a lost connection does not end it (with -y)',
    commands: RUNNING,
  }),
  yes: switchOption({
    short: 'y',
    help: 'start without asking; other questions are still asked',
    commands: ['approve', ...CHANGING, 'unlock'],
  }),
  verbosity: countOption({
    name: 'verbose',
    short: 'v',
    help: 'also unchanged steps; skipped steps and waits; each result',
    commands: [...PLANNING, 'diagnose', 'doctor', 'attach', 'show'],
  }),
  json: switchOption({
    help: 'NDJSON on standard output: events, then a summary (docs/json.md)',
    commands: [...PLANNING, ...READ_ONLY, 'eval', 'attach', 'runs', 'show'],
  }),
  plain: switchOption({
    help: 'lines with their time in place of the live view',
    commands: [...PLANNING, 'attach', 'show'],
  }),
  format: valueOption(
    {
      value: 'FORMAT',
      check: formatName,
      help: 'a document for the change ticket on standard output: md, html or json',
      commands: ['plan', 'resume', 'rollback', 'close', 'show', 'report'],
    },
    (format) => FORMATS.find((name) => name === format),
  ),
  public: switchOption({ help: 'with report: mask names of hosts and users, and addresses', commands: ['report'] }),
  itemsCsv: switchOption({ help: 'result of each item of a request, such as a host, as CSV', commands: ['show'] }),
  listHosts: switchOption({
    help: 'list the hosts of each play; contacts nothing',
    commands: [...STARTING, 'rollback'],
  }),
  become: switchOption({
    short: 'b',
    selects: true,
    help: 'use sudo where the inventory does not say',
    commands: [...CONTACTING, 'eval'],
  }),
  askBecomePass: switchOption({ short: 'K', help: 'ask for the sudo password', commands: [...CONTACTING, 'eval'] }),
  to: textOption({
    value: 'VERSION',
    check: notEmpty,
    help: 'with rollback: the previous version, if no run has recorded it',
    commands: ['rollback'],
  }),
  component: textOption({
    value: 'NAME',
    check: notEmpty,
    help: 'with rollback: only this component',
    commands: ['rollback'],
  }),
  lockWaitMs: durationOption({
    name: 'lock-wait',
    value: 'DURATION',
    default: '0s',
    check: isDuration('10m'),
    help: 'wait for another process that uses this inventory (0s)',
    commands: [...CHANGING, 'runs'],
  }),
  takeOver: switchOption({
    help: 'with a store: take the run from the machine that works on it, which can then do no more',
    commands: ['resume', 'rollback', 'close'],
  }),
  acceptChanges: switchOption({
    help: 'with resume, rollback: use the inventory as it is now',
    commands: ['resume', 'rollback'],
  }),
  without: listOption({
    value: 'HOST,…',
    help: 'with resume and close: leave out hosts that are lost for good',
    commands: ['resume', 'close'],
  }),
  done: textsOption({
    value: 'STEP',
    help: 'with resume: a step of which it is not known was done; "STEP on HOST" if it is on several',
    commands: ['resume'],
  }),
  notDone: textsOption({ value: 'STEP', help: 'the same: it was not done, and is done now', commands: ['resume'] }),
  fromHosts: switchOption({
    help: "with resume or apply: the run's folder is an older copy, or lost; go on from what the hosts have",
    commands: ['apply', 'resume'],
  }),
  host: textOption({
    value: 'NAME',
    check: notEmpty,
    help: 'with eval: the host whose facts and variables are read',
    commands: ['eval'],
  }),
  zone: textOption({
    value: 'NAME',
    check: notEmpty,
    help: 'with worker: the zone whose hosts it reaches',
    commands: ['worker'],
  }),
  playbook: textOption({
    value: 'FILE',
    check: notEmpty,
    help: 'with eval: take the platform file of this playbook',
    commands: ['eval'],
  }),
  needs: switchOption({
    help: 'with doctor: what to request before: ports, sudo, permissions; contacts nothing',
    commands: ['doctor'],
  }),
  withNode: switchOption({ help: 'with bundle: the node binary, too', commands: ['bundle'] }),
  exportRun: textOption({
    name: 'export',
    value: 'RUN',
    check: notEmpty,
    help: 'with runs: write all of this run (an id, or last) to one file (-o FILE)',
    commands: ['runs'],
  }),
  importFile: textOption({
    name: 'import',
    value: 'FILE',
    check: notEmpty,
    help: 'with runs: take a run from such a file, to show, report or resume it here',
    commands: ['runs'],
  }),
  ansible: textOption({
    value: 'FILE',
    check: notEmpty,
    help: 'with init: take hosts, users, ports and jump hosts of an Ansible inventory',
    commands: ['init'],
  }),
  map: textsOption({
    value: 'GROUP=ROLE',
    help: 'with --ansible: the role of its hosts, or none; several roles with commas; repeat it for each group',
    commands: ['init'],
  }),
  hosts: textsOption({
    value: 'ROLE=HOST,…',
    help: 'with init: the names, ranges or addresses of the hosts of a role; repeat it for each role',
    commands: ['init'],
  }),
  set: textsOption({
    value: 'PLACE=VALUE',
    help: 'with init: a value, such as platform.target=4.14.7; repeat it for each value',
    commands: ['init'],
  }),
  noDiagnose: switchOption({ help: 'skip the diagnosis after a failure (at most 20 s)', commands: RUNNING }),
  failIfWorse: switchOption({
    help: 'exit with 6 where a run is done and a measure is worse than before it, or not read again',
    commands: ['apply', 'resume'],
  }),
};

type Flag = keyof typeof OPTIONS;
type Read<O> = O extends Option<infer V> ? V : never;

/** What a command line says, with the defaults of what it does not. */
export type Flags = { readonly [F in Exclude<Flag, 'check'>]: Read<(typeof OPTIONS)[F]> } & {
  readonly positionals: readonly string[];
};

const hyphened = (flag: string): string => flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Each option with the flag that it sets, by its name. */
export const OPTION_BY_NAME: ReadonlyMap<string, { readonly flag: string; readonly option: Option<unknown> }> = new Map(
  Object.entries<Option<unknown>>(OPTIONS).map(([flag, option]) => [option.name ?? hyphened(flag), { flag, option }]),
);

export const takes = (command: CommandName, name: string): boolean =>
  OPTION_BY_NAME.get(name)?.option.commands.includes(command) === true;

/** The names of the options that a command takes. */
export const optionNames = (command: CommandName): readonly string[] =>
  [...OPTION_BY_NAME.keys()].filter((name) => takes(command, name));
