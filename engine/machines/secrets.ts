import { stat } from 'node:fs/promises';
import { createSplitter, showPieces } from '../lib/redact.js';
import { hideInTraces } from '../lib/trace-text.js';
import type { SecretSource } from '../terms/inventory.js';
import { isObject, type Json } from '../terms/json.js';
import type { Secrets } from '../terms/machine.js';
import { isSecretRef, isWithheld } from '../terms/secret.js';
import type { TypedBefore } from './typed-before.js';
import { MOST_OF, readFileWithin, whyNotRead } from '../lib/bounded-file.js';

export interface SecretsRequest {
  readonly sources: Readonly<Record<string, SecretSource>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asks the operator at the terminal, without an echo; undefined when there is no terminal. */
  readonly ask: (text: string) => Promise<string | undefined>;
  /** What an earlier part of the run was told. */
  readonly typedBefore?: TypedBefore;
}

const AGAIN = 'That is not what was typed before in this run. Once more; if it was changed since then, the same again.';

type Got = Awaited<ReturnType<Secrets['value']>>;

/** Anything shorter would be found by chance in every output, so it could not be kept out of it. */
const fewestCharacters = 4;
/** A value of more was hardly meant: a command printed something else, or a whole file is named. */
const mostCharacters = 64 * 1024;
const commandLimitMs = 60_000;

const got = (value: string): Got => ({ is: 'value', value });
const failed = (reason: string, hint?: string): Got => ({
  is: 'failed',
  reason,
  ...(hint === undefined ? {} : { hint }),
});

/** Files and commands end their one line; the secret does not. */
const withoutNewline = (text: string): string => text.replace(/\r?\n$/, '');

/**
 * The secrets of an inventory, each fetched when it is first needed, once, and kept. A value under 4 characters is refused. Nothing
 * is printed, and no message holds a value.
 */
export function createSecrets({ sources, env, ask, typedBefore }: SecretsRequest): Secrets {
  const values = new Map<string, string>();
  const underWay = new Map<string, Promise<Got>>();
  let split = createSplitter(values);
  let lastPrompt: Promise<unknown> = Promise.resolve();

  const prompt: SecretsRequest['ask'] = (text) => {
    // Two questions at once would mix their answers.
    const answer = lastPrompt.then(() => ask(text));
    lastPrompt = answer;
    return answer;
  };

  async function fetch(name: string): Promise<Got> {
    const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
    if (source === undefined) return failed(`there is no secret "${name}"`, 'name it under `secrets` in the inventory');
    const found =
      'prompt' in source
        ? await fromPrompt(name, source.prompt, prompt, typedBefore)
        : await fetchFrom(name, source, env);
    if (found.is === 'failed') return found;
    if (found.value.length < fewestCharacters) {
      const what = found.value === '' ? 'is empty' : `has fewer than ${fewestCharacters} characters`;
      return failed(`secret "${name}" ${what}: it could not be kept out of logs and diffs`, 'set a longer one');
    }
    if (found.value.length > mostCharacters)
      return failed(
        `secret "${name}" has more than ${mostCharacters} characters`,
        'name the file or command of the secret alone',
      );
    if ('prompt' in source) await typedBefore?.keep(name, found.value);
    values.set(name, found.value);
    split = createSplitter(values);
    return found;
  }

  const redact: Secrets['redact'] = (text) => showPieces(split(text));
  hideInTraces(redact);
  return {
    async value(name) {
      const known = values.get(name);
      if (known !== undefined) return got(known);
      const fetching = underWay.get(name) ?? fetch(name).finally(() => underWay.delete(name));
      underWay.set(name, fetching);
      return fetching;
    },
    known: (name) => values.get(name),
    redact,
    split: (text) => split(text),
  };
}

async function fetchFrom(
  name: string,
  source: Exclude<SecretSource, { readonly prompt: string }>,
  env: SecretsRequest['env'],
): Promise<Got> {
  if ('env' in source) {
    const value = env[source.env];
    return value === undefined
      ? failed(`secret "${name}": ${source.env} is not set`, `export ${source.env}=…`)
      : got(value);
  }
  if ('file' in source) return fromFile(name, source.file);
  return fromCommand(name, source.command);
}

/** Asked again when it is another one than before in this run; typed twice it counts, for it may have been changed since. */
async function fromPrompt(
  name: string,
  question: string,
  ask: SecretsRequest['ask'],
  before: TypedBefore | undefined,
): Promise<Got> {
  let other: string | undefined;
  for (let asked = question; ; asked = `${AGAIN} ${question}`) {
    const typed = await ask(asked);
    if (typed === undefined)
      return failed(
        `secret "${name}" must be typed in, and there is no terminal to ask at`,
        'use `env`, `file` or `command`',
      );
    const value = withoutNewline(typed);
    if (value === other || before === undefined || (await before.fits(name, value))) return got(value);
    other = value;
  }
}

async function fromFile(name: string, path: string): Promise<Got> {
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0) {
      return failed(
        `secret "${name}": others than its owner may use ${path} (mode ${(mode & 0o777).toString(8)})`,
        `chmod 600 ${path}`,
      );
    }
    return got(withoutNewline(readFileWithin(path, MOST_OF.secret).toString('utf8')));
  } catch (error) {
    return failed(`secret "${name}": ${path} ${whyNotRead(error)}`);
  }
}

async function fromCommand(name: string, [program, ...args]: readonly [string, ...string[]]): Promise<Got> {
  const { execa } = await import('execa');
  const run = await execa(program, args, {
    reject: false,
    stdin: 'ignore',
    timeout: commandLimitMs,
    stripFinalNewline: false,
  });
  if (!run.failed) return got(withoutNewline(run.stdout));
  const why = run.timedOut
    ? `did not end within ${commandLimitMs / 1000} s`
    : run.exitCode === undefined
      ? 'could not be started'
      : `ended with status ${run.exitCode}`;
  // Its standard error may tell why; its standard output may hold the value.
  const said = run.stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
  return failed(`secret "${name}": ${program} ${why}${said === '' ? '' : `: ${said}`}`);
}

const lost = {
  is: 'failed',
  reason: 'a secret was taken out of this text when the run was recorded, and cannot be put back',
  hint: 'restore the text from its backup, or make the change by hand',
} as const;

/** A tree whose references have become text, or why one could not. */
export type Met<T> = { readonly is: 'met'; readonly value: T } | Extract<Got, { is: 'failed' }>;

/**
 * Puts the values of secrets where a tree names them (`{$secret}`, `{$text}`): only for what is performed at once, never kept. Text is data: what
 * only looks like a reference stays as it is.
 */
export async function meetSecrets<T>(tree: T, secrets: Secrets): Promise<Met<T>> {
  const missing: Extract<Got, { is: 'failed' }>[] = [];
  const meet = async (part: Json): Promise<Json> => {
    if (typeof part === 'string' && isWithheld(part)) missing.push(lost);
    if (isSecretRef(part)) {
      const value = await secrets.value(part.$secret);
      if (value.is === 'failed') missing.push(value);
      return value.is === 'value' ? value.value : '';
    }
    if (Array.isArray(part)) return Promise.all((part as readonly Json[]).map(meet));
    if (!isObject(part)) return part;
    if (Array.isArray(part['$text']))
      return (await Promise.all((part['$text'] as readonly Json[]).map(meet)))
        .map((piece) => (typeof piece === 'string' ? piece : ''))
        .join('');
    return Object.fromEntries(
      await Promise.all(Object.entries(part).map(async ([key, v]) => [key, await meet(v)] as const)),
    );
  };
  const value = (await meet(tree as Json)) as T;
  return missing[0] ?? { is: 'met', value };
}
