import { stableStringify } from '../lib/json.js';
import { isObject, type Json } from '../terms/json.js';

/** Is what was observed what was predicted? Times and the number of a service's processes cannot be predicted: none or some counts. */
export const alike = (a: Json, b: Json): boolean => stableStringify(comparable(a)) === stableStringify(comparable(b));

function comparable(value: Json): Json {
  if (Array.isArray(value)) return value.map((v: Json) => comparable(v));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([k, v]) => {
      if (k.endsWith('AtMs')) return [];
      return [[k, k === 'processes' ? Number(v) > 0 : comparable(v)]];
    }),
  );
}
