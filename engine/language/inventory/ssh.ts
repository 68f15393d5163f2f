import { durationMs } from '../../lib/duration.js';
import type { SshSettings } from '../../terms/inventory.js';
import type { Json } from '../../terms/json.js';
import type { Text } from '../../terms/secret.js';
import { type Layered, pathIn, spotIn } from './layers.js';
import type { LoadContext } from '../load-context.js';
import { secretText } from './secret-text.js';
import { defined } from '../../lib/defined.js';
import { objectOf, textOf, textsOf } from '../values.js';
import type { Path } from '../yaml/node.js';

/** The ssh settings that stand at `at` in a part of the inventory; absent keys are absent. */
export function sshSettings(context: LoadContext, part: Layered | undefined, at: Path): SshSettings {
  if (part === undefined) return {};
  const written = objectOf(at.reduce<Json | undefined>((json, step) => objectOf(json)[step], part.json));
  const file = (key: string): string | undefined => {
    const value = textOf(written[key]);
    return value === undefined ? undefined : pathIn(part, [...at, key], value, context.env);
  };
  const secret = (key: string): Text | undefined => secretAt(context, part, [...at, key], textOf(written[key]));
  return defined({
    user: textOf(written['user']),
    port: portOf(written['port']),
    keyFile: file('key'),
    passphrase: secret('passphrase'),
    password: secret('password'),
    knownHosts: file('known_hosts'),
    jump: jumpOf(written['jump']),
    config: file('config'),
    become: becomeOf(written['become']),
    becomeUser: textOf(written['become_user']),
    becomePassword: secret('become_password'),
    connectTimeoutMs: durationMs(textOf(written['connect_timeout']) ?? ''),
  });
}

/** A text of secrets, told when it holds any other template. */
export function secretAt(
  { mistakes }: LoadContext,
  part: Layered,
  at: Path,
  written: string | undefined,
): Text | undefined {
  if (written === undefined) return undefined;
  const text = secretText(written);
  if (text === undefined) mistakes.at(spotIn(part, at), 'only `{{secret.NAME}}` may stand here');
  return text;
}

/** A port that a range's number was put into is text. */
function portOf(value: Json | undefined): number | undefined {
  if (typeof value === 'string' && /^\d{1,5}$/.test(value)) return Number(value);
  return typeof value === 'number' ? value : undefined;
}

const jumpOf = (value: Json | undefined): readonly string[] | undefined =>
  typeof value === 'string'
    ? value.split(',').map((hop) => hop.trim())
    : Array.isArray(value)
      ? textsOf(value)
      : undefined;

const becomeOf = (value: Json | undefined): 'sudo' | 'none' | undefined =>
  value === 'sudo' || value === 'none' ? value : undefined;
