import { parseArgs } from 'node:util';
import { nearest } from '../lib/nearest.js';
import type { Json, JsonObject } from '../terms/json.js';

/** What people write on the command line; habits of Ansible's users where the meaning is the same. */
const OPTIONS = {
  inventory: { type: 'string', short: 'i', multiple: true },
  limit: { type: 'string', short: 'l' },
  'extra-vars': { type: 'string', short: 'e', multiple: true },
  tags: { type: 'string', short: 't' },
  'skip-tags': { type: 'string' },
  forks: { type: 'string', short: 'f' },
  check: { type: 'boolean', short: 'C' },
  'dry-run': { type: 'boolean' },
  diff: { type: 'boolean', short: 'D' },
  yes: { type: 'boolean', short: 'y' },
  verbose: { type: 'boolean', short: 'v', multiple: true },
  json: { type: 'boolean' },
  'list-hosts': { type: 'boolean' },
  'ask-become-pass': { type: 'boolean', short: 'K' },
  help: { type: 'boolean', short: 'h' },
  output: { type: 'string', short: 'o' },
} as const;

export interface Flags {
  readonly positionals: readonly string[];
  readonly inventory: readonly string[] | undefined;
  readonly limit: string | undefined;
  readonly extraVars: readonly string[];
  readonly tags: ReadonlySet<string> | undefined;
  readonly skipTags: ReadonlySet<string> | undefined;
  readonly forks: number;
  readonly dryRun: boolean;
  readonly diff: boolean;
  readonly yes: boolean;
  readonly verbosity: number;
  readonly json: boolean;
  readonly listHosts: boolean;
  readonly askBecomePass: boolean;
  readonly help: boolean;
}

export const DEFAULT_FORKS = 50;

/** The flags, or one clear sentence. */
export function parseFlags(argv: readonly string[]): Flags | { readonly mistake: string } {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(argv);
  } catch (error) {
    return { mistake: explain(error) };
  }
  const { values, positionals } = parsed;
  const forks = values.forks === undefined ? DEFAULT_FORKS : Number(values.forks);
  if (!Number.isInteger(forks) || forks < 1) return { mistake: `--forks takes a whole number from 1, not "${values.forks ?? ''}"` };
  if (values.limit?.trim() === '') return { mistake: '--limit is empty: name hosts, or leave it out for all' };
  return {
    positionals,
    inventory: values.inventory,
    limit: values.limit,
    extraVars: values['extra-vars'] ?? [],
    tags: list(values.tags),
    skipTags: list(values['skip-tags']),
    forks,
    dryRun: values.check === true || values['dry-run'] === true,
    diff: values.diff === true,
    yes: values.yes === true,
    verbosity: values.verbose?.length ?? 0,
    json: values.json === true,
    listHosts: values['list-hosts'] === true,
    askBecomePass: values['ask-become-pass'] === true,
    help: values.help === true,
  };
}

const parse = (argv: readonly string[]) => parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true, strict: true });

const list = (text: string | undefined): ReadonlySet<string> | undefined =>
  text === undefined ? undefined : new Set(text.split(',').map((t) => t.trim()).filter((t) => t !== ''));

function explain(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const unknown = /Unknown option '(-[^']*)'/.exec(message)?.[1];
  if (unknown === undefined) return message.split('. ')[0] ?? message;
  const close = nearest(unknown.replace(/^-+/, ''), Object.keys(OPTIONS));
  return `there is no option ${unknown}${close === undefined ? '' : `; did you mean --${close}?`}`;
}

/** `k=v` or a JSON object; `@file` is read by the caller. */
export function parseExtraVars(texts: readonly string[]): JsonObject | { readonly mistake: string } {
  const vars: Record<string, Json> = {};
  for (const text of texts) {
    if (text.trimStart().startsWith('{')) {
      try {
        Object.assign(vars, JSON.parse(text));
        continue;
      } catch {
        return { mistake: `-e: this is no JSON object: ${text.slice(0, 60)}` };
      }
    }
    const at = text.indexOf('=');
    if (at < 1) return { mistake: `-e takes name=value, a JSON object or @file, not "${text}"` };
    vars[text.slice(0, at)] = text.slice(at + 1);
  }
  return vars;
}
