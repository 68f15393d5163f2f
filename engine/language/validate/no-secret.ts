import type { Json } from '../../terms/json.js';
import type { Mistakes } from '../mistakes.js';
import { memberOf } from '../templates/rendered.js';
import { namesIn } from '../templates/names.js';
import type { DeclaredTypes } from '../types/declared-types.js';
import { noSecretText, placesForSecret, takesSecret } from '../schema/secret-places.js';
import type { Path } from '../yaml/node.js';
import type { Tree } from './tree.js';

/** Where a tree takes secrets, by the path inside it, and what is said where it takes none. */
export interface SecretPlaces {
  readonly takes: (path: Path) => boolean;
  readonly hint: () => string;
}

export const NOWHERE: SecretPlaces = { takes: () => false, hint: () => placesForSecret() };
/** A variable may hold a secret: what counts is where the variable is used. */
export const EVERYWHERE: SecretPlaces = { takes: () => true, hint: () => '' };

export const NOT_IN_FACTS: SecretPlaces = {
  takes: () => false,
  hint: () =>
    'user and password of an endpoint are written in the inventory; a `command` step takes a secret as `stdin`',
};

/** In arguments of a module, or in one of them. */
export const inArguments = (module: string, ...at: readonly string[]): SecretPlaces => ({
  takes: (path) => takesSecret(module, [...at, ...path]),
  hint: () => placesForSecret(module),
});

/** Reports a secret in a text that takes none, also behind a variable or a name; gives the name that led to it. */
export function checkNoSecret(text: string, { source, path, about }: Tree, around: Around): string | undefined {
  const { places, types, mistakes } = around;
  for (const name of namesIn(text)) {
    const secret = secretBehind(name, types, new Set());
    if (secret === undefined) continue;
    const through = secret === name ? '' : `; the value of ${name} is made from {{${secret}}}`;
    mistakes.at({ source, path, word: name }, about + noSecretText(path) + through, { hint: places.hint() });
    return name;
  }
  return undefined;
}

interface Around {
  readonly places: SecretPlaces;
  readonly types: DeclaredTypes | undefined;
  readonly mistakes: Mistakes;
}

/** The secret that a name is, or that its value is made from. `seen` are the names that led here: a circle is reported elsewhere. */
function secretBehind(name: string, types: DeclaredTypes | undefined, seen: ReadonlySet<string>): string | undefined {
  if (/^(?:secret\.|endpoint\.[^.]+\.password$)/.test(name)) return name;
  if (types === undefined || seen.has(name)) return undefined;
  const inner = new Set([...seen, name]);
  const [root = '', key = '', ...rest] = name.startsWith('host.vars.') ? name.split('.').slice(1) : name.split('.');
  return types
    .valuesOf(root, key)
    .map((value) => memberOf(value, rest) ?? value)
    .flatMap((value: Json) => namesIn(value))
    .map((one) => secretBehind(one, types, inner))
    .find((one) => one !== undefined);
}
