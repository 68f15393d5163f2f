import { isObject, type Json } from '../../terms/json.js';
import type { Check, SchemaError } from '../validators.generated.js';
import type { Path } from '../yaml/node.js';

/** A finding of a schema, at a path of the data. */
export interface Finding {
  readonly path: Path;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly value: Json | undefined;
  /** The finding is about this key of the object, not about a value. */
  readonly key?: string;
}

/** True for a value that is known only when it is rendered, so that its form cannot be judged yet. */
export type Open = (value: Json, path: Path) => boolean;

/** What a compiled schema finds in data, less what follows from another finding and what hangs on a value that is open. */
export function findingsOf(check: Check, data: Json, open: Open): readonly Finding[] {
  if (check(data)) return [];
  const all = (check.errors ?? []).map((error) => toFinding(error, data));
  const dropped = all.filter((f) => f.key === undefined && ofForm.has(f.keyword) && openAlong(data, f.path, open));
  const isDropped = new Set(dropped);
  const above = new Set(dropped.flatMap(({ path }) => keysAlong(path)));
  // A choice between forms with something open inside cannot be judged, nor can what its other forms found.
  const unjudged = new Set(all.filter((f) => branching.has(f.keyword) && above.has(keyOf(f.path))));
  const choices = new Set([...unjudged].map(({ path }) => keyOf(path)));
  const inUnjudged = (f: Finding): boolean =>
    unjudged.has(f) || (choices.size > 0 && ofForm.has(f.keyword) && keysAlong(f.path).some((key) => choices.has(key)));
  const kept = all.filter((f) => !isDropped.has(f) && !inUnjudged(f));
  const explained = explainedIn(kept);
  // An empty text has no form either.
  const empty = new Set(kept.filter((f) => f.keyword === 'minLength').map(({ path }) => keyOf(path)));
  const isSaid = (f: Finding): boolean => f.keyword === 'pattern' && f.key === undefined && empty.has(keyOf(f.path));
  return kept.filter((f) => !echoes.has(f.keyword) && !explained(f) && !isSaid(f));
}

/** Keywords that judge the form of one value; a template's value may still have it. */
const ofForm = new Set([
  'type',
  'enum',
  'const',
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'required',
  'additionalProperties',
  'minProperties',
  'maxProperties',
  'anyOf',
  'oneOf',
  'not',
  'uniqueItems',
]);
const branching = new Set(['anyOf', 'oneOf']);
/** Say only that something inside them was found. */
const echoes = new Set(['if', 'propertyNames']);

/** Of a choice between forms, what is found deeper inside says more than that none fits; at the same place, that none fits says more. */
function explainedIn(findings: readonly Finding[]): (finding: Finding) => boolean {
  const deeper = new Set(findings.flatMap(({ path }) => keysAlong(path).slice(0, -1)));
  const choices = new Set(findings.filter((f) => branching.has(f.keyword)).map(({ path }) => keyOf(path)));
  return ({ keyword, path }) =>
    branching.has(keyword) ? deeper.has(keyOf(path)) : ofForm.has(keyword) && choices.has(keyOf(path));
}

function toFinding({ instancePath, keyword, params, propertyName }: SchemaError, data: Json): Finding {
  const path: (string | number)[] = [];
  let value: Json | undefined = data;
  for (const part of instancePath.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const list = Array.isArray(value);
    path.push(list ? Number(name) : name);
    value = list ? (value as readonly Json[])[Number(name)] : isObject(value) ? value[name] : undefined;
  }
  const unknown = keyword === 'additionalProperties' || keyword === 'unevaluatedProperties';
  const key =
    propertyName ?? (unknown ? String(params['additionalProperty'] ?? params['unevaluatedProperty']) : undefined);
  return { path, keyword, params, value, ...(key === undefined ? {} : { key }) };
}

/** True when the value at the path, or one that holds it, is open. */
function openAlong(data: Json, path: Path, open: Open): boolean {
  let value: Json | undefined = data;
  if (open(value, [])) return true;
  for (const [i, step] of path.entries()) {
    value = isObject(value) ? value[step] : Array.isArray(value) ? (value as readonly Json[])[Number(step)] : undefined;
    if (value !== undefined && open(value, path.slice(0, i + 1))) return true;
  }
  return false;
}

const keyOf = (path: Path): string => JSON.stringify(path);
/** The keys of a path and of all that hold it. */
const keysAlong = (path: Path): readonly string[] => [[], ...path].map((_, i) => keyOf(path.slice(0, i)));

export const isTemplated: Open = (value) => typeof value === 'string' && value.includes('{{');
export const nothingOpen: Open = () => false;
