import { pathFrom } from '../../lib/home.js';
import { isObject, type Json, type JsonObject } from '../../terms/json.js';
import type { Spot } from '../mistakes.js';
import type { Path } from '../yaml/node.js';
import type { Source } from '../yaml/source.js';

/** One writing of a part of the inventory: several files may write the same part. */
export interface Layer {
  readonly source: Source;
  readonly path: Path;
  readonly json: JsonObject;
}

/** A part of the inventory: its writings, later ones over earlier ones. At least one. */
export interface Layered {
  readonly layers: readonly [Layer, ...Layer[]];
  /** Maps merged key by key, values and lists replaced. */
  readonly json: JsonObject;
}

export function layer(under: Layered | undefined, top: Layer): Layered {
  return under === undefined
    ? { layers: [top], json: top.json }
    : { layers: [...under.layers, top], json: merge(under.json, top.json) };
}

/** `b` over `a`: maps key by key, all else replaced. */
export function merge(a: JsonObject, b: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const under = merged[key];
    merged[key] = isObject(under) && isObject(value) ? merge(under, value) : value;
  }
  return merged;
}

/** Where a path of a merged part is written: in the last file that writes it. */
export function spotIn({ layers }: Layered, at: Path, on: 'key' | 'value' = 'value'): Spot {
  const writer = layers.findLast(({ json }) => has(json, at)) ?? layers[0];
  return { source: writer.source, path: [...writer.path, ...at], on };
}

/** A file path as written in a part, absolute: seen from the file that writes it, `~/` from the home directory. */
export const pathIn = (
  part: Layered,
  at: Path,
  written: string,
  env: Readonly<Record<string, string | undefined>>,
): string => pathFrom(spotIn(part, at).source.absolute, written, env);

function has(json: Json | undefined, at: Path): boolean {
  let value: Json | undefined = json;
  for (const step of at) {
    value = isObject(value) ? value[step] : Array.isArray(value) ? (value as readonly Json[])[Number(step)] : undefined;
    if (value === undefined) return false;
  }
  return true;
}
