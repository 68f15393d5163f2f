import { isObject, type Json } from '../../engine/terms/json.js';

/** Is this pattern part of the value? A map is part of one with more keys, a list of one with more elements, a text of a longer text. */
export function isPartOf(pattern: Json, value: Json | undefined): boolean {
  if (value === undefined) return false;
  if (typeof pattern === 'string') return typeof value === 'string' && value.includes(pattern);
  if (Array.isArray(pattern)) {
    const among = Array.isArray(value) ? (value as readonly Json[]) : [value];
    return (pattern as readonly Json[]).every((p) => among.some((v) => isPartOf(p, v)));
  }
  if (isObject(pattern)) return isObject(value) && Object.entries(pattern).every(([key, p]) => isPartOf(p, value[key]));
  return pattern === value;
}
