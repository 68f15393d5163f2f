import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isObject, type Json, type JsonObject } from '../../engine/terms/json.js';

/** Here an object may have no other fields than the schema has: what is not published must not be written. */
function closed(part: Json): Json {
  if (Array.isArray(part)) return (part as readonly Json[]).map(closed);
  if (!isObject(part)) return part;
  const inner = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, closed(value)]));
  return inner['properties'] === undefined ? inner : { ...inner, additionalProperties: false };
}

/** Those of the values that a schema in `schemas/` does not know, with what is wrong about them. */
export function misfitsOf(file: string): (values: readonly unknown[]) => readonly unknown[] {
  const schema = JSON.parse(readFileSync(`schemas/${file}`, 'utf8')) as Json;
  const ajv = new Ajv2020({ strict: false });
  const fits = ajv.compile(closed(schema) as JsonObject);
  return (values) =>
    values.flatMap((value) => (fits(value) ? [] : [[value, ajv.errorsText(fits.errors).slice(0, 500)]]));
}
