import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../lib/hash.js';
import type { Json } from '../terms/json.js';
import { MOST_OF, readFileWithin } from '../lib/bounded-file.js';

/** Texts above this many characters leave the journal's line and are kept once, by their hash. */
const LARGE_CHARACTERS = 4096;
const MARK = '$blob';

/** A folder of texts by SHA-256. */
export interface Blobs {
  /** The value with its large texts replaced by references, which are on disk when this returns. */
  strip(value: Json): Json;
  /** The value with its references replaced by their texts. Throws when one is gone or damaged. */
  fill(value: Json): Json;
}

/** Nothing is made before a text is kept: who reads writes nothing. */
export function openBlobs(folder: string): Blobs {
  return {
    strip: (value) =>
      mapTree(value, (leaf) =>
        typeof leaf === 'string' && leaf.length > LARGE_CHARACTERS ? { [MARK]: put(folder, leaf) } : undefined,
      ),
    fill: (value) =>
      mapTree(value, (node) => {
        const sha =
          typeof node === 'object' && node !== null && !Array.isArray(node)
            ? (node as Record<string, Json>)[MARK]
            : undefined;
        return typeof sha === 'string' ? read(folder, sha) : undefined;
      }),
  };
}

function put(folder: string, text: string): string {
  const sha = sha256(text);
  const path = join(folder, sha);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  }
  return sha;
}

function read(folder: string, sha: string): string {
  const text = readFileWithin(join(folder, sha), MOST_OF.own).toString('utf8');
  if (sha256(text) !== sha) throw new Error(`${join(folder, sha)} is damaged`);
  return text;
}

function mapTree(value: Json, replace: (node: Json) => Json | undefined): Json {
  const replaced = replace(value);
  if (replaced !== undefined) return replaced;
  if (Array.isArray(value)) return value.map((item: Json) => mapTree(item, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, mapTree(v, replace)]));
}
