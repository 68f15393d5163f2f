import { subsetOf } from '../../lib/json.js';
import { isObject, type Json, type JsonObject } from '../../terms/json.js';
import { isText } from '../../terms/secret.js';

/** A value of a JSON body by its dotted name. Servers give `{"a.b": 1}` back as `{"a": {"b": 1}}`, and the other way round. */
export interface Leaf {
  readonly name: string;
  readonly value: Json;
}

const isBranch = (value: Json): value is JsonObject =>
  isObject(value) && !isText(value) && Object.keys(value).length > 0;

/** The leaves of a body: everything but objects that hold something. */
export const leavesOf = (json: Json, prefix = ''): readonly Leaf[] =>
  isBranch(json)
    ? Object.entries(json).flatMap(([key, value]) => leavesOf(value, prefix === '' ? key : `${prefix}.${key}`))
    : [{ name: prefix, value: json }];

/** What stands at a dotted name, whichever of the dots are nesting; undefined when nothing does. */
export function valueAt(json: Json | undefined, name: string): Json | undefined {
  if (name === '' || json === undefined) return json;
  if (!isObject(json)) return undefined;
  if (Object.hasOwn(json, name)) return json[name];
  for (const [key, inner] of Object.entries(json)) {
    if (!name.startsWith(`${key}.`)) continue;
    const found = valueAt(inner, name.slice(key.length + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The leaves of what is wanted that are not so. Null is met by nothing being there. */
export const leavesMissing = (wanted: Json, found: Json | undefined): readonly Leaf[] =>
  leavesOf(wanted).filter(({ name, value }) => !subsetOf(value, valueAt(found, name)));

/** The body after these leaves were set in it; null takes one away, and what it leaves empty, but never a first-level section. */
export function withLeaves(found: Json | undefined, leaves: readonly Leaf[], flat: boolean): Json {
  let after: JsonObject = isObject(found) ? found : {};
  for (const { name, value } of leaves) {
    if (name === '') return value;
    after = without(after, name, true);
    if (value !== null) after = withLeaf(after, flat ? splitOnce(name) : name.split('.'), value);
  }
  return after;
}

const splitOnce = (name: string): readonly string[] => {
  const dot = name.indexOf('.');
  return dot < 0 ? [name] : [name.slice(0, dot), name.slice(dot + 1)];
};

function without(json: JsonObject, name: string, isTop: boolean): JsonObject {
  const entries = Object.entries(json).flatMap(([key, inner]): [string, Json][] => {
    if (key === name) return [];
    if (!name.startsWith(`${key}.`) || !isObject(inner)) return [[key, inner]];
    const left = without(inner, name.slice(key.length + 1), false);
    return Object.keys(left).length === 0 && Object.keys(inner).length > 0 && !isTop ? [] : [[key, left]];
  });
  return Object.fromEntries(entries);
}

function withLeaf(json: JsonObject, [head = '', ...rest]: readonly string[], value: Json): JsonObject {
  if (rest.length === 0) return { ...json, [head]: value };
  const inner = json[head];
  return { ...json, [head]: withLeaf(isObject(inner) ? inner : {}, rest, value) };
}
