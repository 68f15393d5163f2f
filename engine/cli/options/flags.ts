import { parseArgs } from 'node:util';
import type { CommandName } from './commands.js';
import { didYouMean } from './did-you-mean.js';
import { invalid } from './exit.js';
import type { Option, ParsedValue } from './option-kinds.js';
import { OPTION_BY_NAME, optionNames, takes, type Flags } from './options.js';

export type { Flags } from './options.js';

interface Parsed {
  readonly values: Readonly<Record<string, ParsedValue>>;
  readonly positionals: readonly string[];
}

/** The flags of a command; `more` are options of the platform's, which a mistyped one may have meant. */
export function parseFlags(command: CommandName, argv: readonly string[], more: readonly string[] = []): Flags {
  let parsed: Parsed;
  try {
    parsed = parse(argv);
  } catch (error) {
    throw invalid(explain(command, error, more));
  }
  const mistake = mistakeIn(command, parsed.values);
  if (mistake !== undefined) throw invalid(mistake);
  return flagsOf(parsed);
}

const parse = (argv: readonly string[]): Parsed =>
  parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      [...OPTION_BY_NAME].map(([name, { option }]) => [
        name,
        {
          type: option.type,
          multiple: option.multiple === true,
          ...(option.short === undefined ? {} : { short: option.short }),
        },
      ]),
    ),
    allowPositionals: true,
    strict: true,
  });

function mistakeIn(command: CommandName, values: Parsed['values']): string | undefined {
  const foreign = Object.keys(values).find((name) => !takes(command, name));
  if (foreign !== undefined) return `${command} takes no --${foreign}  (runbook ${command} --help)`;
  for (const [name, { option }] of OPTION_BY_NAME) {
    const given = values[name];
    const wrong = typeof given === 'string' ? option.check?.(given) : undefined;
    if (wrong !== undefined) return `--${name}${wrong}`;
  }
  if (values['format'] !== undefined && values['json'] === true)
    return '--json and --format exclude each other; use one of them';
  return undefined;
}

/** Options without a mistake as flags: what was not given has its default. */
function flagsOf({ values, positionals }: Parsed): Flags {
  const read = [...OPTION_BY_NAME].map(([name, { flag, option }]) => [flag, option.read(values[name])]);
  const { check, ...flags } = Object.fromEntries(read) as Flags & { readonly check: boolean };
  return { ...flags, positionals, dryRun: flags.dryRun || check };
}

/** The options of these flags that select what is planned, as they are written on a command line. */
export const selectionArgv = (flags: Flags): readonly string[] =>
  [...OPTION_BY_NAME].flatMap(([name, { flag, option }]) =>
    option.selects === true
      ? valuesOf(flags[flag as keyof Flags]).flatMap((value) => written(name, option, value))
      : [],
  );

/** The opposite of what the kinds of options read; `true` of one without a value. */
function valuesOf(flag: Flags[keyof Flags]): readonly (string | true)[] {
  if (flag === true) return [true];
  if (typeof flag === 'string') return [flag];
  if (typeof flag !== 'object') return [];
  return 'has' in flag ? [[...flag].join(',')] : flag;
}

function written(name: string, { short }: Option<unknown>, value: string | true): readonly string[] {
  const option = short === undefined ? `--${name}` : `-${short}`;
  if (value === true) return [option];
  return value.startsWith('-') ? [`--${name}=${value}`] : [option, value];
}

function explain(command: CommandName, error: unknown, more: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error);
  const unknown = /Unknown option '(-[^']*)'/.exec(message)?.[1];
  if (unknown === undefined) return message.split('. ')[0] ?? message;
  const meant = didYouMean(unknown.replace(/^-+/, ''), [...optionNames(command), ...more], (name) => `--${name}`);
  return `${command} has no option ${unknown}${meant}  (runbook ${command} --help)`;
}
