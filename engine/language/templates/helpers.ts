import { compareDeb } from '../../lib/version.js';
import { isObject, type Json } from '../../terms/json.js';
import { isText } from '../../terms/secret.js';
import { joinTexts, type Rendered, value, wrong } from './rendered.js';
import type { Helper } from './template.js';

/** A helper but `default`, which alone may be given a name that leads nowhere. */
export type PlainHelper = Exclude<Helper, 'default'>;

/** How many values each helper takes, at least and at most. */
export const takes: Readonly<Record<Helper, readonly [number, number]>> = {
  by_release: [2, 2],
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

/** What holds from some release on: the value of the highest release that is not above the subject. */
function byRelease(subject: string, from: Json): Rendered {
  if (!isObject(from)) return wrong('"by_release" takes a version, and a map from releases to values');
  const reached = Object.keys(from).filter((release) => compareDeb(release, releaseOf(subject)) <= 0);
  const [latest] = reached.sort((a, b) => compareDeb(b, a));
  return latest === undefined
    ? wrong(`nothing is given for ${subject}: the first release is ${Object.keys(from).sort(compareDeb)[0] ?? 'none'}`)
    : value(from[latest] ?? null);
}

/** Of a package's version: 4.12.0 of 4.12.0-1 and of 1:4.12.0-1. */
const releaseOf = (version: string): string => /\d+(?:\.\d+)+/.exec(version)?.[0] ?? version;

/** Applies a helper to values that are all known. */
export function applyHelper(helper: PlainHelper, [subject = null, more = ', ']: readonly Json[]): Rendered {
  if (helper === 'join') return join(subject, more);
  if (helper === 'by_release' && typeof subject === 'string') return byRelease(subject, more);
  if (typeof subject !== 'string') return wrong(`"${helper}" takes a text that is no secret`);
  if (helper === 'release') return value(releaseOf(subject));
  return value(helper === 'upper' ? subject.toUpperCase() : subject.toLowerCase());
}
