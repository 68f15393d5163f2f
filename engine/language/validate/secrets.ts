import type { Json } from '../../terms/json.js';
import { isText } from '../../terms/secret.js';
import type { WholeProject } from '../definitions.js';
import type { LoadedInventory } from '../inventory/loaded.js';
import { type Layered, pathIn, spotIn } from '../inventory/layers.js';
import type { LoadContext } from '../load-context.js';
import type { Mistakes, Spot } from '../mistakes.js';
import { objectOf, textOf } from '../values.js';
import { placesForSecret, takesSecret } from '../schema/secret-places.js';
import type { Path } from '../yaml/node.js';

const REFERENCE = 'use "{{secret.NAME}}", with its source under `secrets` in the inventory';

/** Fewer characters than these occur by chance in ordinary output. */
const FEW_CHARACTERS = 8;
const COMMON = new Set([
  'password',
  'passw0rd',
  'changeme',
  'changeit',
  'administrator',
  'secret123',
  'admin123',
  'password1',
]);

/**
 * Warns of secrets that cannot be kept out of logs and tickets: values that are short, common or part of a name (as far as they can be read
 * without running a command or asking), passwords written in clear text, and passwords sent without TLS.
 */
export async function checkSecrets(context: LoadContext, project: WholeProject, warnings: Mistakes): Promise<void> {
  const { loaded } = project;
  checkClearText(project, warnings);
  if (loaded === undefined) return;
  for (const [name, part] of loaded.parts.endpoints) checkTransport(name, part, warnings);
  if (!context.files.live) return;
  const names = namesOf(project, loaded);
  for (const [name, part] of loaded.parts.secrets) {
    const value = await valueOf(context, part);
    const why = value === undefined || value === '' ? undefined : whyNotMaskable(value, names);
    if (why !== undefined)
      warnings.at(spotIn(part, [], 'key'), `secret "${name}" ${why}: masking it would also hide ordinary words`, {
        hint: `use a random value of at least ${FEW_CHARACTERS} characters`,
      });
  }
}

async function valueOf({ env, files }: LoadContext, part: Layered): Promise<string | undefined> {
  const [variable, file] = [textOf(part.json['env']), textOf(part.json['file'])];
  if (variable !== undefined) return env[variable];
  if (file === undefined) return undefined;
  const found = await files.read(pathIn(part, ['file'], file, env));
  return found.is === 'text' ? found.text.replace(/\r?\n$/, '') : undefined;
}

/** The value itself is never part of the message. */
function whyNotMaskable(value: string, names: readonly string[]): string | undefined {
  if (names.some((name) => name.includes(value))) return 'occurs in the name of a host, play, step or variable';
  if (value.length < FEW_CHARACTERS) return `has fewer than ${FEW_CHARACTERS} characters`;
  return COMMON.has(value.toLowerCase()) ? 'is a common word' : undefined;
}

/** Everything that a plan or a log names. */
const namesOf = ({ playbook, platform }: WholeProject, { inventory, parts }: LoadedInventory): readonly string[] => [
  ...inventory.hosts.flatMap((host) => [host.name, ...host.roles, ...Object.keys(host.vars)]),
  ...[parts.groups, parts.endpoints, parts.names].flatMap((named) => [...named.keys()]),
  ...Object.keys({ ...platform.vars, ...platform.names, ...platform.facts, ...inventory.vars }),
  ...playbook.plays.flatMap(({ play, steps }) => [play.name, ...steps.map(({ step }) => step.name)]),
];

function checkTransport(name: string, part: Layered, warnings: Mistakes): void {
  const { json } = part;
  if (json['password'] === undefined || json['auth'] === 'none') return;
  const urls: readonly (readonly [Path, Json | undefined])[] = [
    [['url'], json['url']],
    ...(Array.isArray(json['urls']) ? (json['urls'] as Json[]).map((url, i) => [['urls', i], url] as const) : []),
  ];
  for (const [at, url] of urls)
    if (typeof url === 'string' && /^http:\/\//i.test(url))
      warnings.at(spotIn(part, at), `endpoint "${name}" sends its password without TLS`, { hint: 'use https://' });
}

const SECRET_KEY = /pass(?:word|wd|phrase)|secret|token|api[_-]?key|credential/i;
/** Of a number only these names: `password_length: 12` is none. */
const SECRET_NUMBER = new RegExp(`(?:${SECRET_KEY.source})$`, 'i');
/** `curl -u NAME:PASSWORD`, `--password=VALUE` and the like. */
const USER_OPTION = /^(?:-u|--user|--proxy-user)$/;
const PASSWORD_OPTION = /^--?(?:password|passwd|pass|token|api-key)(?:=(.+))?$/i;

function checkClearText({ playbook }: WholeProject, warnings: Mistakes): void {
  for (const { steps } of playbook.plays)
    for (const { step, source, path } of steps)
      for (const { at, what } of clearTextIn(step.args, [...path, step.module])) {
        const spot: Spot = { source, path: at };
        const hint = takesSecret(step.module, at.slice(path.length + 1)) ? REFERENCE : placesForSecret(step.module);
        warnings.at(spot, `step "${step.name}": ${what} is written in clear text`, { hint });
      }
}

interface Found {
  readonly at: Path;
  readonly what: string;
}

const isClear = (value: Json | undefined): value is string =>
  typeof value === 'string' && value !== '' && !value.includes('{{');

/** A path, a switch or a name is no password. */
const isClearSecret = (key: string, value: Json): boolean =>
  typeof value === 'number'
    ? SECRET_NUMBER.test(key)
    : SECRET_KEY.test(key) && isClear(value) && !/^(?:\/|true$|false$|yes$|no$)/.test(value);

function* clearTextIn(value: Json, at: Path): Generator<Found> {
  if (isClear(value) && /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:[^\s/@]+@/i.test(value))
    yield { at, what: 'the password of an address' };
  if (Array.isArray(value)) yield* clearTextInList(value as readonly Json[], at);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isText(value)) return;
  for (const [key, inner] of Object.entries(objectOf(value))) {
    if (isClearSecret(key, inner)) yield { at: [...at, key], what: `"${key}"` };
    else yield* clearTextIn(inner, [...at, key]);
  }
}

function* clearTextInList(list: readonly Json[], at: Path): Generator<Found> {
  for (const [i, one] of list.entries()) {
    const [before, option] = [list[i - 1], typeof one === 'string' ? PASSWORD_OPTION.exec(one) : null];
    if (typeof before === 'string' && USER_OPTION.test(before) && isClear(one) && /^[^:]+:./.test(one))
      yield { at: [...at, i], what: `the password after ${before}` };
    else if (
      typeof before === 'string' &&
      PASSWORD_OPTION.exec(before)?.[1] === undefined &&
      PASSWORD_OPTION.test(before) &&
      isClear(one)
    )
      yield { at: [...at, i], what: `the value of ${before}` };
    else if (isClear(option?.[1])) yield { at: [...at, i], what: `the value of ${one as string}`.split('=')[0] ?? '' };
    else yield* clearTextIn(one, [...at, i]);
  }
}
