import { stableStringify } from '../lib/json.js';
import { isObject, type Json, type JsonObject } from '../terms/json.js';

/**
 * Is what was observed what was predicted? Times and the number of a service's processes cannot be predicted: none or some counts. Nor can it
 * be whether a package's scripts have systemd read its unit files again; a step whose unit needs it has that done. An answer in JSON is
 * compared as data, whatever white space the server put into its text.
 */
export const alike = (a: Json, b: Json): boolean => stableStringify(comparable(a)) === stableStringify(comparable(b));

function comparable(value: Json): Json {
  if (Array.isArray(value)) return value.map((v: Json) => comparable(v));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([k, v]) => {
      if (k.endsWith('AtMs') || k === 'needsReload' || (k === 'text' && isJsonAnswer(value))) return [];
      return [[k, k === 'processes' ? Number(v) > 0 : comparable(v)]];
    }),
  );
}

const isJsonAnswer = (value: JsonObject): boolean => value['is'] === 'answered' && value['json'] !== null;
