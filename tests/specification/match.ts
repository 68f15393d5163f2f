import { isObject, type Json } from '../../engine/terms/json.js';

/**
 * Is this pattern part of the value? A text is part of a longer one, a map of one with more keys, anything of a list that holds it, and a
 * list of what has all its elements.
 */
export function isPartOf(pattern: Json, value: Json | undefined): boolean {
  if (value === undefined) return false;
  if (Array.isArray(value) && !Array.isArray(pattern))
    return (value as readonly Json[]).some((v) => isPartOf(pattern, v));
  if (typeof pattern === 'string') return typeof value === 'string' && value.includes(pattern);
  if (Array.isArray(pattern)) return (pattern as readonly Json[]).every((p) => isPartOf(p, value));
  if (isObject(pattern)) return isObject(value) && Object.entries(pattern).every(([key, p]) => isPartOf(p, value[key]));
  return pattern === value;
}
