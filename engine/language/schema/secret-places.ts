import { isObject, type Json } from '../../terms/json.js';
import { isText, type Text } from '../../terms/secret.js';
import { secretArgs } from '../validators.generated.js';
import type { Path } from '../yaml/node.js';

/** True where the schema of a module says that a secret may stand, and everywhere below such a place. */
export const takesSecret = (module: string, path: Path): boolean =>
  (secretArgs[module] ?? []).some(
    (place) => place.length <= path.length && place.every((step, i) => step === '*' || step === path[i]),
  );

/** The paths at which rendered arguments hold a secret that may not stand there. */
export const misplacedSecrets = (module: string, args: Json): readonly Path[] =>
  secretsIn(args, []).filter((path) => !takesSecret(module, path));

function secretsIn(value: Json, path: Path): readonly Path[] {
  if (holdsSecret(value)) return [path];
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap((one, i) => secretsIn(one, [...path, i]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => secretsIn(one, [...path, key]));
}

/** A secret, or a text with secrets in it: it stands for text. */
const holdsSecret = (value: Json): value is Json & Text => typeof value !== 'string' && isText(value);

/** Why a secret may not stand at a path. */
export const noSecretText = (path: Path): string => `${placeName(path)} takes no secret`;

function placeName(path: Path): string {
  const last = path.at(-1);
  if (typeof last !== 'number') return `"${last ?? ''}"`;
  return `item ${last + 1} of "${path.findLast((step) => typeof step === 'string') ?? ''}"`;
}

/** Where a secret may stand instead: in the same module, or, where that takes none, in others. */
export function placesForSecret(module?: string): string {
  const own = module === undefined ? [] : (secretArgs[module] ?? []);
  if (module !== undefined && own.length > 0) return `in ${module} a secret may stand in ${listed(own)}`;
  const others = Object.entries(secretArgs).flatMap(([name, places]) => (places.length > 0 ? [name] : []));
  return `some arguments of ${others.join(', ')} take one: the pages of these modules say which`;
}

const listed = (places: readonly (readonly string[])[]): string =>
  places.map((place) => `"${place.filter((step) => step !== '*').join('.')}"`).join(' or ');
