/** What people write on the command line; habits of Ansible's users where the meaning is the same. */
export const OPTIONS = {
  inventory: { type: 'string', short: 'i', multiple: true },
  limit: { type: 'string', short: 'l' },
  'extra-vars': { type: 'string', short: 'e', multiple: true },
  tags: { type: 'string', short: 't' },
  'skip-tags': { type: 'string' },
  'start-at-step': { type: 'string' },
  forks: { type: 'string', short: 'f' },
  check: { type: 'boolean', short: 'C' },
  'dry-run': { type: 'boolean' },
  diff: { type: 'boolean', short: 'D' },
  step: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  verbose: { type: 'boolean', short: 'v', multiple: true },
  json: { type: 'boolean' },
  'list-hosts': { type: 'boolean' },
  'agents-csv': { type: 'boolean' },
  become: { type: 'boolean', short: 'b' },
  'ask-become-pass': { type: 'boolean', short: 'K' },
  'no-diagnose': { type: 'boolean' },
  to: { type: 'string' },
  component: { type: 'string' },
  'lock-wait': { type: 'string' },
  without: { type: 'string' },
  'accept-changes': { type: 'boolean' },
} as const;

export type OptionName = keyof typeof OPTIONS;

const REACH = ['forks', 'become', 'ask-become-pass'] as const;
const CHOICE = [
  'inventory',
  'limit',
  'extra-vars',
  'tags',
  'skip-tags',
  'start-at-step',
  'list-hosts',
  'check',
  'dry-run',
] as const;
const VIEW = ['diff', 'verbose', 'json'] as const;

/** A run keeps what it was told (playbook, inventory, variables, limit, tags); a resume takes edits of the inventory and single variables. */
const TAKES: Readonly<Record<string, readonly OptionName[]>> = {
  validate: ['inventory', 'extra-vars'],
  plan: [...CHOICE, ...REACH, ...VIEW],
  apply: [...CHOICE, ...REACH, ...VIEW, 'yes', 'step', 'no-diagnose', 'lock-wait'],
  resume: [
    'inventory',
    'extra-vars',
    'accept-changes',
    ...REACH,
    ...VIEW,
    'yes',
    'step',
    'no-diagnose',
    'lock-wait',
    'without',
  ],
  rollback: [
    'inventory',
    'extra-vars',
    'list-hosts',
    'check',
    'dry-run',
    'to',
    'component',
    ...REACH,
    ...VIEW,
    'yes',
    'step',
    'no-diagnose',
    'lock-wait',
  ],
  close: ['inventory', ...REACH, ...VIEW, 'yes', 'lock-wait', 'without'],
  diagnose: ['inventory', 'limit', 'extra-vars', 'tags', 'skip-tags', ...REACH, 'json', 'verbose'],
  unlock: ['inventory', 'extra-vars', 'yes', ...REACH],
  runs: ['inventory', 'json'],
  show: ['inventory', 'agents-csv', ...VIEW],
  modules: [],
  model: ['inventory', 'extra-vars'],
};

export const takes = (verb: string, option: OptionName): boolean => TAKES[verb]?.includes(option) === true;

/** Each option in the words of `--help`. */
export const OPTION_HELP: Readonly<Record<OptionName, string>> = {
  inventory: '-i, --inventory FILE      may be given several times; else RUNBOOK_INVENTORY, else ./inventory.yaml',
  limit: '-l, --limit HOSTS         only these: names, globs, roles, groups, !except, &also, separated by commas',
  'extra-vars': '-e, --extra-vars K=V      or a JSON object, or @FILE (YAML or JSON); overrides all other variables',
  tags: '-t, --tags T,T            only steps with these tags',
  'skip-tags': '    --skip-tags T,T       skip steps with these tags',
  'start-at-step': '    --start-at-step NAME  start at this step ("PLAY / STEP" if several have the name)',
  forks: '-f, --forks N             hosts in parallel (50)',
  check: '-C, --check               same as `plan`',
  'dry-run': '    --dry-run             same as `plan`',
  diff: '-D, --diff                show full diffs',
  step: '    --step                ask before each step: yes, no, all',
  yes: '-y, --yes                 start without asking; other questions are still asked',
  verbose: '-v, -vv, -vvv             also unchanged steps; skipped steps and waits; each result',
  json: '    --json                NDJSON on standard output; the first line has format and version',
  'agents-csv': '    --agents-csv          result of each agent, as CSV',
  'list-hosts': '    --list-hosts          list the hosts of each play; contacts nothing',
  become: '-b, --become              use sudo where the inventory does not say',
  'ask-become-pass': '-K, --ask-become-pass     ask for the sudo password',
  to: '    --to X.Y.Z            with rollback: the previous version, if no run has recorded it',
  component: '    --component NAME      with rollback: only this component',
  'lock-wait': '    --lock-wait DURATION  wait for another process that uses this inventory (0s)',
  'accept-changes': '    --accept-changes      with resume: use the inventory as it is now',
  without: '    --without HOST,…       with resume and close: leave out hosts that are lost for good',
  'no-diagnose': '    --no-diagnose         skip the diagnosis after a failure (at most 20 s)',
};
