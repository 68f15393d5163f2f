import type { Json } from '../../terms/json.js';
import { isText } from '../../terms/secret.js';
import { joinTexts, type Rendered, value, wrong } from './rendered.js';
import type { Helper } from './template.js';

/** A helper but `default`, which alone may be given a name that leads nowhere. */
export type PlainHelper = Exclude<Helper, 'default'>;

/** How many values each helper takes, at least and at most. */
export const takes: Readonly<Record<Helper, readonly [number, number]>> = {
  default: [2, 2],
  join: [1, 2],
  lower: [1, 1],
  release: [1, 1],
  upper: [1, 1],
};

function join(list: Json, separator: Json): Rendered {
  if (!Array.isArray(list) || typeof separator !== 'string')
    return wrong('"join" takes a list, and a text to put between');
  const items = (list as readonly Json[]).map((item) =>
    typeof item === 'number' || typeof item === 'boolean' ? String(item) : item,
  );
  if (!items.every(isText)) return wrong('"join" takes a list of texts or numbers');
  return value(joinTexts(items.flatMap((item, i) => (i === 0 ? [item] : [separator, item]))));
}

/** Applies a helper to values that are all known. */
export function applyHelper(helper: PlainHelper, [subject = null, more = ', ']: readonly Json[]): Rendered {
  if (helper === 'join') return join(subject, more);
  if (typeof subject !== 'string') return wrong(`"${helper}" takes a text that is no secret`);
  // Of a package's version: 4.12.0 of 4.12.0-1 and of 1:4.12.0-1.
  if (helper === 'release') return value(/\d+(?:\.\d+)+/.exec(subject)?.[0] ?? subject);
  return value(helper === 'upper' ? subject.toUpperCase() : subject.toLowerCase());
}
