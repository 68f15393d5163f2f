import { isVersion } from '../lib/version.js';
import type { Json } from '../terms/json.js';
import { isQuantityType, quantityOf } from './quantity.js';
import { typeInWords, type NameType } from './types.js';
import { show, Version, type Value } from './value.js';

export type Decoded = { readonly value: Value } | { readonly mistake: string };

const NUMBER = /^-?\d+(?:\.\d+)?$/;

/**
 * A value as its declared type has it: text of digits becomes a number where a number is declared, text becomes a Version. What is invalid is a
 * mistake: a value that passed for another type would make a comparison silently wrong.
 */
export function decode(type: NameType, json: Json): Decoded {
  const value = typeof type === 'string' ? decodedAs(type, json) : typeof json === 'object' ? json : undefined;
  return value === undefined
    ? { mistake: `is ${show(json)}, not ${typeof type === 'string' ? typeInWords(type) : 'a map'}` }
    : { value };
}

function decodedAs(type: string, json: Json): Value | undefined {
  if (isQuantityType(type)) return typeof json === 'string' ? quantityOf(type, json) : undefined;
  if (type.startsWith('list<')) return listAs(type.slice('list<'.length, -1), json);
  switch (type) {
    case 'string':
      return typeof json === 'object' ? undefined : String(json);
    case 'int':
    case 'double':
      return numberOf(json);
    case 'bool':
      return json === 'true' ? true : json === 'false' ? false : typeof json === 'boolean' ? json : undefined;
    case 'Version':
      return versionOf(json);
    case 'Count':
      return numberOf(json) ?? (typeof json === 'string' ? json : undefined);
    case 'Secret':
      return undefined;
    default:
      return json;
  }
}

function listAs(element: string, json: Json): Value | undefined {
  if (!Array.isArray(json)) return undefined;
  const elements = (json as readonly Json[]).map((one) => decodedAs(element, one));
  return elements.includes(undefined) ? undefined : (elements as readonly Value[]);
}

function numberOf(json: Json): number | undefined {
  const n =
    typeof json === 'number' ? json : typeof json === 'string' && NUMBER.test(json.trim()) ? Number(json) : Number.NaN;
  return Number.isFinite(n) && (!Number.isInteger(n) || Number.isSafeInteger(n)) ? n : undefined;
}

/** Nothing and the empty text are the absent version. */
function versionOf(json: Json): Version | undefined {
  if (json === null || json === '') return new Version(null);
  return typeof json === 'string' && isVersion(json) ? new Version(json) : undefined;
}
