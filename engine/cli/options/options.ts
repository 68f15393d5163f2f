import { durationMs } from '../../lib/duration.js';
import { FORMATS, type Format } from '../../report/document/format.js';
import type { CommandName } from './commands.js';
import {
  duration,
  isDuration,
  names,
  notEmpty,
  text,
  texts,
  toggle,
  type Option,
  type ValueCheck,
} from './option-kinds.js';

/** Commands that go through the steps of an upgrade, and back; with them those that end a run, or show what would be done. */
const RUNNING = ['apply', 'resume', 'rollback'] as const satisfies readonly CommandName[];
const CHANGING = [...RUNNING, 'close'] as const;
const PLANNING = ['plan', ...CHANGING] as const;
const FIRST = ['plan', 'apply'] as const;
const LOOKING = ['verify', 'diagnose', 'doctor'] as const;
const REACHING = [...PLANNING, ...LOOKING, 'unlock'] as const;

const MOST_CHARACTERS = 500;
const [LEAST_EXPIRES, MOST_EXPIRES] = ['1m', '30d'];

const short: ValueCheck = (given) =>
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
 * What people write on the command line, by the names of the flags that commands get, in the order of the help; habits of Ansible's users where
 * the meaning is the same. A run keeps what it was told (playbook, inventory, variables, limit, tags); a resume takes edits of the inventory
 * and single variables.
 */
export const OPTIONS = {
  inventory: {
    ...texts({
      short: 'i',
      value: 'FILE',
      help: 'may be given several times; else RUNBOOK_INVENTORY, else ./inventory.yaml',
      commands: [
        ...['validate', 'explain', 'approve', 'eval', 'stop', 'attach', 'runs', 'show', 'report', 'worker'],
        ...['store', 'model', ...REACHING],
      ] as readonly CommandName[],
      chooses: true,
    }),
    read: (given) => (Array.isArray(given) ? given.map(String) : undefined),
    write: (files) => files ?? [],
  } as Option<readonly string[] | undefined>,
  limit: text({
    ...{ short: 'l', value: 'HOSTS', check: notEmpty, chooses: true },
    help: 'only these: names, globs, roles, groups, !except, &also, separated by commas',
    commands: [...FIRST, 'diagnose', 'doctor'],
  }),
  extraVars: texts({
    ...{ short: 'e', value: 'K=V', chooses: true },
    help: 'or a JSON object, or @FILE (YAML or JSON); overrides all other variables',
    commands: ['validate', 'explain', 'plan', ...RUNNING, ...LOOKING, 'eval', 'unlock', 'worker', 'model'],
  }),
  tags: names({
    ...{ short: 't', value: 'T,T', chooses: true },
    help: 'only steps with these tags',
    commands: [...FIRST, 'diagnose'],
  }),
  skipTags: names({
    ...{ value: 'T,T', chooses: true },
    help: 'skip steps with these tags',
    commands: [...FIRST, 'diagnose'],
  }),
  startAtStep: text({
    ...{ value: 'NAME', check: notEmpty, chooses: true },
    help: 'start at this step ("PLAY / STEP" if several have the name)',
    commands: FIRST,
  }),
  forks: {
    ...text({ short: 'f', value: 'N', check: countFromOne, help: 'hosts in parallel (50)', commands: REACHING }),
    read: (given) => Number(given ?? 50),
    write: (forks) => [String(forks)],
  } as Option<number>,
  check: toggle({ short: 'C', help: 'same as --dry-run', commands: PLANNING }),
  dryRun: toggle({ help: 'show what would be done; changes nothing', commands: PLANNING }),
  detail: toggle({ help: 'with a plan: every change after the first page', commands: ['plan', ...RUNNING, 'show'] }),
  output: text({
    ...{ short: 'o', value: 'FILE', check: notEmpty },
    help: 'with plan: a file that `apply FILE` runs, once; with report, init, bundle and runs --export: the file',
    commands: ['init', 'plan', 'runs', 'report', 'bundle'],
  }),
  validMs: duration({
    ...{ name: 'valid', value: 'DURATION', other: '7d', check: isDuration('7d') },
    help: 'with -o: how long the plan can be applied (7d)',
    commands: ['plan'],
  }),
  compare: text({
    ...{ value: 'FILE', check: notEmpty },
    help: 'with plan: what differs from the plan in this file',
    commands: ['plan'],
  }),
  why: text({
    ...{ value: 'STEP', check: notEmpty },
    help: 'with plan: the conditions of this step, and what each host answered',
    commands: ['plan'],
  }),
  allow: texts({
    value: 'STEP',
    help: 'with apply FILE: this step may differ from the plan; may be given several times',
    commands: ['apply'],
  }),
  expiresMs: duration({
    ...{ name: 'expires', value: 'DURATION', other: '24h', check: approvalTime },
    help: 'with approve: how long the approval counts, 1m to 30d (24h)',
    commands: ['approve'],
  }),
  show: toggle({ help: 'with approve: only show the plan and who approved it', commands: ['approve'] }),
  waive: texts({
    ...{ value: 'NAME', chooses: true },
    help: 'go on although this requirement is broken (runbook explain names them); needs --reason',
    commands: ['plan', ...RUNNING],
  }),
  reason: text({
    ...{ value: 'TEXT', check: short, chooses: true },
    help: 'why: recorded in the run, with who, when and from where',
    commands: PLANNING,
  }),
  ticket: text({
    ...{ value: 'ID', check: short },
    help: 'the change ticket: recorded in the run, and shown by runs',
    commands: CHANGING,
  }),
  window: text({
    ...{ value: 'OPENS/CLOSES [ZONE]', chooses: true },
    help: 'the maintenance window: "22:00/02:00", "2026-11-21 22:00/02:00 Europe/Berlin"',
    commands: [...FIRST, 'resume'],
  }),
  outsideWindow: toggle({
    help: 'run outside the maintenance window, and where the rest of it is too short',
    commands: ['apply', 'resume'],
  }),
  diff: toggle({ short: 'D', help: 'show full diffs', commands: [...PLANNING, 'attach', 'show'] }),
  step: toggle({ help: 'ask before each step: yes, no, all', commands: RUNNING }),
  /** Plays, phases or steps, and below hosts of serial plays, at which the run asks whether to go on. */
  pauseBefore: texts({
    value: 'NAME',
    help: 'ask before this play, phase or step; without a terminal stop there',
    commands: RUNNING,
  }),
  pauseAfter: texts({
    value: 'NAME',
    help: 'the same after this step, or this host of a serial play',
    commands: RUNNING,
  }),
  detach: toggle({
    help: 'run in the background, where a lost connection does not end it (with -y)',
    commands: RUNNING,
  }),
  yes: toggle({
    short: 'y',
    help: 'start without asking; other questions are still asked',
    commands: ['approve', ...CHANGING, 'unlock'],
  }),
  verbosity: {
    ...toggle({
      ...{ name: 'verbose', short: 'v', value: '-vv, -vvv' },
      help: 'also unchanged steps; skipped steps and waits; each result',
      commands: [...PLANNING, 'diagnose', 'doctor', 'attach', 'show'],
    }),
    multiple: true,
    read: (given) => (Array.isArray(given) ? given.length : 0),
    write: (times) => Array.from({ length: times }, () => true as const),
  } as Option<number>,
  json: toggle({
    help: 'NDJSON on standard output: events, then a summary (docs/json.md)',
    commands: [...PLANNING, ...LOOKING, 'eval', 'attach', 'runs', 'show'],
  }),
  plain: toggle({
    help: 'lines with their time in place of the live view',
    commands: [...PLANNING, 'attach', 'show'],
  }),
  format: {
    ...text({
      ...{ value: 'FORMAT', check: formatName },
      help: 'a document for the change ticket on standard output: md, html or json',
      commands: ['plan', 'resume', 'rollback', 'close', 'show', 'report'],
    }),
    read: (given) => FORMATS.find((name) => name === given),
  } as Option<Format | undefined>,
  public: toggle({ help: 'with report: mask names of hosts and users, and addresses', commands: ['report'] }),
  itemsCsv: toggle({ help: 'result of each item of a request, such as a host, as CSV', commands: ['show'] }),
  listHosts: toggle({ help: 'list the hosts of each play; contacts nothing', commands: [...FIRST, 'rollback'] }),
  become: toggle({
    ...{ short: 'b', chooses: true },
    help: 'use sudo where the inventory does not say',
    commands: [...REACHING, 'eval'],
  }),
  askBecomePass: toggle({ short: 'K', help: 'ask for the sudo password', commands: [...REACHING, 'eval'] }),
  to: text({
    ...{ value: 'VERSION', check: notEmpty },
    help: 'with rollback: the previous version, if no run has recorded it',
    commands: ['rollback'],
  }),
  component: text({
    ...{ value: 'NAME', check: notEmpty },
    help: 'with rollback: only this component',
    commands: ['rollback'],
  }),
  lockWaitMs: duration({
    ...{ name: 'lock-wait', value: 'DURATION', other: '0s', check: isDuration('10m') },
    help: 'wait for another process that uses this inventory (0s)',
    commands: [...CHANGING, 'runs'],
  }),
  takeOver: toggle({
    help: 'with a store: take the run from the machine that works on it, which can then do no more',
    commands: ['resume', 'rollback', 'close'],
  }),
  acceptChanges: toggle({
    help: 'with resume, rollback: use the inventory as it is now',
    commands: ['resume', 'rollback'],
  }),
  without: names({
    value: 'HOST,…',
    help: 'with resume and close: leave out hosts that are lost for good',
    commands: ['resume', 'close'],
  }),
  done: texts({
    value: 'STEP',
    help: 'with resume: a step of which it is not known was done; "STEP on HOST" if it is on several',
    commands: ['resume'],
  }),
  notDone: texts({ value: 'STEP', help: 'the same: it was not done, and is done now', commands: ['resume'] }),
  fromHosts: toggle({
    help: "with resume or apply: the run's folder is an older copy, or lost; go on from what the hosts have",
    commands: ['apply', 'resume'],
  }),
  host: text({
    ...{ value: 'NAME', check: notEmpty },
    help: 'with eval: the host whose facts and variables are read',
    commands: ['eval'],
  }),
  zone: text({
    ...{ value: 'NAME', check: notEmpty },
    help: 'with worker: the zone whose hosts it reaches',
    commands: ['worker'],
  }),
  playbook: text({
    ...{ value: 'FILE', check: notEmpty },
    help: 'with eval: take the platform file of this playbook',
    commands: ['eval'],
  }),
  needs: toggle({
    help: 'with doctor: what to request before: ports, sudo, permissions; contacts nothing',
    commands: ['doctor'],
  }),
  withNode: toggle({ help: 'with bundle: the node binary, too', commands: ['bundle'] }),
  exportRun: text({
    ...{ name: 'export', value: 'RUN', check: notEmpty },
    help: 'with runs: write all of this run (an id, or last) to one file (-o FILE)',
    commands: ['runs'],
  }),
  importFile: text({
    ...{ name: 'import', value: 'FILE', check: notEmpty },
    help: 'with runs: take a run from such a file, to show, report or resume it here',
    commands: ['runs'],
  }),
  ansible: text({
    ...{ value: 'FILE', check: notEmpty },
    help: 'with init: take hosts, users, ports and jump hosts of an Ansible inventory',
    commands: ['init'],
  }),
  map: texts({
    value: 'GROUP=ROLE',
    help: 'with --ansible: the role of its hosts, or none; several roles with commas; repeat it for each group',
    commands: ['init'],
  }),
  hosts: texts({
    value: 'ROLE=HOST,…',
    help: 'with init: the names, ranges or addresses of the hosts of a role; repeat it for each role',
    commands: ['init'],
  }),
  set: texts({
    value: 'PLACE=VALUE',
    help: 'with init: a value, such as platform.target=4.14.7; repeat it for each value',
    commands: ['init'],
  }),
  /** After a failure the known failures are looked for on the hosts that failed. */
  diagnose: {
    ...toggle({ name: 'no-diagnose', help: 'skip the diagnosis after a failure (at most 20 s)', commands: RUNNING }),
    read: (given) => given !== true,
    write: (diagnose) => (diagnose ? [] : [true]),
  } as Option<boolean>,
  failIfWorse: toggle({
    help: 'exit with 6 where a run is done and a measure is worse than before it, or not read again',
    commands: ['apply', 'resume'],
  }),
};

type Flag = keyof typeof OPTIONS;
type Read<O> = O extends Option<infer V> ? V : never;

/** What a command line says, with the defaults of what it does not. */
export type Flags = { readonly [F in Flag]: Read<(typeof OPTIONS)[F]> } & { readonly positionals: readonly string[] };

const hyphened = (flag: string): string => flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Each option with the flag that it sets, by its name. */
export const BY_NAME: ReadonlyMap<string, { readonly flag: Flag; readonly option: Option<unknown> }> = new Map(
  Object.entries(OPTIONS).map(([flag, option]) => [
    option.name ?? hyphened(flag),
    { flag: flag as Flag, option: option as Option<unknown> },
  ]),
);

export const takes = (command: CommandName, name: string): boolean =>
  BY_NAME.get(name)?.option.commands.includes(command) === true;

/** The names of the options that a command takes. */
export const namesOf = (command: CommandName): readonly string[] =>
  [...BY_NAME.keys()].filter((name) => takes(command, name));
