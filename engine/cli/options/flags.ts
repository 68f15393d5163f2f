import { parseArgs } from 'node:util';
import { durationMs } from '../../lib/duration.js';
import { didYouMean } from './did-you-mean.js';
import { FORMATS, type Format } from '../../report/document/format.js';
import { OPTIONS, takes, type OptionName } from './options.js';

export interface Flags {
  readonly positionals: readonly string[];
  readonly inventory: readonly string[] | undefined;
  readonly limit: string | undefined;
  readonly extraVars: readonly string[];
  readonly tags: ReadonlySet<string> | undefined;
  readonly skipTags: ReadonlySet<string> | undefined;
  readonly startAtStep: string | undefined;
  readonly forks: number;
  readonly dryRun: boolean;
  readonly detail: boolean;
  /** With plan: where it is written, for how long it can be applied, and the plan that it is compared with. */
  readonly output: string | undefined;
  readonly validMs: number;
  readonly compare: string | undefined;
  /** The step whose conditions and outcomes are shown in place of the page. */
  readonly why: string | undefined;
  /** With a plan file: steps that may differ from it. */
  readonly allow: readonly string[];
  /** With approve: how long the approval counts, and that none is given. */
  readonly expiresMs: number;
  readonly show: boolean;
  /** Requirements that only warn. */
  readonly waive: readonly string[];
  /** What the run records. */
  readonly reason: string | undefined;
  readonly ticket: string | undefined;
  /** The maintenance window as it is written, and whether the run may be outside it. */
  readonly window: string | undefined;
  readonly outsideWindow: boolean;
  readonly diff: boolean;
  /** Plays or phases, and hosts of serial plays, at which the run asks whether to go on. */
  readonly pauseBefore: readonly string[];
  readonly pauseAfter: readonly string[];
  readonly detach: boolean;
  readonly yes: boolean;
  readonly step: boolean;
  readonly verbosity: number;
  readonly json: boolean;
  /** No live view. */
  readonly plain: boolean;
  /** The document that is written in place of the page. */
  readonly format: Format | undefined;
  /** Names of hosts and users, and addresses, are masked in it. */
  readonly public: boolean;
  readonly listHosts: boolean;
  readonly itemsCsv: boolean;
  readonly become: boolean;
  readonly askBecomePass: boolean;
  /** After a failure the known failures are looked for on the hosts that failed. */
  readonly diagnose: boolean;
  /** A run that is done exits with a code of its own where the baseline after it is worse than the one before. */
  readonly failIfWorse: boolean;
  /** The version that is gone back to, and the only component that goes. */
  readonly to: string | undefined;
  readonly component: string | undefined;
  /** With resume: the inventory as it is now, in place of the run's copy. */
  readonly acceptChanges: boolean;
  /** Hosts that a run is continued or closed without. */
  readonly without: ReadonlySet<string> | undefined;
  /** With resume: steps of which the operator says that they were done, or were not. */
  readonly done: readonly string[];
  readonly notDone: readonly string[];
  /** With resume: a journal that is older than the hosts is gone on with; with apply: one that is lost. */
  readonly fromHosts: boolean;
  /** With eval: the host whose facts and variables are read, and the playbook whose platform file is taken. */
  readonly host: string | undefined;
  readonly playbook: string | undefined;
  readonly zone: string | undefined;
  /** With doctor: what the upgrade needs is printed, and nothing contacted. */
  readonly needs: boolean;
  /** With bundle: the node binary goes into the archive. */
  readonly withNode: boolean;
  /** With runs: the run that is written to a file, and the file that a run is taken from. */
  readonly exportRun: string | undefined;
  readonly importFile: string | undefined;
  /** With init: the Ansible inventory that is read, roles of its groups, hosts of roles, and values by their places. */
  readonly ansible: string | undefined;
  readonly map: readonly string[];
  readonly hosts: readonly string[];
  readonly set: readonly string[];
  /** How long another process that works with the inventory is waited for. */
  readonly lockWaitMs: number;
  /** Where a team shares its runs: the lock of another machine is taken away. */
  readonly takeOver: boolean;
}

const DEFAULT_FORKS = 50;
const DEFAULT_VALID = '7d';
const DEFAULT_EXPIRES = '24h';
const [LEAST_EXPIRES, MOST_EXPIRES] = ['1m', '30d'];
/** Of a reason or a ticket. */
const MOST_CHARACTERS = 500;

type Values = ReturnType<typeof parse>['values'];
/** What is wrong with a value, to be read after the name of its option. */
type ValueCheck = (text: string) => string | undefined;

const notEmpty: ValueCheck = (text) => (text.replaceAll(',', '').trim() === '' ? ' needs a value' : undefined);
const short: ValueCheck = (text) =>
  notEmpty(text) ?? (text.length > MOST_CHARACTERS ? ` takes at most ${MOST_CHARACTERS} characters` : undefined);
const duration =
  (example: string): ValueCheck =>
  (text) =>
    durationMs(text) === undefined ? `: "${text}" is not a duration; use ${example}` : undefined;
const approvalTime: ValueCheck = (text) => {
  const [ms = 0, least = 0, most = 0] = [text, LEAST_EXPIRES, MOST_EXPIRES].map(durationMs);
  const wrong = ms < least || ms > most ? ` takes ${LEAST_EXPIRES} to ${MOST_EXPIRES}, not "${text}"` : undefined;
  return duration(DEFAULT_EXPIRES)(text) ?? wrong;
};
const countFromOne: ValueCheck = (text) =>
  Number.isInteger(Number(text)) && Number(text) >= 1 ? undefined : ` takes a whole number from 1, not "${text}"`;
const formatName: ValueCheck = (text) =>
  notEmpty(text) ?? (FORMATS.some((name) => name === text) ? undefined : ` takes ${FORMATS.join(', ')}, not "${text}"`);

const VALUE_CHECKS = {
  forks: countFromOne,
  limit: notEmpty,
  tags: notEmpty,
  'skip-tags': notEmpty,
  'start-at-step': notEmpty,
  to: notEmpty,
  component: notEmpty,
  without: notEmpty,
  host: notEmpty,
  zone: notEmpty,
  playbook: notEmpty,
  output: notEmpty,
  compare: notEmpty,
  why: notEmpty,
  ansible: notEmpty,
  export: notEmpty,
  import: notEmpty,
  reason: short,
  ticket: short,
  'lock-wait': duration('10m'),
  valid: duration('7d'),
  expires: approvalTime,
  format: formatName,
} satisfies Partial<Record<OptionName, ValueCheck>>;

/** The flags of a verb, or one clear sentence; `more` are options of the platform's, which it may have meant. */
export function parseFlags(
  verb: string,
  argv: readonly string[],
  more: readonly string[] = [],
): Flags | { readonly mistake: string } {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(argv);
  } catch (error) {
    return { mistake: explain(verb, error, more) };
  }
  const mistake = mistakeIn(verb, parsed.values);
  return mistake === undefined ? flagsOf(parsed) : { mistake };
}

function mistakeIn(verb: string, values: Values): string | undefined {
  const foreign = (Object.keys(values) as OptionName[]).find((name) => !takes(verb, name));
  if (foreign !== undefined) return `${verb} takes no --${foreign}  (runbook ${verb} --help)`;
  for (const name of Object.keys(VALUE_CHECKS) as (keyof typeof VALUE_CHECKS)[]) {
    const text = values[name];
    const wrong = text === undefined ? undefined : VALUE_CHECKS[name](text);
    if (wrong !== undefined) return `--${name}${wrong}`;
  }
  if (values.format !== undefined && values.json === true)
    return '--json and --format exclude each other; use one of them';
  return undefined;
}

/** Options without a mistake as flags: what was not given has its default. */
function flagsOf({ values, positionals }: ReturnType<typeof parse>): Flags {
  return {
    positionals,
    inventory: values.inventory,
    limit: values.limit,
    extraVars: values['extra-vars'] ?? [],
    tags: list(values.tags),
    skipTags: list(values['skip-tags']),
    startAtStep: values['start-at-step'],
    forks: Number(values.forks ?? DEFAULT_FORKS),
    dryRun: values.check === true || values['dry-run'] === true,
    detail: values.detail === true,
    output: values.output,
    validMs: durationMs(values.valid ?? DEFAULT_VALID) ?? 0,
    compare: values.compare,
    why: values.why,
    allow: values.allow ?? [],
    expiresMs: durationMs(values.expires ?? DEFAULT_EXPIRES) ?? 0,
    show: values.show === true,
    waive: values.waive ?? [],
    reason: values.reason,
    ticket: values.ticket,
    window: values.window,
    outsideWindow: values['outside-window'] === true,
    diff: values.diff === true,
    pauseBefore: values['pause-before'] ?? [],
    pauseAfter: values['pause-after'] ?? [],
    detach: values.detach === true,
    yes: values.yes === true,
    step: values.step === true,
    verbosity: values.verbose?.length ?? 0,
    json: values.json === true,
    plain: values.plain === true,
    format: FORMATS.find((name) => name === values.format),
    public: values.public === true,
    listHosts: values['list-hosts'] === true,
    itemsCsv: values['items-csv'] === true,
    become: values.become === true,
    askBecomePass: values['ask-become-pass'] === true,
    diagnose: values['no-diagnose'] !== true,
    failIfWorse: values['fail-if-worse'] === true,
    to: values.to,
    component: values.component,
    acceptChanges: values['accept-changes'] === true,
    without: list(values.without),
    done: values.done ?? [],
    notDone: values['not-done'] ?? [],
    host: values.host,
    playbook: values.playbook,
    zone: values.zone,
    needs: values.needs === true,
    withNode: values['with-node'] === true,
    exportRun: values.export,
    importFile: values.import,
    ansible: values.ansible,
    map: values.map ?? [],
    hosts: values.hosts ?? [],
    set: values.set ?? [],
    lockWaitMs: durationMs(values['lock-wait'] ?? '') ?? 0,
    fromHosts: values['from-hosts'] === true,
    takeOver: values['take-over'] === true,
  };
}

const parse = (argv: readonly string[]) =>
  parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true, strict: true });

const list = (text: string | undefined): ReadonlySet<string> | undefined =>
  text === undefined
    ? undefined
    : new Set(
        text
          .split(',')
          .map((t) => t.trim())
          .filter((t) => t !== ''),
      );

function explain(verb: string, error: unknown, more: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error);
  const unknown = /Unknown option '(-[^']*)'/.exec(message)?.[1];
  if (unknown === undefined) return message.split('. ')[0] ?? message;
  const known = [...(Object.keys(OPTIONS) as OptionName[]).filter((name) => takes(verb, name)), ...more];
  const meant = didYouMean(unknown.replace(/^-+/, ''), known, (name) => `--${name}`);
  return `${verb} has no option ${unknown}${meant}  (runbook ${verb} --help)`;
}
