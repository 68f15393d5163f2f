import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../terms/json.js';

/** Texts above this many characters leave the journal's line and are kept once, by their hash. */
const LARGE_CHARACTERS = 4096;
const MARK = '$blob';

/** A folder of texts by SHA-256. */
export interface Blobs {
  /** The value with its large texts replaced by references, which are on disk when this returns. */
  strip(value: Json): Json;
  /** The value with its references replaced by their texts. */
  fill(value: Json): Json;
}

export function openBlobs(folder: string): Blobs {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
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
        return typeof sha === 'string' ? readFileSync(join(folder, sha), 'utf8') : undefined;
      }),
  };
}

function put(folder: string, text: string): string {
  const sha = createHash('sha256').update(text).digest('hex');
  const path = join(folder, sha);
  if (!existsSync(path)) {
    writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  }
  return sha;
}

function mapTree(value: Json, replace: (node: Json) => Json | undefined): Json {
  const replaced = replace(value);
  if (replaced !== undefined) return replaced;
  if (Array.isArray(value)) return value.map((item: Json) => mapTree(item, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, mapTree(v, replace)]));
}
