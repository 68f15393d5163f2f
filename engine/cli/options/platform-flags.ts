import path from 'node:path';
import { readAhead } from '../../language/yaml/ahead.js';
import { isObject, type Json, type JsonObject } from '../../terms/json.js';
import type { PlatformFlag } from '../../terms/schemas/platform/variables.js';
import type { CommandName } from './commands.js';
import { parseFlags, type Flags } from './flags.js';
import { OPTION_BY_NAME } from './options.js';
import { shippedDir } from './project.js';
import { textOrUndefined } from '../../lib/bounded-file.js';

/** Commands that take a playbook with variables, and so the platform's flags. */
const TAKE_THEM: ReadonlySet<CommandName> = new Set(['plan', 'apply', 'validate']);

/**
 * The flags of a command, those of the platform in the words of `-e`. Only an option that the program does not have
 * makes it look for the platform's.
 */
export async function flagsOf(command: CommandName, argv: readonly string[]): Promise<Flags> {
  if (!TAKE_THEM.has(command) || !argv.some(isForeign)) return parseFlags(command, argv);
  const flags = await platformFlags(argv);
  const said = argv.flatMap((arg) => {
    const flag = isForeign(arg) ? flags[arg.slice(2)] : undefined;
    return flag === undefined ? [arg] : ['-e', JSON.stringify({ [flag.sets]: flag.to })];
  });
  return parseFlags(command, said, Object.keys(flags));
}

/** Their lines of `--help`; none where the command takes none. */
export async function platformHelp(command: CommandName, argv: readonly string[]): Promise<readonly string[]> {
  if (!TAKE_THEM.has(command)) return [];
  const flags = Object.entries(await platformFlags(argv));
  return flags.map(([name, { description }]) => `    --${name}`.padEnd(26) + description);
}

const isForeign = (arg: string): boolean => /^--[\w.-]+$/.test(arg) && !OPTION_BY_NAME.has(arg.slice(2));

/** The flags of the platform.yaml that the playbook of a command line goes by: beside it, here, in ./playbooks, or the shipped one. */
async function platformFlags(argv: readonly string[]): Promise<Readonly<Record<string, PlatformFlag>>> {
  const beside = argv.filter((arg) => /\.ya?ml$/.test(arg)).map((arg) => path.dirname(arg));
  const { flags } = await platformJson([...beside, '.', 'playbooks', shippedDir()]);
  if (flags === undefined || !isObject(flags)) return {};
  // Its mistakes are reported when the playbook is loaded.
  return Object.fromEntries(
    Object.entries(flags).flatMap(([name, flag]): [string, PlatformFlag][] => {
      const { sets, to, description } = isObject(flag) ? flag : {};
      return typeof sets === 'string' && to !== undefined && typeof description === 'string'
        ? [[name, { sets, to, description }]]
        : [];
    }),
  );
}

/** The first platform.yaml in these directories, as it is written; empty where there is none. */
export async function platformJson(directories: readonly string[]): Promise<JsonObject> {
  for (const directory of directories) {
    const text = textOrUndefined(path.join(directory, 'platform.yaml'));
    if (text === undefined) continue;
    const json = (await readAhead({ file: '', absolute: '' }, text))?.json ?? (await parsed(text));
    return isObject(json) ? json : {};
  }
  return {};
}

async function parsed(text: string): Promise<Json> {
  const { parse } = await import('yaml');
  try {
    return parse(text) as Json;
  } catch {
    return null;
  }
}
