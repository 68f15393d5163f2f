import type { Known } from '../../terms/fact.js';
import { isObject, type Json } from '../../terms/json.js';

/** What a name leads to now. */
export type Found = Known<Json> | 'missing';

export const known = (value: Json): Found => ({ known: true, value });
export const unknown = (because: string, dependsOn: readonly string[] = []): Known<Json> => ({
  known: false,
  because,
  dependsOn,
});

/** What a path leads to below a value. */
export function dig(found: Found, path: readonly string[]): Found {
  if (found === 'missing' || !found.known || path.length === 0) return found;
  const [head = '', ...rest] = path;
  const value = found.value;
  const next = isObject(value)
    ? Object.hasOwn(value, head)
      ? value[head]
      : undefined
    : Array.isArray(value)
      ? element(value as readonly Json[], head)
      : undefined;
  return next === undefined ? 'missing' : dig(known(next), rest);
}

const element = (list: readonly Json[], name: string): Json | undefined =>
  name === 'length' ? list.length : list[Number(name)];
