import type { Json } from '../terms/json.js';
import { Quantity } from './quantity.js';
import { HostRef, isList, Version, type Value } from './value.js';

/** A value as plain data: a version is its text, or null where nothing is installed; a host is its name. */
export function plain(value: Value): Json {
  if (value instanceof Version) return value.text;
  if (value instanceof HostRef) return value.name;
  if (value instanceof Quantity) return value.text;
  return isList(value) ? value.map(plain) : value;
}

/** The type of a value, by the name that it has in CEL. */
export function typeName(value: Value): string {
  if (value === null) return 'null';
  if (value instanceof Version) return 'Version';
  if (value instanceof HostRef) return 'Host';
  if (value instanceof Quantity) return value.type;
  if (isList(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'double';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : 'map';
}
