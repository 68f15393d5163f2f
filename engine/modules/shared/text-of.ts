import type { Json } from '../../terms/json.js';

/** A text or a number of an answer as text; whatever else is there is nothing. */
export const textOf = (value: Json | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
